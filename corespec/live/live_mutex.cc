// Taking a live lock, and counting it.
#include "corespec/live/live_mutex.h"

#include "corespec/live/live_clock.h"
#include "corespec/live/live_domain.h"
#include "corespec/threads/observed_thread.h"

namespace corespec {
namespace {

constexpr std::int64_t longest_sleep_ns = 1'000'000;

}  // namespace

void LiveMutex::lock() {
  if (!lock_.try_lock()) {
    const std::int64_t start = LiveClock::host_nanoseconds();
    const unsigned held = domain_->give_up();
    lock_.lock();
    domain_->take_back(held);
    const std::int64_t waited = LiveClock::host_nanoseconds() - start;
    count(waits_, 1);
    count(waited_ns_, static_cast<std::uint64_t>(waited));
    observe(*domain_, [&] {
      const Thread& thread = this_thread();
      Occurrence made =
          observed(Occurrence::Kind::lock_waited, thread, domain_->now(), thread.library_call());
      made.begin = made.end - Time::nanoseconds(waited);
      return made;
    });
  }
  count(acquisitions_, 1);
}

bool LiveMutex::try_lock() {
  if (!lock_.try_lock()) return false;
  count(acquisitions_, 1);
  return true;
}

void LiveMutex::unlock() {
  // The thread that polled is gone: one of those beside it takes its place.
  const bool successor = !polled_ && sleepers_.load(std::memory_order_relaxed) != 0;
  lock_.unlock();
  if (!successor) return;
  beside_.fetch_add(1, std::memory_order_release);
  futex::wake_one(beside_, futex::Scope::process);
}

void LiveMutex::end_polled(bool wake) {
  polled_ = false;
  if (!wake || sleepers_.load(std::memory_order_relaxed) == 0) return;
  beside_.fetch_add(1, std::memory_order_release);
  futex::wake_all(beside_, futex::Scope::process);
}

void LiveMutex::sleep_beside() {
  const std::uint32_t before = beside_.load(std::memory_order_relaxed);
  sleepers_.fetch_add(1, std::memory_order_relaxed);
  lock_.unlock();
  futex::wait(beside_, before, futex::Scope::process,
              LiveClock::host_nanoseconds() + longest_sleep_ns);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  lock_.lock();
  count(acquisitions_, 1);
}

void LiveMutex::yield() {
  lock_.hand_over();
  lock_.lock();
  count(acquisitions_, 1);
}

MutexStatistics LiveMutex::statistics() const {
  MutexStatistics statistics;
  statistics.acquisitions = acquisitions_.load(std::memory_order_relaxed);
  statistics.waits = waits_.load(std::memory_order_relaxed);
  statistics.waited = Time::picoseconds(
      static_cast<std::int64_t>(waited_ns_.load(std::memory_order_relaxed)) * 1000);
  return statistics;
}

}  // namespace corespec
