// A lock of the threads of one process that really block.
#pragma once

#include <atomic>
#include <cstdint>

#include "corespec/live/hand_over_lock.h"
#include "corespec/threads/thread.h"

namespace corespec {

class LiveDomain;

/// Who waits for it does not hold the domain meanwhile.
class LiveMutex final : public Mutex {
 public:
  explicit LiveMutex(LiveDomain& domain) : domain_(&domain) {}

  void lock() override;
  bool try_lock() override;
  void unlock() override { lock_.unlock(); }
  Statistics statistics() const override;

  bool wanted() const { return lock_.wanted(); }
  /// The holder, which polls and does not hold the domain, lets a waiter have the lock, and takes
  /// it back.
  void yield();

 private:
  void count(std::atomic<std::uint64_t>& what, std::uint64_t more) {
    // Only the holder counts.
    what.store(what.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  LiveDomain* domain_;
  HandOverLock lock_;
  std::atomic<std::uint64_t> acquisitions_{0};
  std::atomic<std::uint64_t> waits_{0};
  std::atomic<std::uint64_t> waited_ns_{0};
};

}  // namespace corespec
