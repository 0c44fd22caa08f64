// One modelled CPU: the thread on it, the threads that wait for it, what the kernel takes from it.
#pragma once

#include <cstdint>

#include "corespec/events/event_domain.h"
#include "corespec/time/time.h"

namespace corespec {

class VirtualNode;
class VirtualThread;

/// Runs one thread at a time. Ready threads wait first in, first out; a time slice bounds how
/// long one keeps others waiting. A thread woken from a long sleep preempts an application
/// thread, as Linux's fair scheduler lets it.
class Cpu final : public Event {
 public:
  Cpu(VirtualNode& node, int number) : node_(&node), number_(number) {}

  int number() const { return number_; }
  bool idle() const { return current_ == nullptr; }
  bool has_ready() const { return first_ready_ != nullptr; }
  VirtualThread* current() const { return current_; }

  /// A thread became ready and was given to this CPU.
  void make_ready(VirtualThread& thread);
  /// The running thread stopped running (blocked, ended).
  void leave(VirtualThread& thread);
  /// The running thread goes behind the ready ones.
  void rotate(VirtualThread& thread);
  /// The executing thread found that it is to make room for a more urgent one.
  void preempt_executing(VirtualThread& thread);
  /// The kernel uses the CPU for `length`, from now on; the running thread loses that time.
  void steal(Time length);

  /// The calling code becomes the thread that runs here.
  void adopt(VirtualThread& thread) { current_ = &thread; }

  /// Percent of its own speed at which the CPU runs now: less while another CPU of its compute
  /// unit runs a thread (CASTOR_SHARED_UNIT_SPEED).
  int speed() const;

  /// End of a time slice.
  void fire(std::uint64_t generation) override;
  /// The ends of slices that are none any more, and all of a failed node, no longer happen: the
  /// last thing that happens says how long a run has taken. Slow.
  void forget_slices();
  /// The running thread is about to leave the CPU; `goes_on`: it would rather keep it.
  void observe_leaving(const VirtualThread& thread, bool goes_on) const;
  /// False if its threads only poll, and nothing that they poll for has come.
  bool brings_news() const override;

 private:
  void dispatch();
  /// The next thread's time slice, if others wait.
  void dispatch(Time slice);
  void preempt_current();
  void push_back(VirtualThread& thread);
  void push_front(VirtualThread& thread);
  /// Arms the end of the running thread's slice, `left` from now, if it is not armed.
  void others_wait(Time left);
  /// Tells the compute unit's other CPUs if this one has come to run a thread, or to idle.
  void settle();

  VirtualNode* node_;
  int number_;
  std::uint32_t slice_generation_ = 0;
  bool slice_armed_ = false;
  Time slices_until_;  ///< ends of slices are scheduled up to then
  bool busy_ = false;  ///< as settle() has told the others
  VirtualThread* current_ = nullptr;
  VirtualThread* first_ready_ = nullptr;
  VirtualThread* last_ready_ = nullptr;
  Time kernel_until_;
};

}  // namespace corespec
