// A thread in virtual time: bursts, blocking.
#include "corespec/virtual/virtual_thread.h"

#include <algorithm>
#include <utility>

#include "corespec/events/prefetch_lines.h"
#include "corespec/threads/calling_context.h"
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
  wait_.long_sleep = true;  // a new thread has used no CPU time yet
  hear_of_calls();
}

VirtualThread::VirtualThread(VirtualNode& node, Process* process, EventSource source,
                             const std::vector<int>& allowed, Adopt adopt)
    : Thread(node, process, ThreadRole::application),
      source_(source),
      state_(ThreadState::running),
      fiber_(node.machine_.stacks(), adopt.loop, adopt.argument, AdoptMainStack{}),
      allowed_(&allowed) {
  cpu_ = allowed.front();
  wait_.why = Wait::none;
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
  thread.state_.become(ThreadState::finished);
}

void VirtualThread::run_fiber() {
  VirtualNode& node = virtual_node();
  VirtualThread* const outer = std::exchange(node.executing_, this);
  Thread* const before = exchange_current_thread(this);
  state_.become(ThreadState::running);
  fiber_.resume();
  exchange_current_thread(before);
  node.executing_ = outer;
  if (fiber_.overflowed()) node.machine_.end_for_overflow(process());
  if (state_ == ThreadState::finished) node.thread_finished(*this);
}

// ---- working off charges

void VirtualThread::sync() {
  if (!has_pending() && effects_.empty() && lost_executing_ == Time() && !resched_) return;
  if (resched_ || !catch_up()) {
    begin_leg();
    fiber_.suspend();
  }
  virtual_node().domain_.record(synchronised, source_.id);
}

void VirtualThread::defer(DeferredEffect& effect) {
  if (!has_pending() && effects_.empty() && lost_executing_ == Time() && !resched_) {
    effect.perform();
    return;
  }
  effects_.add(effect, take_pending());
}

bool VirtualThread::catch_up() {
  VirtualDomain& domain = virtual_node().domain_;
  for (;;) {
    if (lost_executing_ != Time() || resched_) return false;
    const Time length = stretched(effects_.empty() ? pending() : effects_.work_before_first());
    if (length != Time() && !domain.try_advance(domain.now() + length)) return false;
    cpu_time_ += length;
    if (effects_.empty()) {
      take_pending();
      return true;
    }
    effects_.perform_first();
  }
}

void VirtualThread::begin_leg() {
  VirtualDomain& domain = virtual_node().domain_;
  mode_ = Mode::compute;
  Time length = effects_.empty() ? take_pending() : effects_.work_before_first();
  length += lost_executing_;
  cpu_time_ -= lost_executing_;
  lost_executing_ = Time();
  if (resched_) {
    state_.become(ThreadState::running);
    burst_.start = domain.now();
    burst_.end = domain.now() + stretched(length);
    own_cpu().preempt_executing(*this);
  } else if (poll_.next && effects_.empty() && poll_.mutex == nullptr &&
             poll_.signal->epoch() == poll_.seen) {
    begin_unseen(length);
  } else {
    begin_burst(length);
  }
}

/// The end of this burst, and the spinning after it, matter to no other object before the signal
/// is notified, or the CPU does something else: no event tells of them.
void VirtualThread::begin_unseen(Time length) {
  state_.become(ThreadState::running);
  burst_.start = virtual_node().domain_.now();
  burst_.end = burst_.start + stretched(length);
  poll_.unseen = true;
  watch();
}

/// Makes up for the event that there was not: the burst may have ended, and the thread spin.
void VirtualThread::catch_up_unseen() {
  VirtualDomain& domain = virtual_node().domain_;
  if (!poll_.unseen || domain.now() < burst_.end) return;
  poll_.unseen = poll_.next = false;
  cpu_time_ += burst_.end - burst_.start;
  spin_from(burst_.end);
}

void VirtualThread::watch() {
  poll_.watches = true;
  poll_.signal->add(*this);
}

