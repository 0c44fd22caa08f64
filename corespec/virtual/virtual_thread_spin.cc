// A thread in virtual time that polls for a signal.
#include <utility>

#include "corespec/virtual/machine.h"
#include "corespec/virtual/virtual_mutex.h"
#include "corespec/virtual/virtual_node.h"
#include "corespec/virtual/virtual_thread.h"

namespace corespec {

void VirtualThread::spin(const Signal& signal, std::uint64_t seen, Time period, Mutex* yielding) {
  const bool owes = has_pending() || first_effect_ != nullptr || lost_executing_ != Time();
  const bool late = resched_ || (owes && !catch_up());
  VirtualNode& node = virtual_node();
  if (!late) {
    // Not a fact: whether spinning begins at once is the engine's, not the machine's.
    if (signal.epoch() != seen) return;
  }
  if (yielding != nullptr) polls_for(signal, seen);
  signal_ = &signal;
  spin_seen_ = seen;
  spin_period_ = period;
  spin_mutex_ = static_cast<VirtualMutex*>(yielding);
  spun_ = watches_ = false;
  if (late) {  // the event that ends the burst looks at the signal, not the fiber
    spins_next_ = true;
    begin_leg();
  } else {
    begin_spinning();
  }
  fiber_.suspend();
  if (watches_) stop_watching();
  signal_ = nullptr;
  spin_mutex_ = nullptr;
  mode_ = Mode::compute;
  if (spun_) node.domain_.record(spun, source_.id);
  if (aside_ != nullptr) run_aside();
}

/// Threads that poll with a lock between them hand it round for ever, if need be.
void VirtualThread::polls_for(const Signal& signal, std::uint64_t seen) {
  NewsWatch& watch = virtual_node().machine_.news();
  if (polled_ == &signal && polled_seen_ == seen) {
    if (vain_period_ != watch.period()) looks_in_vain_ = 0;
    vain_period_ = watch.period();
    ++looks_in_vain_;
    watch.nothing_new();
  } else {
    looks_in_vain_ = 0;
    watch.something_new();
  }
  polled_ = &signal;
  polled_seen_ = seen;
}

/// The second look in vain began after the period had.
bool VirtualThread::brings_news() const {
  return looks_in_vain_ < 2 || vain_period_ != virtual_node().machine_.news().period() ||
         first_effect_ != nullptr;
}

void VirtualThread::spin_from(Time start) {
  spun_ = true;
  spin_start_ = burst_start_ = start;
  mode_ = Mode::spin;
  state_ = State::spinning;
}

void VirtualThread::stop_watching() {
  watches_ = false;
  signal_->remove(*this);
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
  if (state_ == State::spinning) {
    arm_boundary();
  } else if (std::exchange(unseen_, false)) {
    schedule(burst_end_, burst_end, ++plan_);
  }
}

bool VirtualThread::boundary_needed() const {
  if (signal_ == nullptr) return false;
  if (signal_->epoch() != spin_seen_ || aside_ != nullptr) return true;
  return spin_mutex_ != nullptr && (spin_mutex_->has_waiters() || own_cpu().has_ready());
}

void VirtualThread::arm_boundary() {
  if (boundary_armed_ || state_ != State::spinning) return;
  boundary_armed_ = true;
  const Time now = virtual_node().domain_.now();
  const std::int64_t periods = now > spin_start_ ? (now - spin_start_) / spin_period_ : 0;
  schedule(spin_start_ + spin_period_ * (periods + 1), boundary, ++plan_);
}

void VirtualThread::at_boundary() {
  boundary_armed_ = false;
  if (signal_->epoch() != spin_seen_ || aside_ != nullptr) {
    account();
    run_fiber();
  } else if (spin_mutex_ != nullptr && spin_mutex_->has_waiters()) {
    account();
    mode_ = Mode::compute;
    wait_ = Wait::mutex;
    state_ = State::blocked;
    ++block_;
    VirtualMutex& mutex = *std::exchange(spin_mutex_, nullptr);
    own_cpu().leave(*this);
    mutex.yield_from(*this);
  } else if (spin_mutex_ != nullptr && own_cpu().has_ready()) {
    own_cpu().rotate(*this);
  }
}

}  // namespace corespec
