// A lock in virtual time.
#include "corespec/virtual/virtual_mutex.h"

#include "corespec/threads/observed_thread.h"
#include "corespec/virtual/virtual_node.h"
#include "corespec/virtual/virtual_thread.h"

namespace corespec {

VirtualMutex::VirtualMutex(VirtualNode& node)
    : node_(&node), free_(node.parameters().lock_order == "free") {}

void VirtualMutex::lock() {
  auto& thread = static_cast<VirtualThread&>(this_thread());
  thread.charge(node_->parameters().mutex_uncontended);
  thread.sync();
  ++statistics_.acquisitions;
  if (owner_ == nullptr) {
    owner_ = &thread;
    return;
  }
  ++statistics_.waits;
  const Time start = node_->domain().now();
  do {  // once, unless the lock is free between an unlock and the woken thread's next instruction
    push(thread);
    if (owner_->yields_lock(*this)) owner_->arm_boundary();
    thread.block(VirtualThread::Wait::mutex);
  } while (owner_ != &thread && owner_ != nullptr);
  owner_ = &thread;
  statistics_.waited += node_->domain().now() - start;
  observe(node_->domain(), [&] {
    Occurrence made = observed(Occurrence::Kind::lock_waited, thread, start, thread.library_call());
    made.end = node_->domain().now();
    return made;
  });
}

bool VirtualMutex::try_lock() {
  auto& thread = static_cast<VirtualThread&>(this_thread());
  thread.charge(node_->parameters().mutex_uncontended);
  thread.sync();
  if (owner_ != nullptr) return false;
  ++statistics_.acquisitions;
  owner_ = &thread;
  return true;
}

void VirtualMutex::unlock() {
  this_thread().sync();
  hand_over();
}

void VirtualMutex::yield_from(VirtualThread& spinner) {
  push(spinner);
  hand_over();
  ++statistics_.acquisitions;
}

void VirtualMutex::push(VirtualThread& thread) {
  thread.next_waiting_ = nullptr;
  if (last_ != nullptr) {
    last_->next_waiting_ = &thread;
  } else {
    first_ = &thread;
  }
  last_ = &thread;
}

void VirtualMutex::hand_over() {
  VirtualThread* const next = first_;
  owner_ = nullptr;
  if (next == nullptr) return;
  first_ = next->next_waiting_;
  if (first_ == nullptr) last_ = nullptr;
  // A spinner that gave the lock up has it again when it goes on, in either order.
  if (!free_ || next->poll_.signal != nullptr) owner_ = next;
  // Woken to try again, a progress thread has used little of its share: it preempts.
  next->wake(node_->parameters().mutex_handover, free_);
}

}  // namespace corespec
