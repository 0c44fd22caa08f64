// A lock in virtual time: first come, first served, handed over at a cost.
#pragma once

#include "corespec/threads/thread.h"

namespace corespec {

class VirtualNode;
class VirtualThread;

class VirtualMutex final : public Mutex {
 public:
  explicit VirtualMutex(VirtualNode& node) : node_(&node) {}

  void lock() override;
  bool try_lock() override;
  void unlock() override;
  Statistics statistics() const override { return statistics_; }

  bool has_waiters() const { return first_ != nullptr; }
  /// A spinning holder gives the lock to the first waiter and queues up behind the others.
  void yield_from(VirtualThread& spinner);

 private:
  void push(VirtualThread& thread);
  void hand_over();

  VirtualNode* node_;
  VirtualThread* owner_ = nullptr;
  VirtualThread* first_ = nullptr;
  VirtualThread* last_ = nullptr;
  Statistics statistics_;
};

}  // namespace corespec
