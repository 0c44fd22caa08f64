// A lock of the threads of one process that really block.
#pragma once

#include <atomic>
#include <cstdint>

#include "corespec/host/futex.h"
#include "corespec/live/hand_over_lock.h"
#include "corespec/threads/thread.h"

namespace corespec {

class LiveDomain;

/// A thread that waits for it does not hold the domain meanwhile.
class LiveMutex final : public Mutex {
 public:
  explicit LiveMutex(LiveDomain& domain) : domain_(&domain) {}

  void lock() override;
  bool try_lock() override;
  void unlock() override;
  MutexStatistics statistics() const override;

  bool wanted() const { return lock_.wanted(); }
  /// The holder, which polls and does not hold the domain, lets a waiter have the lock, and takes
  /// it back.
  void yield();

  // Of the program's threads that wait for arrivals with the lock one polls, the others sleep
  // beside it: handing the lock round among pollers would cost each of them a switch per look. All
  // of it is said and asked by the holder, which does not hold the domain.

  /// One of them polls, or has yielded and will go on.
  bool polled() const { return polled_; }
  void begin_polled() { polled_ = true; }
  /// `wake`: something has come, which may be what another one waits for.
  void end_polled(bool wake);
  /// Gives the lock up until something has come, until none polls, or for a millisecond (what a
  /// sleeper waits for may come about without arrivals), and takes it back.
  void sleep_beside();

 private:
  void count(std::atomic<std::uint64_t>& what, std::uint64_t more) {
    // Only the holder counts.
    what.store(what.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  LiveDomain* domain_;
  HandOverLock lock_;
  bool polled_ = false;    ///< belongs to the holder
  futex::Word beside_{0};  ///< changes when sleepers are to look again
  futex::Word sleepers_{0};
  std::atomic<std::uint64_t> acquisitions_{0};
  std::atomic<std::uint64_t> waits_{0};
  std::atomic<std::uint64_t> waited_ns_{0};
};

}  // namespace corespec
