// A lock whose holder can see that others want it, and let one of them have it.
#pragma once

#include <cstdint>

#include "corespec/host/futex.h"

namespace corespec {

/// Of the threads of one process; not recursive. Waiters sleep in the kernel after a short while.
/// A lock that a polling thread releases and takes again at once would never reach a waiter that
/// has to be woken first: such a thread calls hand_over().
class HandOverLock {
 public:
  bool try_lock() {
    std::uint32_t expected = unlocked;
    return state_.compare_exchange_strong(expected, locked, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void lock() {
    if (!try_lock()) wait_for_it();
  }
  void unlock() {
    if (state_.exchange(unlocked, std::memory_order_release) == contended) {
      futex::wake_one(state_, futex::Scope::process);
    }
  }

  /// True if threads wait for it.
  bool wanted() const { return waiters_.load(std::memory_order_relaxed) != 0; }

  /// Unlocks; if threads wait for it, returns when one of them has it.
  void hand_over();

 private:
  /// `granted`: no thread holds it, and only a thread that waited already may take it.
  enum State : std::uint32_t { unlocked, locked, contended, granted };

  void wait_for_it();
  bool take(std::uint32_t state);

  futex::Word state_{unlocked};
  futex::Word waiters_{0};
  futex::Word takings_{0};  ///< grants that were taken
};

}  // namespace corespec
