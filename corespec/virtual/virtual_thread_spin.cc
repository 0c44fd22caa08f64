// A thread in virtual time that polls for a signal.
#include <utility>

#include "corespec/virtual/machine.h"
#include "corespec/virtual/virtual_mutex.h"
#include "corespec/virtual/virtual_node.h"
#include "corespec/virtual/virtual_thread.h"

namespace corespec {

void VirtualThread::spin(const Signal& signal, std::uint64_t seen, Time period, Mutex* yielding,
                         bool gives_way) {
  const bool owes = has_pending() || !effects_.empty() || lost_executing_ != Time();
  const bool late = resched_ || (owes && !catch_up());
  VirtualNode& node = virtual_node();
  if (!late) {
    // Not a fact: whether spinning begins at once is the engine's, not the machine's.
    if (signal.epoch() != seen) return;
  }
  if (yielding != nullptr) looks_.look(signal, seen, node.machine_.news());
  poll_.signal = &signal;
  poll_.seen = seen;
  poll_.period = period;
  poll_.mutex = static_cast<VirtualMutex*>(yielding);
  poll_.gives_way = gives_way || yielding != nullptr;
  poll_.begun = poll_.watches = false;
  if (late) {  // the event that ends the burst looks at the signal, not the fiber
    poll_.next = true;
    begin_leg();
  } else {
    begin_spinning();
  }
  fiber_.suspend();
  if (poll_.watches) stop_watching();
  poll_.signal = nullptr;
  poll_.mutex = nullptr;
  mode_ = Mode::compute;
  if (poll_.begun) node.domain_.record(spun, source_.id);
  if (aside_ != nullptr) run_aside();
}

bool VirtualThread::polls_in_vain() const {
  return mode_ == Mode::spin && poll_.signal != nullptr && poll_.signal->epoch() == poll_.seen &&
         aside_ == nullptr && (poll_.mutex == nullptr || !poll_.mutex->has_waiters());
}

bool VirtualThread::brings_news() const {
  if (!effects_.empty()) return true;
  const bool looks_on = state_ == ThreadState::spinning && polls_in_vain();
  return !looks_on && !looks_.several(virtual_node().machine_.news());
}

void VirtualThread::spin_from(Time start) {
  poll_.begun = true;
  poll_.start = burst_.start = start;
  mode_ = Mode::spin;
  state_.become(ThreadState::spinning);
}

void VirtualThread::stop_watching() {
  poll_.watches = false;
  poll_.signal->remove(*this);
}

void VirtualThread::begin_spinning() {
  spin_from(virtual_node().domain_.now());
  watch();
  if (resched_) {
    own_cpu().preempt_executing(*this);
  } else if (boundary_needed()) {
    arm_boundary();
  }
}

void VirtualThread::notified() {
  catch_up_unseen();
  if (state_ == ThreadState::spinning) {
    arm_boundary();
  } else if (std::exchange(poll_.unseen, false)) {
    schedule(burst_.end, burst_end, ++plan_);
  }
}

bool VirtualThread::boundary_needed() const {
  if (poll_.signal == nullptr) return false;
  if (poll_.signal->epoch() != poll_.seen || aside_ != nullptr) return true;
  return (poll_.mutex != nullptr && poll_.mutex->has_waiters()) ||
         (poll_.gives_way && own_cpu().has_ready());
}

void VirtualThread::arm_boundary() {
  if (poll_.boundary_armed || state_ != ThreadState::spinning) return;
  poll_.boundary_armed = true;
  const Time now = virtual_node().domain_.now();
  const std::int64_t periods = now > poll_.start ? (now - poll_.start) / poll_.period : 0;
  schedule(poll_.start + poll_.period * (periods + 1), boundary, ++plan_);
}

void VirtualThread::at_boundary() {
  poll_.boundary_armed = false;
  if (poll_.signal->epoch() != poll_.seen || aside_ != nullptr) {
    account();
    run_fiber();
  } else if (poll_.mutex != nullptr && poll_.mutex->has_waiters()) {
    account();
    mode_ = Mode::compute;
    wait_.why = Wait::mutex;
    state_.become(ThreadState::blocked);
    ++wait_.generation;
    VirtualMutex& mutex = *std::exchange(poll_.mutex, nullptr);
    own_cpu().leave(*this);
    mutex.yield_from(*this);
  } else if (poll_.gives_way && own_cpu().has_ready()) {
    if (!own_cpu().brings_news()) virtual_node().machine_.news().nothing_new();
    own_cpu().rotate(*this);
  }
}

}  // namespace corespec
