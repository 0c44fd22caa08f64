// A lock in virtual time: handed over at a cost, or free for the first thread that comes.
#pragma once

#include "corespec/threads/thread.h"

namespace corespec {

class VirtualNode;
class VirtualThread;

/// Threads that find it taken sleep in a queue. CASTOR_LOCK_ORDER says what an unlock does: with
/// `queue` the lock is the longest waiter's at once, even if that has to wait for a CPU; with
/// `free`, as with a POSIX mutex, the longest waiter is woken to try again, and a thread that runs
/// may have been faster.
class VirtualMutex final : public Mutex {
 public:
  explicit VirtualMutex(VirtualNode& node);

  void lock() override;
  bool try_lock() override;
  void unlock() override;
  MutexStatistics statistics() const override { return statistics_; }

  bool has_waiters() const { return first_ != nullptr; }
  /// A spinning holder gives the lock to the first waiter and queues up behind the others.
  void yield_from(VirtualThread& spinner);

 private:
  void push(VirtualThread& thread);
  void hand_over();

  VirtualNode* node_;
  bool free_;
  VirtualThread* owner_ = nullptr;
  VirtualThread* first_ = nullptr;
  VirtualThread* last_ = nullptr;
  MutexStatistics statistics_;
};

}  // namespace corespec
