// A timer of a rank's.
#include "launch/libc/rank_timer.h"

#include <algorithm>
#include <utility>

namespace launch {

using corespec::Time;

RankTimer::~RankTimer() { stop(); }

Time RankTimer::now() const {
  return cpu_time_ ? rank_.main().cpu_time() : rank_.host().now(rank_.main());
}

void RankTimer::stop() {
  // What is still to come would keep the run going, and its time.
  if (std::exchange(running_, false)) rank_.host().cancel(rank_.main(), *this);
}

void RankTimer::expect(Time from_now) {
  running_ = true;
  SignalHost& host = rank_.host();
  host.schedule(rank_.main(), host.now(rank_.main()) + from_now, *this, 0);
}

void RankTimer::set(Time first, Time interval) {
  rank_.main().sync();
  stop();
  interval_ = interval;
  if (first == Time()) return;
  due_ = now() + first;
  expect(first);
}

Time RankTimer::left() const {
  rank_.main().sync();
  if (!running_) return Time();
  // It has gone off, and another event at the same time comes first.
  return std::max(due_ - now(), Time::picoseconds(1));
}

void RankTimer::fire(std::uint64_t) {
  running_ = false;
  const Time present = now();
  if (present < due_) {  // the CPU has not been the rank's all the time
    expect(due_ - present);
    return;
  }
  if (interval_ != Time()) {
    due_ += interval_;
    expect(interval_);
  }
  if (signal_ == 0) return;
  siginfo_t info{};
  info.si_signo = signal_;
  info.si_code = id_ < 0 ? SI_KERNEL : SI_TIMER;
  if (id_ >= 0) {
    info.si_timerid = id_;
    info.si_value = value_;
  }
  rank_.post(signal_, info);
}

}  // namespace launch