void VirtualThread::at_burst_end() {
  account();
  VirtualNode& node = virtual_node();
  if (!effects_.empty()) {
    VirtualThread* const outer = std::exchange(node.executing_, this);
    effects_.perform_first();
    node.executing_ = outer;
    const bool owes = !effects_.empty() || has_pending() || lost_executing_ != Time();
    if (owes || resched_) {
      begin_leg();
      return;
    }
  }
  if (!poll_.next) {
    run_fiber();
    return;
  }
  poll_.next = false;
  if (poll_.signal->epoch() == poll_.seen && aside_ == nullptr) {
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
  state_.become(ThreadState::running);
  burst_.start = virtual_node().domain_.now();
  burst_.end = burst_.start + stretched(length);
  schedule(burst_.end, burst_end, ++plan_);
}

void VirtualThread::speed_changed(int speed) {
  const Time now = virtual_node().domain_.now();
  const bool bursts = state_ == ThreadState::running && mode_ == Mode::compute &&
                      virtual_node().executing_ != this && burst_.end > now;
  const Time work = bursts ? unstretched(burst_.end - now) : Time();
  speed_ = speed;
  if (!bursts) return;
  burst_.end = now + stretched(work);
  if (!poll_.unseen) schedule(burst_.end, burst_end, ++plan_);
}

void VirtualThread::account() { cpu_time_ += virtual_node().domain_.now() - burst_.start; }

// ---- what the CPU does to the thread

void VirtualThread::switched_in(Time kernel_busy) {
  const Time lead = kernel_busy + std::exchange(off_.dispatch_cost, Time());
  const Time now = virtual_node().domain_.now();
  speed_ = own_cpu().speed();
  if (std::exchange(off_.preempted, false)) stolen_ += now - off_.since + lead;
  switch (mode_) {
    case Mode::compute:
      begin_burst(lead + std::exchange(off_.remaining, Time()));
      break;
    case Mode::spin:
      state_.become(ThreadState::spinning);
      poll_.start = now + lead;
      burst_.start = now;
      if (boundary_needed()) arm_boundary();
      break;
    case Mode::recheck:
      begin_recheck(lead);
      break;
  }
}

void VirtualThread::begin_recheck(Time lead) {
  VirtualNode& node = virtual_node();
  if (wait_.interrupt == nullptr || wait_.interrupt->ready()) {
    ++node.statistics_.threads_woken;
    wait_.answered = true;
    node.unregister_waiter(*this);
    mode_ = Mode::compute;
    begin_burst(lead + node.wake_cost());
  } else {
    // In vain, but all the same the CPU switches to the thread for its look.
    const Parameters& p = node.parameters_;
    ++node.statistics_.empty_wakeups;
    state_.become(ThreadState::running);
    burst_.start = node.domain_.now();
    schedule(burst_.start + lead + p.context_switch + p.kernel_recheck, recheck_end, ++plan_);
  }
}

void VirtualThread::switched_out(bool preempted) {
  catch_up_unseen();
  if (std::exchange(poll_.unseen, false)) stop_watching();
  const Time now = virtual_node().domain_.now();
  const Parameters& p = virtual_node().parameters_;
  account();
  ++plan_;  // no event of the present burst or spin counts any more
  poll_.boundary_armed = false;
  off_.remaining = state_ == ThreadState::spinning ? Time() : unstretched(burst_.end - now);
  state_.become(ThreadState::ready);
  off_.dispatch_cost = preempted ? p.context_switch + p.cache_refill : p.context_switch;
  off_.preempted = preempted;
  off_.since = now;
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
  if (state_ == ThreadState::spinning) {
    // The polling loop goes on where it stopped: its phase is kept.
    const Time elapsed = now - poll_.start;
    const Time phase =
        elapsed > Time() ? Time::picoseconds(elapsed.ps() % poll_.period.ps()) : elapsed;
    poll_.start = now + length - phase;
    if (std::exchange(poll_.boundary_armed, false)) {
      ++plan_;
      arm_boundary();
    }
  } else if (mode_ == Mode::compute) {
    burst_.end += length;
    if (!poll_.unseen) schedule(burst_.end, burst_end, ++plan_);
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
  if (virtual_node().halted()) [[unlikely]]
    return;
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
      if (wait_.interrupt == nullptr || wait_.interrupt->ready()) {
        --virtual_node().statistics_.empty_wakeups;
        begin_recheck(Time());
      } else if (wait_.why == Wait::expired) {
        virtual_node().unregister_waiter(*this);
        mode_ = Mode::compute;
        begin_burst(virtual_node().wake_cost());
      } else {
        state_.become(ThreadState::blocked);
        own_cpu().leave(*this);
      }
      break;
    case timer:
      if (generation != wait_.generation) return;
      if (state_ != ThreadState::blocked) {
        if (mode_ == Mode::recheck) wait_.why = Wait::expired;
        return;
      }
      if (wait_.why == Wait::interrupt) virtual_node().unregister_waiter(*this);
      wake(virtual_node().wake_cost(), true);
      break;
    case woken:
      if (generation != wait_.generation) return;
      wait_.wake_pending = false;
      if (state_ == ThreadState::blocked) virtual_node().make_ready(*this);
      break;
  }
}

// ---- blocking

void VirtualThread::block(Wait why) {
  wait_.why = why;
  state_.become(ThreadState::blocked);
  mode_ = Mode::compute;
  off_.remaining = Time();
  ++wait_.generation;
  own_cpu().leave(*this);
  fiber_.suspend();
  wait_.why = Wait::none;
  virtual_node().domain_.record(woken_up, source_.id);
}

void VirtualThread::wake(Time cost, bool long_sleep) {
  ++wait_.generation;
  mode_ = Mode::compute;
  off_.remaining = Time();
  off_.dispatch_cost = cost;
  wait_.long_sleep = long_sleep;
  virtual_node().make_ready(*this);
}

bool VirtualThread::wait_interrupt(const InterruptWaiter& waiter, Time deadline) {
  sync();
  VirtualNode& node = virtual_node();
  if (waiter.ready()) return true;
  if (deadline <= node.domain_.now()) return false;
  do {
    if (aside_ != nullptr) run_aside();
    wait_.interrupt = &waiter;
    wait_.answered = false;
    wait_.wake_pending = false;
    node.register_waiter(*this);
    if (deadline != Time::max()) schedule(deadline, timer, wait_.generation + 1);
    block(Wait::interrupt);
    wait_.interrupt = nullptr;
  } while (aside_ != nullptr && !wait_.answered && !waiter.ready() &&
           node.domain_.now() < deadline);
  return wait_.answered || (aside_ != nullptr && waiter.ready());
}

void VirtualThread::sleep_until(Time wake_up) {
  sync();
  if (wake_up <= virtual_node().domain_.now()) return;
  schedule(wake_up, timer, wait_.generation + 1);
  block(Wait::sleep);
  if (aside_ != nullptr) run_aside();
}

// ---- called aside

void VirtualThread::call_aside(Aside& aside) {
  aside_ = &aside;
  catch_up_unseen();
  if (state_ == ThreadState::spinning) {
    arm_boundary();
  } else if (std::exchange(poll_.unseen, false)) {
    schedule(burst_.end, burst_end, ++plan_);
  } else if (state_ == ThreadState::blocked && wait_.why == Wait::interrupt) {
    virtual_node().unregister_waiter(*this);
    wake(virtual_node().wake_cost(), true);
  } else if (state_ == ThreadState::blocked && wait_.why == Wait::sleep) {
    wake(virtual_node().wake_cost(), true);
  }
}

void VirtualThread::run_aside() { std::exchange(aside_, nullptr)->run(); }

void VirtualThread::yield() {
  charge(virtual_node().parameters_.system_call);
  sync();
  if (!own_cpu().has_ready()) return;
  mode_ = Mode::compute;
  burst_.start = burst_.end = virtual_node().domain_.now();
  own_cpu().rotate(*this);
  fiber_.suspend();
}

bool VirtualThread::use_service_cpus() {
  const auto& service = virtual_node().placement_->service_cpus;
  if (service.empty()) return false;
  run_on(service);
  return true;
}

void VirtualThread::run_on(const std::vector<int>& cpus) {
  sync();
  allowed_ = &cpus;
  if (contains(cpus, cpu_)) return;
  // Migrates at once: off its CPU, ready on one of the others.
  state_.become(ThreadState::blocked);
  own_cpu().leave(*this);
  wake(virtual_node().parameters_.context_switch, false);
  fiber_.suspend();
}

// ---- measured computing

void VirtualThread::measure() {
  hear_of_calls();
  own_.begin(virtual_node().machine_.cpu_clock());
}

Time VirtualThread::own_time() const {
  return virtual_node().domain_.now() + effects_.work() + pending();
}

void VirtualThread::observe_call(Occurrence::Kind kind, const LibraryCall* call) const {
  observe(virtual_node().domain_, [&] { return observed(kind, *this, own_time(), call); });
}

void VirtualThread::left_library(const LibraryCall* call) {
  observe_call(Occurrence::Kind::call_ended, call);
  if (aside_ != nullptr) [[unlikely]]
    run_aside();
  own_.restart();
}

/// What a program's frames have ruined beyond its stack must not be looked at.
void VirtualThread::entered_library() {
  fiber_.look_at_stack();
  if (own_.measured()) charge_own_computing();
  call_begun_ = own_time();
  observe_call(Occurrence::Kind::call_begun, library_call());
}

/// A program that looks at the clock again and again computes: what its looks take on the host
/// counts as its own, and not each of them is waited for by all others.
Time VirtualThread::look_at_clock(const char* function) {
  constexpr Time ahead = Time::microseconds(10);
  if (own_.measured() && library_depth() == 0) {
    charge_own_computing();
    const Time read = own_time();
    if (read - virtual_node().domain_.now() < ahead) return read;
  }
  const LibraryCall call(function);
  return now();
}

void VirtualThread::charge_own_computing() {
  const double factor =
      static_cast<double>(virtual_node().parameters_.compute_factor_percent) / 100;
  charge(Time::nanoseconds(static_cast<double>(own_.take_ns()) * factor));
}

std::size_t VirtualThread::context(std::span<void*> to) const {
  if (this_thread_or_null() == this) return own_context(to);
  const void* const frame = fiber_.left_at();
  return frame == nullptr ? 0 : context_from(frame, to);
}

std::string_view VirtualThread::waiting_for() const {
  switch (state_) {
    case ThreadState::running:
      if (!poll_.unseen && brings_news()) return "computes";
      [[fallthrough]];
    case ThreadState::spinning:
      return "polls for a message or completion";
    case ThreadState::ready:
      return "waits for a CPU";
    case ThreadState::finished:
      return "has ended";
    case ThreadState::blocked:
      break;
  }
  switch (wait_.why) {
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
