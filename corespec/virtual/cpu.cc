// One modelled CPU: dispatching, preemption, time slices, stolen time.
#include "corespec/virtual/cpu.h"

#include <algorithm>

#include "corespec/threads/observed_thread.h"
#include "corespec/virtual/machine.h"
#include "corespec/virtual/virtual_node.h"
#include "corespec/virtual/virtual_thread.h"

namespace corespec {

void Cpu::make_ready(VirtualThread& thread) {
  thread.state_.become(ThreadState::ready);
  thread.cpu_ = number_;
  if (current_ == nullptr) {
    push_back(thread);
    dispatch();
    return;
  }
  const bool preempts = thread.wait_.long_sleep && current_->preemptible() && !thread.preemptible();
  if (!preempts) {
    push_back(thread);
    others_wait(slice_armed_ ? Time() : node_->rest_of_slice());
    return;
  }
  push_front(thread);
  if (current_ == node_->executing_) {
    current_->resched_ = true;
  } else {
    preempt_current();
  }
}

void Cpu::preempt_current() {
  VirtualThread& thread = *current_;
  ++node_->statistics_.preemptions;
  observe_leaving(thread, true);
  thread.switched_out(true);
  current_ = nullptr;
  VirtualThread* next = first_ready_;  // the preempting thread; the preempted one comes next
  first_ready_ = next->next_ready_;
  if (first_ready_ == nullptr) last_ready_ = nullptr;
  push_front(thread);
  push_front(*next);
  dispatch(node_->rest_of_slice());
}

void Cpu::preempt_executing(VirtualThread& thread) {
  thread.resched_ = false;
  preempt_current();
}

void Cpu::observe_leaving(const VirtualThread& thread, bool goes_on) const {
  observe(node_->domain_, [&] {
    Occurrence made = observed(Occurrence::Kind::thread_left, thread, node_->domain_.now(),
                               thread.library_call());
    made.part = static_cast<std::uint32_t>(number_);
    made.goes_on = goes_on;
    return made;
  });
}

void Cpu::leave(VirtualThread& thread) {
  observe_leaving(thread, false);
  thread.resched_ = false;
  current_ = nullptr;
  slice_armed_ = false;
  ++slice_generation_;
  dispatch();
}

void Cpu::rotate(VirtualThread& thread) {
  observe_leaving(thread, true);
  thread.switched_out(false);
  current_ = nullptr;
  slice_armed_ = false;
  ++slice_generation_;
  push_back(thread);
  dispatch();
}

void Cpu::dispatch() { dispatch(node_->parameters_.time_slice); }

void Cpu::dispatch(Time slice) {
  if (current_ != nullptr || first_ready_ == nullptr) {
    settle();
    return;
  }
  VirtualThread& thread = *first_ready_;
  first_ready_ = thread.next_ready_;
  if (first_ready_ == nullptr) last_ready_ = nullptr;
  thread.next_ready_ = nullptr;
  current_ = &thread;
  settle();
  ++node_->statistics_.context_switches;
  const Time now = node_->domain_.now();
  const Time kernel_busy = kernel_until_ > now ? kernel_until_ - now : Time();
  observe(node_->domain_, [&] {
    Occurrence made =
        observed(Occurrence::Kind::thread_switched, thread, now, thread.library_call());
    made.part = static_cast<std::uint32_t>(number_);
    made.end = now + kernel_busy + thread.off_.dispatch_cost;
    return made;
  });
  if (first_ready_ != nullptr) others_wait(slice);
  thread.switched_in(kernel_busy);
}

void Cpu::settle() {
  if (!node_->shares_units_ || busy_ == (current_ != nullptr)) return;
  busy_ = current_ != nullptr;
  for (const int other : node_->unit_mates(number_)) {
    Cpu& mate = node_->cpu(other);
    if (mate.current_ != nullptr) mate.current_->speed_changed(mate.speed());
  }
}

int Cpu::speed() const {
  if (!node_->shares_units_) return VirtualThread::full_speed;
  for (const int other : node_->unit_mates(number_)) {
    if (node_->cpu(other).busy_) return static_cast<int>(node_->parameters_.shared_unit_speed);
  }
  return VirtualThread::full_speed;
}

void Cpu::steal(Time length) {
  const Time now = node_->domain_.now();
  kernel_until_ = std::max(kernel_until_, now) + length;
  if (current_ != nullptr) current_->lose(length);
}

void Cpu::others_wait(Time left) {
  if (!slice_armed_) {
    slice_armed_ = true;
    const Time end = node_->domain_.now() + left;
    slices_until_ = std::max(slices_until_, end);
    node_->domain_.schedule(end, node_->source_, *this, ++slice_generation_);
  }
  // A thread that polls and yields does not wait for the end of its slice.
  if (current_ != nullptr && current_->state_ == ThreadState::spinning &&
      current_->boundary_needed()) {
    current_->arm_boundary();
  }
}

void Cpu::forget_slices() {
  const bool is_left = !slice_armed_ || node_->halted_;
  if (is_left && slices_until_ > node_->domain_.now()) node_->domain_.cancel(*this);
}

void Cpu::fire(std::uint64_t generation) {
  if (generation != slice_generation_ || !slice_armed_) return;
  slice_armed_ = false;
  if (current_ == nullptr || first_ready_ == nullptr) return;
  if (current_->mode_ == VirtualThread::Mode::recheck) {  // not in the kernel
    others_wait(node_->parameters_.time_slice);
    return;
  }
  if (!brings_news()) node_->machine_.news().nothing_new();
  ++node_->statistics_.preemptions;
  VirtualThread& thread = *current_;
  observe_leaving(thread, true);
  thread.switched_out(true);
  current_ = nullptr;
  push_back(thread);
  dispatch();
}

bool Cpu::brings_news() const {
  if (current_ != nullptr && !current_->polls_in_vain()) return true;
  for (const VirtualThread* each = first_ready_; each != nullptr; each = each->next_ready_) {
    if (!each->polls_in_vain()) return true;
  }
  return false;
}

void Cpu::push_back(VirtualThread& thread) {
  thread.next_ready_ = nullptr;
  if (last_ready_ != nullptr) {
    last_ready_->next_ready_ = &thread;
  } else {
    first_ready_ = &thread;
  }
  last_ready_ = &thread;
}

void Cpu::push_front(VirtualThread& thread) {
  thread.next_ready_ = first_ready_;
  first_ready_ = &thread;
  if (last_ready_ == nullptr) last_ready_ = &thread;
}

}  // namespace corespec
