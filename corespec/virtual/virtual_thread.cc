// A thread in virtual time: bursts, blocking.
#include "corespec/virtual/virtual_thread.h"

#include <algorithm>
#include <utility>

#include "corespec/events/prefetch_lines.h"
#include "corespec/host/host_time.h"
#include "corespec/threads/current_thread.h"
#include "corespec/threads/observed_thread.h"
#include "corespec/threads/process.h"
#include "corespec/virtual/machine.h"
#include "corespec/virtual/virtual_mutex.h"
#include "corespec/virtual/virtual_node.h"

namespace corespec {

VirtualThread::VirtualThread(VirtualNode& node, Process* process, ThreadRole role,
                             EventSource source, const std::vector<int>& allowed,
                             std::function<void()> body)
    : Thread(node, process, role),
      source_(source),
      fiber_(node.machine_.stacks(), &VirtualThread::fiber_main, this),
      allowed_(&allowed),
      body_(std::move(body)) {
  cpu_ = allowed.front();
  long_sleep_ = true;  // a new thread has used no CPU time yet
  hear_of_calls();
}

VirtualThread::VirtualThread(VirtualNode& node, Process* process, EventSource source,
                             const std::vector<int>& allowed, Adopt adopt)
    : Thread(node, process, ThreadRole::application),
      source_(source),
      fiber_(node.machine_.stacks(), adopt.loop, adopt.argument, AdoptMainStack{}),
      allowed_(&allowed) {
  cpu_ = allowed.front();
  state_ = State::running;
  wait_ = Wait::none;
}

VirtualThread::~VirtualThread() = default;

VirtualNode& VirtualThread::virtual_node() const { return static_cast<VirtualNode&>(node()); }

Cpu& VirtualThread::own_cpu() const { return virtual_node().cpu(cpu_); }

void VirtualThread::schedule(Time at, Kind kind, std::uint32_t generation) {
  ++events_;
  virtual_node().domain_.schedule(at, source_, *this,
                                  (static_cast<std::uint64_t>(generation) << kind_bits) | kind);
}

void VirtualThread::fiber_main(void* self) {
  auto& thread = *static_cast<VirtualThread*>(self);
  thread.body_();
  thread.sync();
  thread.body_ = nullptr;
  thread.state_ = State::finished;
}

void VirtualThread::run_fiber() {
  VirtualNode& node = virtual_node();
  VirtualThread* const outer = std::exchange(node.executing_, this);
  Thread* const before = exchange_current_thread(this);
  state_ = State::running;
  fiber_.resume();
  exchange_current_thread(before);
  node.executing_ = outer;
  if (fiber_.overflowed()) node.machine_.end_for_overflow(process());
  if (state_ == State::finished) node.thread_finished(*this);
}

// ---- working off charges

void VirtualThread::sync() {
  if (!has_pending() && first_effect_ == nullptr && lost_executing_ == Time() && !resched_) return;
  if (resched_ || !catch_up()) {
    begin_leg();
    fiber_.suspend();
  }
  virtual_node().domain_.record(synchronised, source_.id);
}

void VirtualThread::defer(DeferredEffect& effect) {
  if (!has_pending() && first_effect_ == nullptr && lost_executing_ == Time() && !resched_) {
    effect.perform();
    return;
  }
  effect.after = take_pending();
  effect.next_effect = nullptr;
  (first_effect_ == nullptr ? first_effect_ : last_effect_->next_effect) = &effect;
  last_effect_ = &effect;
}

bool VirtualThread::catch_up() {
  VirtualDomain& domain = virtual_node().domain_;
  for (;;) {
    if (lost_executing_ != Time() || resched_) return false;
    const Time length = stretched(first_effect_ != nullptr ? first_effect_->after : pending());
    if (length != Time() && !domain.try_advance(domain.now() + length)) return false;
    cpu_time_ += length;
    if (first_effect_ == nullptr) {
      take_pending();
      return true;
    }
    perform_first();
  }
}

void VirtualThread::perform_first() {
  DeferredEffect& effect = *first_effect_;
  first_effect_ = effect.next_effect;
  prefetch_line(first_effect_);
  effect.perform();
}

void VirtualThread::begin_leg() {
  VirtualDomain& domain = virtual_node().domain_;
  mode_ = Mode::compute;
  Time length = first_effect_ != nullptr ? first_effect_->after : take_pending();
  length += lost_executing_;
  cpu_time_ -= lost_executing_;
  lost_executing_ = Time();
  if (resched_) {
    state_ = State::running;
    burst_start_ = domain.now();
    burst_end_ = domain.now() + stretched(length);
    own_cpu().preempt_executing(*this);
  } else if (spins_next_ && first_effect_ == nullptr && spin_mutex_ == nullptr &&
             signal_->epoch() == spin_seen_) {
    begin_unseen(length);
  } else {
    begin_burst(length);
  }
}

/// The end of this burst, and the spinning after it, matter to no other object before the signal
/// is notified, or the CPU does something else: no event tells of them.
void VirtualThread::begin_unseen(Time length) {
  state_ = State::running;
  burst_start_ = virtual_node().domain_.now();
  burst_end_ = burst_start_ + stretched(length);
  unseen_ = true;
  watch();
}

/// Makes up for the event that there was not: the burst may have ended, and the thread spin.
void VirtualThread::catch_up_unseen() {
  VirtualDomain& domain = virtual_node().domain_;
  if (!unseen_ || domain.now() < burst_end_) return;
  unseen_ = spins_next_ = false;
  cpu_time_ += burst_end_ - burst_start_;
  spin_from(burst_end_);
}

void VirtualThread::watch() {
  watches_ = true;
  signal_->add(*this);
}

void VirtualThread::at_burst_end() {
  account();
  VirtualNode& node = virtual_node();
  if (first_effect_ != nullptr) {
    VirtualThread* const outer = std::exchange(node.executing_, this);
    perform_first();
    node.executing_ = outer;
    const bool owes = first_effect_ != nullptr || has_pending() || lost_executing_ != Time();
    if (owes || resched_) {
      begin_leg();
      return;
    }
  }
  if (!spins_next_) {
    run_fiber();
    return;
  }
  spins_next_ = false;
  if (signal_->epoch() == spin_seen_ && aside_ == nullptr) {
    begin_spinning();
  } else {
    run_fiber();
  }
}

Time VirtualThread::now() {
  sync();
  return virtual_node().domain_.now();
}

void VirtualThread::begin_burst(Time length) {
  state_ = State::running;
  burst_start_ = virtual_node().domain_.now();
  burst_end_ = burst_start_ + stretched(length);
  schedule(burst_end_, burst_end, ++plan_);
}

void VirtualThread::speed_changed(int speed) {
  const Time now = virtual_node().domain_.now();
  const bool bursts = state_ == State::running && mode_ == Mode::compute &&
                      virtual_node().executing_ != this && burst_end_ > now;
  const Time work = bursts ? unstretched(burst_end_ - now) : Time();
  speed_ = speed;
  if (!bursts) return;
  burst_end_ = now + stretched(work);
  if (!unseen_) schedule(burst_end_, burst_end, ++plan_);
}

void VirtualThread::account() { cpu_time_ += virtual_node().domain_.now() - burst_start_; }

// ---- what the CPU does to the thread

void VirtualThread::switched_in(Time kernel_busy) {
  const Time lead = kernel_busy + std::exchange(dispatch_cost_, Time());
  const Time now = virtual_node().domain_.now();
  speed_ = own_cpu().speed();
  if (std::exchange(preempted_, false)) stolen_ += now - preempted_at_ + lead;
  switch (mode_) {
    case Mode::compute:
      begin_burst(lead + std::exchange(remaining_, Time()));
      break;
    case Mode::spin:
      state_ = State::spinning;
      spin_start_ = now + lead;
      burst_start_ = now;
      if (boundary_needed()) arm_boundary();
      break;
    case Mode::recheck:
      begin_recheck(lead);
      break;
  }
}

void VirtualThread::begin_recheck(Time lead) {
  VirtualNode& node = virtual_node();
  if (waiter_ == nullptr || waiter_->ready()) {
    ++node.statistics_.threads_woken;
    wait_result_ = true;
    node.unregister_waiter(*this);
    mode_ = Mode::compute;
    begin_burst(lead + node.wake_cost());
  } else {
    // In vain, but all the same the CPU switches to the thread for its look.
    const Parameters& p = node.parameters_;
    ++node.statistics_.empty_wakeups;
    state_ = State::running;
    burst_start_ = node.domain_.now();
    schedule(burst_start_ + lead + p.context_switch + p.kernel_recheck, recheck_end, ++plan_);
  }
}

void VirtualThread::switched_out(bool preempted) {
  catch_up_unseen();
  if (std::exchange(unseen_, false)) stop_watching();
  const Time now = virtual_node().domain_.now();
  const Parameters& p = virtual_node().parameters_;
  account();
  ++plan_;  // no event of the present burst or spin counts any more
  boundary_armed_ = false;
  remaining_ = state_ == State::spinning ? Time() : unstretched(burst_end_ - now);
  state_ = State::ready;
  dispatch_cost_ = preempted ? p.context_switch + p.cache_refill : p.context_switch;
  preempted_ = preempted;
  preempted_at_ = now;
}

void VirtualThread::lose(Time length) {
  stolen_ += length;
  const Time now = virtual_node().domain_.now();
  if (virtual_node().executing_ == this) {
    lost_executing_ += length;
    return;
  }
  cpu_time_ -= length;
  catch_up_unseen();
  if (state_ == State::spinning) {
    // The polling loop goes on where it stopped: its phase is kept.
    const Time elapsed = now - spin_start_;
    const Time phase =
        elapsed > Time() ? Time::picoseconds(elapsed.ps() % spin_period_.ps()) : elapsed;
    spin_start_ = now + length - phase;
    if (std::exchange(boundary_armed_, false)) {
      ++plan_;
      arm_boundary();
    }
  } else if (mode_ == Mode::compute) {
    burst_end_ += length;
    if (!unseen_) schedule(burst_end_, burst_end, ++plan_);
  }
}

void VirtualThread::fire(std::uint64_t arg) {
  // All lines at once: one after another they would be missed one after another.
  const Kind kind = kind_of(arg);
  prefetch_lines(static_cast<const Thread*>(this), hot_lines);
  if (runs_fiber(kind)) prefetch_lines(fiber_.resumes_at(), Fiber::resumed_lines);
  act_on(kind, static_cast<std::uint32_t>(arg >> kind_bits));
  if (--events_ == 0 && joined_) virtual_node().forget(*this);
}

void VirtualThread::act_on(Kind kind, std::uint32_t generation) {
  switch (kind) {
    case burst_end:
      if (generation != plan_) return;
      at_burst_end();
      break;
    case boundary:
      if (generation != plan_) return;
      at_boundary();
      break;
    case recheck_end:
      if (generation != plan_) return;
      if (waiter_ == nullptr || waiter_->ready()) {
        --virtual_node().statistics_.empty_wakeups;
        begin_recheck(Time());
      } else if (wait_ == Wait::expired) {
        virtual_node().unregister_waiter(*this);
        mode_ = Mode::compute;
        begin_burst(virtual_node().wake_cost());
      } else {
        state_ = State::blocked;
        own_cpu().leave(*this);
      }
      break;
    case timer:
      if (generation != block_) return;
      if (state_ != State::blocked) {
        if (mode_ == Mode::recheck) wait_ = Wait::expired;
        return;
      }
      if (wait_ == Wait::interrupt) virtual_node().unregister_waiter(*this);
      wake(virtual_node().wake_cost(), true);
      break;
    case woken:
      if (generation != block_) return;
      wake_pending_ = false;
      if (state_ == State::blocked) virtual_node().make_ready(*this);
      break;
  }
}

// ---- blocking

void VirtualThread::block(Wait why) {
  wait_ = why;
  state_ = State::blocked;
  mode_ = Mode::compute;
  remaining_ = Time();
  ++block_;
  own_cpu().leave(*this);
  fiber_.suspend();
  wait_ = Wait::none;
  virtual_node().domain_.record(woken_up, source_.id);
}

void VirtualThread::wake(Time cost, bool long_sleep) {
  ++block_;
  mode_ = Mode::compute;
  remaining_ = Time();
  dispatch_cost_ = cost;
  long_sleep_ = long_sleep;
  virtual_node().make_ready(*this);
}

bool VirtualThread::wait_interrupt(const InterruptWaiter& waiter, Time deadline) {
  sync();
  VirtualNode& node = virtual_node();
  if (waiter.ready()) return true;
  if (deadline <= node.domain_.now()) return false;
  do {
    if (aside_ != nullptr) run_aside();
    waiter_ = &waiter;
    wait_result_ = false;
    wake_pending_ = false;
    node.register_waiter(*this);
    if (deadline != Time::max()) schedule(deadline, timer, block_ + 1);
    block(Wait::interrupt);
    waiter_ = nullptr;
  } while (aside_ != nullptr && !wait_result_ && !waiter.ready() && node.domain_.now() < deadline);
  return wait_result_ || (aside_ != nullptr && waiter.ready());
}

void VirtualThread::sleep_until(Time wake_up) {
  sync();
  if (wake_up <= virtual_node().domain_.now()) return;
  schedule(wake_up, timer, block_ + 1);
  block(Wait::sleep);
  if (aside_ != nullptr) run_aside();
}

// ---- called aside

void VirtualThread::call_aside(Aside& aside) {
  aside_ = &aside;
  catch_up_unseen();
  if (state_ == State::spinning) {
    arm_boundary();
  } else if (std::exchange(unseen_, false)) {
    schedule(burst_end_, burst_end, ++plan_);
  } else if (state_ == State::blocked && wait_ == Wait::interrupt) {
    virtual_node().unregister_waiter(*this);
    wake(virtual_node().wake_cost(), true);
  } else if (state_ == State::blocked && wait_ == Wait::sleep) {
    wake(virtual_node().wake_cost(), true);
  }
}

void VirtualThread::run_aside() { std::exchange(aside_, nullptr)->run(); }

void VirtualThread::yield() {
  charge(virtual_node().parameters_.system_call);
  sync();
  if (!own_cpu().has_ready()) return;
  mode_ = Mode::compute;
  burst_start_ = burst_end_ = virtual_node().domain_.now();
  own_cpu().rotate(*this);
  fiber_.suspend();
}

bool VirtualThread::use_service_cpus() {
  sync();
  const auto& service = virtual_node().placement_->service_cpus;
  if (service.empty()) return false;
  allowed_ = &service;
  if (std::find(service.begin(), service.end(), cpu_) != service.end()) return true;
  // Migrates at once: off its CPU, ready on one of the others.
  state_ = State::blocked;
  own_cpu().leave(*this);
  wake(virtual_node().parameters_.context_switch, false);
  fiber_.suspend();
  return true;
}

// ---- measured computing

void VirtualThread::measure() {
  measured_ = true;
  hear_of_calls();
  host_cpu_ns_ = host_cpu_time_ns();
}

Time VirtualThread::own_time() const {
  Time at = virtual_node().domain_.now() + pending();
  for (const DeferredEffect* each = first_effect_; each != nullptr; each = each->next_effect) {
    at += each->after;
  }
  return at;
}

void VirtualThread::observe_call(Occurrence::Kind kind, const LibraryCall* call) const {
  observe(virtual_node().domain_, [&] { return observed(kind, *this, own_time(), call); });
}

void VirtualThread::left_library(const LibraryCall* call) {
  observe_call(Occurrence::Kind::call_ended, call);
  if (aside_ != nullptr) [[unlikely]]
    run_aside();
  if (measured_) host_cpu_ns_ = host_cpu_time_ns();
}

/// What a program's frames have ruined beyond its stack must not be looked at.
void VirtualThread::entered_library() {
  fiber_.look_at_stack();
  if (measured_) charge_own_computing();
  observe_call(Occurrence::Kind::call_begun, library_call());
}

void VirtualThread::charge_own_computing() {
  // What was left out may be more than there was: never less than nothing.
  const std::int64_t used = std::max<std::int64_t>(0, host_cpu_time_ns() - host_cpu_ns_);
  const double factor =
      static_cast<double>(virtual_node().parameters_.compute_factor_percent) / 100;
  charge(Time::nanoseconds(static_cast<double>(used) * factor));
}

std::string_view VirtualThread::waiting_for() const {
  switch (state_) {
    case State::running:
      if (!unseen_ && brings_news()) return "computes";
      [[fallthrough]];
    case State::spinning:
      return "polls for a message or completion";
    case State::ready:
      return "waits for a CPU";
    case State::finished:
      return "has ended";
    case State::blocked:
      break;
  }
  switch (wait_) {
    case Wait::start:
      return "has not started";
    case Wait::mutex:
      return "waits for a lock";
    case Wait::interrupt:
    case Wait::expired:
      return "sleeps until an interrupt";
    case Wait::sleep:
      return "sleeps";
    case Wait::join:
      return "waits for a thread to end, or for the launcher";
    case Wait::none:
      break;
  }
  return "is blocked";
}

}  // namespace corespec
