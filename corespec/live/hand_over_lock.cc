// Waiting for a lock, and handing it over.
#include "corespec/live/hand_over_lock.h"

namespace corespec {
namespace {

constexpr int looks_before_sleep = 60;  // some microseconds: about what a sleep costs

}  // namespace

/// Takes the lock out of `state` if it can be taken.
bool HandOverLock::take(std::uint32_t state) {
  if (state != unlocked && state != granted) return false;
  // A thread that waits on is woken when this thread unlocks.
  if (!state_.compare_exchange_strong(state, contended, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
    return false;
  }
  if (state == granted) {
    takings_.fetch_add(1, std::memory_order_release);
    futex::wake_all(takings_, futex::Scope::process);
  }
  return true;
}

void HandOverLock::wait_for_it() {
  waiters_.fetch_add(1, std::memory_order_relaxed);
  for (int looks = 0;; ++looks) {
    std::uint32_t state = state_.load(std::memory_order_relaxed);
    if (take(state)) break;
    if (looks < looks_before_sleep) {
      futex::pause();
      continue;
    }
    if (state == locked &&
        state_.compare_exchange_strong(state, contended, std::memory_order_relaxed)) {
      state = contended;
    }
    if (state == contended) futex::wait(state_, contended, futex::Scope::process);
  }
  waiters_.fetch_sub(1, std::memory_order_relaxed);
}

void HandOverLock::hand_over() {
  // A thread that is counted while this one holds the lock cannot have it yet, and will take it.
  if (!wanted()) {
    unlock();
    return;
  }
  const std::uint32_t before = takings_.load(std::memory_order_relaxed);
  state_.store(granted, std::memory_order_release);
  futex::wake_one(state_, futex::Scope::process);
  for (int looks = 0; takings_.load(std::memory_order_acquire) == before; ++looks) {
    if (looks < looks_before_sleep) {
      futex::pause();
    } else {
      futex::wait(takings_, before, futex::Scope::process);
    }
  }
}

}  // namespace corespec
