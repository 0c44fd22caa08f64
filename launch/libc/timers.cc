// Interposed libc: timers that send signals, which on a rank go by virtual time.
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "launch/libc/rank_signals.h"
#include "launch/libc/rank_timer.h"
#include "launch/libc/real.h"

using corespec::Time;
using launch::rank_signals_or_null;
using launch::RankSignals;
using launch::RankTimer;
using launch::real_function;

namespace {

constexpr std::int64_t ps_per_ns = 1000;
constexpr std::int64_t ps_per_us = 1000000;
constexpr std::int64_t ps_per_s = 1000000000000;
constexpr std::int64_t longest_s = 4000000;  // some 46 days: what Time holds, twice
constexpr std::size_t first_made = 3;        // of timer_create(); those before are setitimer()'s

int failed(int error) {
  errno = error;
  return -1;
}

Time from_parts(std::int64_t seconds, std::int64_t rest_ps) {
  return Time::picoseconds(std::min(seconds, longest_s) * ps_per_s + rest_ps);
}

bool is_valid(const timeval& time) {
  return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < 1000000;
}
bool is_valid(const timespec& time) {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < 1000000000;
}
Time to_time(const timeval& time) { return from_parts(time.tv_sec, time.tv_usec * ps_per_us); }
Time to_time(const timespec& time) { return from_parts(time.tv_sec, time.tv_nsec * ps_per_ns); }

/// What is left is rounded up: zero says that a timer stands still.
timeval to_timeval(Time time) {
  const std::int64_t us = (time.ps() + ps_per_us - 1) / ps_per_us;
  return {us / 1000000, us % 1000000};
}
timespec to_timespec(Time time) {
  const std::int64_t ns = (time.ps() + ps_per_ns - 1) / ps_per_ns;
  return {ns / 1000000000, ns % 1000000000};
}

itimerval value_of(const RankTimer& timer) {
  return {to_timeval(timer.interval()), to_timeval(timer.left())};
}

/// That timer_create() has made and timer_delete() has not removed.
RankTimer* made_timer_or_null(RankSignals& rank, timer_t timer) {
  const auto number = reinterpret_cast<std::size_t>(timer);
  return number < first_made ? nullptr : rank.timer(number);
}

/// From the present time of the clock: at once if it is over, but not before the call has returned.
Time from_now(clockid_t clock, const timespec& time) {
  timespec now{};
  clock_gettime(clock, &now);
  const Time left = from_parts(time.tv_sec - now.tv_sec, (time.tv_nsec - now.tv_nsec) * ps_per_ns);
  return std::max(left, Time::picoseconds(1));
}

}  // namespace

extern "C" {

int setitimer(__itimer_which_t which, const itimerval* __restrict value,
              itimerval* __restrict before) noexcept {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) {
    return real_function<int(__itimer_which_t, const itimerval*, itimerval*)>("setitimer")(
        which, value, before);
  }
  if (which < ITIMER_REAL || which > ITIMER_PROF) return failed(EINVAL);
  if (value != nullptr && !(is_valid(value->it_value) && is_valid(value->it_interval))) {
    return failed(EINVAL);
  }
  RankTimer& timer = *rank->timer(static_cast<std::size_t>(which));
  const itimerval earlier = value_of(timer);
  if (value != nullptr) timer.set(to_time(value->it_value), to_time(value->it_interval));
  if (before != nullptr) *before = earlier;
  return 0;
}

int getitimer(__itimer_which_t which, itimerval* value) noexcept {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) {
    return real_function<int(__itimer_which_t, itimerval*)>("getitimer")(which, value);
  }
  if (which < ITIMER_REAL || which > ITIMER_PROF) return failed(EINVAL);
  *value = value_of(*rank->timer(static_cast<std::size_t>(which)));
  return 0;
}

unsigned alarm(unsigned seconds) noexcept {
  if (rank_signals_or_null() == nullptr) return real_function<unsigned(unsigned)>("alarm")(seconds);
  const itimerval value{{0, 0}, {static_cast<time_t>(seconds), 0}};
  itimerval before{};
  setitimer(ITIMER_REAL, &value, &before);
  return static_cast<unsigned>(before.it_value.tv_sec + (before.it_value.tv_usec != 0 ? 1 : 0));
}

useconds_t ualarm(useconds_t first, useconds_t interval) noexcept {
  if (rank_signals_or_null() == nullptr) {
    return real_function<useconds_t(useconds_t, useconds_t)>("ualarm")(first, interval);
  }
  const auto parts = [](useconds_t us) {
    return timeval{static_cast<time_t>(us / 1000000), static_cast<suseconds_t>(us % 1000000)};
  };
  const itimerval value{parts(interval), parts(first)};
  itimerval before{};
  setitimer(ITIMER_REAL, &value, &before);
  return static_cast<useconds_t>(before.it_value.tv_sec * 1000000 + before.it_value.tv_usec);
}

int timer_create(clockid_t clock, sigevent* __restrict event, timer_t* __restrict timer) noexcept {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) {
    return real_function<int(clockid_t, sigevent*, timer_t*)>("timer_create")(clock, event, timer);
  }
  const int notification = event == nullptr ? SIGEV_SIGNAL : event->sigev_notify;
  if (notification == SIGEV_THREAD) {
    launch::refuse_on_rank("timer_create() with SIGEV_THREAD", "have the timer send a signal");
  }
  const int signal = notification == SIGEV_NONE ? 0
                     : event == nullptr         ? SIGALRM
                                                : event->sigev_signo;
  if (signal < 0 || signal >= NSIG) return failed(EINVAL);
  const std::size_t number =
      rank->make_timer(clock, signal, event == nullptr ? sigval{} : event->sigev_value);
  *timer = reinterpret_cast<timer_t>(number);
  return 0;
}

int timer_settime(timer_t timer, int flags, const itimerspec* __restrict value,
                  itimerspec* __restrict before) noexcept {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) {
    return real_function<int(timer_t, int, const itimerspec*, itimerspec*)>("timer_settime")(
        timer, flags, value, before);
  }
  RankTimer* const found = made_timer_or_null(*rank, timer);
  if (found == nullptr || value == nullptr || !is_valid(value->it_value) ||
      !is_valid(value->it_interval)) {
    return failed(EINVAL);
  }
  if (before != nullptr) *before = {to_timespec(found->interval()), to_timespec(found->left())};
  Time first = to_time(value->it_value);
  if ((flags & TIMER_ABSTIME) != 0 && first != Time()) {
    first = from_now(found->clock(), value->it_value);
  }
  found->set(first, to_time(value->it_interval));
  return 0;
}

int timer_gettime(timer_t timer, itimerspec* value) noexcept {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) {
    return real_function<int(timer_t, itimerspec*)>("timer_gettime")(timer, value);
  }
  RankTimer* const found = made_timer_or_null(*rank, timer);
  if (found == nullptr) return failed(EINVAL);
  *value = {to_timespec(found->interval()), to_timespec(found->left())};
  return 0;
}

int timer_getoverrun(timer_t timer) noexcept {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) return real_function<int(timer_t)>("timer_getoverrun")(timer);
  return made_timer_or_null(*rank, timer) == nullptr ? failed(EINVAL) : 0;
}

int timer_delete(timer_t timer) noexcept {
  RankSignals* const rank = rank_signals_or_null();
  if (rank == nullptr) return real_function<int(timer_t)>("timer_delete")(timer);
  if (made_timer_or_null(*rank, timer) == nullptr) return failed(EINVAL);
  rank->remove_timer(reinterpret_cast<std::size_t>(timer));
  return 0;
}

}  // extern "C"
