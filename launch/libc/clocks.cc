// Interposed libc: clocks and sleeps, which on a rank are the machine's.
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include "corespec/threads/situation.h"
#include "corespec/threads/thread.h"
#include "launch/libc/rank_signals.h"
#include "launch/libc/real.h"

using corespec::Time;
using launch::real_function;

namespace {

/// The machine was switched on at 2011-01-01 00:00:00 UTC, in every run.
constexpr std::int64_t switched_on = 1293840000;

/// The calling thread if it runs a rank's program.
corespec::Thread* rank_thread_or_null() {
  return launch::running_program_or_null() != nullptr ? corespec::this_thread_or_null() : nullptr;
}

constexpr std::int64_t ps_per_ns = 1000;
constexpr std::int64_t ns_per_s = 1000000000;

timespec to_timespec(Time time) {
  const std::int64_t ns = time.ps() / ps_per_ns;
  return {static_cast<time_t>(ns / ns_per_s), static_cast<long>(ns % ns_per_s)};
}

bool is_valid(const timespec& time) {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < ns_per_s;
}

/// Saturates at some 100 days, more than a run can last.
Time from_timespec(const timespec& time) {
  constexpr std::int64_t longest = 8640000;
  if (time.tv_sec >= longest) return Time::seconds(static_cast<double>(longest));
  return Time::picoseconds((time.tv_sec * ns_per_s + time.tv_nsec) * ps_per_ns);
}

bool is_wall_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

bool is_cpu_clock(clockid_t clock) {
  return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

bool is_monotonic_clock(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
         clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
}

// In a measured program, what the rank has computed is charged before its clock is looked at, and
// what others compute while it sleeps is not.

Time time_of(corespec::Thread& thread) { return thread.look_at_clock("a look at the clock"); }

Time cpu_time_of(corespec::Thread& thread) {
  const corespec::LibraryCall call;
  thread.sync();
  return thread.cpu_time();
}

std::uint64_t handlers_run() {
  const launch::RankSignals* const rank = launch::existing_rank_signals_or_null();
  return rank == nullptr ? 0 : rank->handled();
}

/// False, with errno, if a signal's handler has ended the sleep.
bool sleep_until(corespec::Thread& thread, Time wake_up) {
  const std::uint64_t before = handlers_run();
  {
    const corespec::LibraryCall call("a sleep");
    while (thread.now() < wake_up && handlers_run() == before) thread.sleep_until(wake_up);
  }
  if (handlers_run() == before) return true;
  errno = EINTR;
  return false;
}

/// What is left until then.
timespec left_until(corespec::Thread& thread, Time wake_up) {
  return to_timespec(std::max(wake_up - time_of(thread), Time()));
}

/// Waits for files, in the kernel and by the host's clock: `wait(left)` does, for at most so many
/// milliseconds (negative: for ever). The launcher's own signals do not end it.
template <typename Wait>
int wait_for_files(std::int64_t timeout_ms, const Wait& wait) {
  const auto host_ms = [] {
    timespec now{};
    real_function<int(clockid_t, timespec*)>("clock_gettime")(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
  };
  const std::uint64_t handlers = handlers_run();
  const std::int64_t end = timeout_ms < 0 ? 0 : host_ms() + timeout_ms;
  for (std::int64_t left = timeout_ms;;) {
    const int result = wait(left);
    if (result >= 0 || errno != EINTR || handlers_run() != handlers) return result;
    if (timeout_ms >= 0) left = std::max<std::int64_t>(end - host_ms(), 0);
  }
}

/// Descriptors of events that only the rank itself makes, which waits, or a device of the machine.
bool are_event_files(const pollfd* files, nfds_t count) {
  constexpr std::string_view event_file = "anon_inode:[eventfd]";
  return std::all_of(files, files + count, [&](const pollfd& file) {
    std::array<char, 64> name{};
    const std::string path = "/proc/self/fd/" + std::to_string(file.fd);
    using Readlink = ssize_t(const char*, char*, std::size_t);
    const ssize_t length =
        real_function<Readlink>("readlink")(path.c_str(), name.data(), name.size());
    return length > 0 &&
           std::string_view(name.data(), static_cast<std::size_t>(length)) == event_file;
  });
}

/// Asleep until one of the files is readable, or a signal's handler has run.
class FilesWaiter final : public corespec::InterruptWaiter, public corespec::Awaited {
 public:
  FilesWaiter(corespec::Thread& thread, pollfd* files, nfds_t count)
      : Awaited(thread), files_(files), count_(count), handlers_(handlers_run()) {}
  bool ready() const override { return look() != 0 || interrupted(); }
  bool describe(corespec::Situation& to) const override {
    to.details = ": sleeps until a completion channel has an event";
    return true;
  }
  bool interrupted() const { return handlers_run() != handlers_; }
  int look() const { return real_function<int(pollfd*, nfds_t, int)>("poll")(files_, count_, 0); }

 private:
  pollfd* files_;
  nfds_t count_;
  std::uint64_t handlers_;
};

/// poll() where the machine's own time has to go on.
int wait_for_events(corespec::Thread& thread, pollfd* files, nfds_t count, int timeout_ms) {
  const corespec::LibraryCall call("poll");
  const FilesWaiter waiter(thread, files, count);
  const Time deadline =
      timeout_ms < 0 ? Time::max()
                     : thread.now() + Time::picoseconds(std::int64_t{timeout_ms} * 1000000000);
  thread.sync();
  while (!waiter.ready() && thread.wait_interrupt(waiter, deadline)) continue;
  const int result = waiter.look();
  if (result != 0 || !waiter.interrupted()) return result;
  errno = EINTR;
  return -1;
}

/// Rounded up; negative: there is none.
std::int64_t in_milliseconds(const timespec* time) {
  return time == nullptr ? -1 : time->tv_sec * 1000 + (time->tv_nsec + 999999) / 1000000;
}
timespec from_milliseconds(std::int64_t ms) {
  return {static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000 * 1000000)};
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* result) noexcept {
  corespec::Thread* thread = rank_thread_or_null();
  if (thread == nullptr ||
      !(is_wall_clock(clock) || is_cpu_clock(clock) || is_monotonic_clock(clock))) {
    static const auto real = real_function<int(clockid_t, timespec*)>("clock_gettime");
    return real(clock, result);
  }
  *result = to_timespec(is_cpu_clock(clock) ? cpu_time_of(*thread) : time_of(*thread));
  if (is_wall_clock(clock)) result->tv_sec += switched_on;
  return 0;
}

int gettimeofday(timeval* __restrict result, void* __restrict zone) noexcept {
  corespec::Thread* thread = rank_thread_or_null();
  if (thread == nullptr) {
    static const auto real = real_function<int(timeval*, void*)>("gettimeofday");
    return real(result, zone);
  }
  const timespec now = to_timespec(time_of(*thread));
  *result = {now.tv_sec + switched_on, now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* result) noexcept {
  corespec::Thread* thread = rank_thread_or_null();
  if (thread == nullptr) {
    static const auto real = real_function<time_t(time_t*)>("time");
    return real(result);
  }
  const time_t now = to_timespec(time_of(*thread)).tv_sec + switched_on;
  if (result != nullptr) *result = now;
  return now;
}

int timespec_get(timespec* result, int base) noexcept {
  if (rank_thread_or_null() == nullptr) {
    return real_function<int(timespec*, int)>("timespec_get")(result, base);
  }
  if (base != TIME_UTC) return 0;
  clock_gettime(CLOCK_REALTIME, result);
  return base;
}

clock_t clock() noexcept {
  corespec::Thread* thread = rank_thread_or_null();
  if (thread == nullptr) {
    static const auto real = real_function<clock_t()>("clock");
    return real();
  }
  return cpu_time_of(*thread).ps() / 1000000;  // CLOCKS_PER_SEC is a million
}

/// In ticks of 10 ms; all CPU time counts as the program's own.
clock_t times(tms* result) noexcept {
  corespec::Thread* thread = rank_thread_or_null();
  if (thread == nullptr) return real_function<clock_t(tms*)>("times")(result);
  constexpr std::int64_t ps_per_tick = ns_per_s / 100 * ps_per_ns;
  if (result != nullptr) *result = {cpu_time_of(*thread).ps() / ps_per_tick, 0, 0, 0};
  return time_of(*thread).ps() / ps_per_tick;
}

/// The CPU time is the rank's, the rest the process's.
int getrusage(__rusage_who_t who, rusage* result) noexcept {
  const int got = real_function<int(__rusage_who_t, rusage*)>("getrusage")(who, result);
  corespec::Thread* thread = rank_thread_or_null();
  if (thread == nullptr || got != 0 || (who != RUSAGE_SELF && who != RUSAGE_THREAD)) return got;
  const timespec used = to_timespec(cpu_time_of(*thread));
  result->ru_utime = {used.tv_sec, used.tv_nsec / 1000};
  result->ru_stime = {0, 0};
  return 0;
}

int nanosleep(const timespec* request, timespec* remaining) {
  corespec::Thread* thread = rank_thread_or_null();
  if (thread == nullptr) {
    return real_function<int(const timespec*, timespec*)>("nanosleep")(request, remaining);
  }
  if (!is_valid(*request)) {
    errno = EINVAL;
    return -1;
  }
  const Time wake_up = time_of(*thread) + from_timespec(*request);
  if (sleep_until(*thread, wake_up)) return 0;
  if (remaining != nullptr) *remaining = left_until(*thread, wake_up);
  return -1;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* request, timespec* remaining) {
  corespec::Thread* thread = rank_thread_or_null();
  if (thread == nullptr) {
    return real_function<int(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep")(
        clock, flags, request, remaining);
  }
  if (!is_valid(*request) || !(is_wall_clock(clock) || is_monotonic_clock(clock))) return EINVAL;
  if ((flags & TIMER_ABSTIME) == 0) return nanosleep(request, remaining) == 0 ? 0 : EINTR;
  timespec until = *request;
  if (is_wall_clock(clock)) until.tv_sec -= switched_on;
  return until.tv_sec < 0 || sleep_until(*thread, from_timespec(until)) ? 0 : EINTR;
}

int usleep(useconds_t microseconds) {
  corespec::Thread* thread = rank_thread_or_null();
  if (thread == nullptr) return real_function<int(useconds_t)>("usleep")(microseconds);
  const Time duration = Time::picoseconds(std::int64_t{microseconds} * 1000000);
  return sleep_until(*thread, time_of(*thread) + duration) ? 0 : -1;
}

unsigned sleep(unsigned seconds) {
  corespec::Thread* thread = rank_thread_or_null();
  if (thread == nullptr) return real_function<unsigned(unsigned)>("sleep")(seconds);
  const Time wake_up = time_of(*thread) + from_timespec({static_cast<time_t>(seconds), 0});
  if (sleep_until(*thread, wake_up)) return 0;
  const timespec left = left_until(*thread, wake_up);
  return static_cast<unsigned>(left.tv_sec + (left.tv_nsec != 0 ? 1 : 0));
}

int thrd_sleep(const timespec* request, timespec* remaining) {
  if (rank_thread_or_null() == nullptr) {
    return real_function<int(const timespec*, timespec*)>("thrd_sleep")(request, remaining);
  }
  return nanosleep(request, remaining) == 0 ? 0 : -2;  // -1 is for signals
}

int sched_yield() noexcept {
  corespec::Thread* thread = rank_thread_or_null();
  if (thread == nullptr) {
    static const auto real = real_function<int()>("sched_yield");
    return real();
  }
  const corespec::LibraryCall call("sched_yield");
  thread->yield();
  return 0;
}

// select(), poll() and their like on nothing are old ways to sleep for a fraction of a second.

int select(int count, fd_set* __restrict read, fd_set* __restrict write, fd_set* __restrict except,
           timeval* __restrict timeout) {
  using Select = int(int, fd_set*, fd_set*, fd_set*, timeval*);
  corespec::Thread* thread = rank_thread_or_null();
  if (thread == nullptr) {
    return real_function<Select>("select")(count, read, write, except, timeout);
  }
  if (count != 0 || timeout == nullptr) {
    // Linux writes what is left into `timeout`.
    return wait_for_files(-1, [&](std::int64_t) {
      return real_function<Select>("select")(count, read, write, except, timeout);
    });
  }
  const timespec duration{timeout->tv_sec, timeout->tv_usec * 1000};
  if (!is_valid(duration)) {
    errno = EINVAL;
    return -1;
  }
  return sleep_until(*thread, time_of(*thread) + from_timespec(duration)) ? 0 : -1;
}

int pselect(int count, fd_set* __restrict read, fd_set* __restrict write, fd_set* __restrict except,
            const timespec* __restrict timeout, const sigset_t* __restrict mask) {
  using Pselect = int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*);
  if (rank_thread_or_null() == nullptr) {
    return real_function<Pselect>("pselect")(count, read, write, except, timeout, mask);
  }
  if (count == 0 && timeout != nullptr) return nanosleep(timeout, nullptr);
  // The mask is the rank's, not the process's.
  return wait_for_files(in_milliseconds(timeout), [&](std::int64_t left) {
    const timespec rest = from_milliseconds(left);
    return real_function<Pselect>("pselect")(count, read, write, except, left < 0 ? nullptr : &rest,
                                             nullptr);
  });
}

int poll(pollfd* files, nfds_t count, int timeout) {
  using Poll = int(pollfd*, nfds_t, int);
  corespec::Thread* thread = rank_thread_or_null();
  if (thread == nullptr) return real_function<Poll>("poll")(files, count, timeout);
  if (count != 0 && are_event_files(files, count)) {
    return wait_for_events(*thread, files, count, timeout);
  }
  if (count != 0 || timeout < 0) {
    return wait_for_files(timeout, [&](std::int64_t left) {
      return real_function<Poll>("poll")(files, count, static_cast<int>(left));
    });
  }
  const Time duration = Time::picoseconds(std::int64_t{timeout} * 1000000000);
  return sleep_until(*thread, time_of(*thread) + duration) ? 0 : -1;
}

int ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  using Ppoll = int(pollfd*, nfds_t, const timespec*, const sigset_t*);
  if (rank_thread_or_null() == nullptr) {
    return real_function<Ppoll>("ppoll")(files, count, timeout, mask);
  }
  if (count == 0 && timeout != nullptr) return nanosleep(timeout, nullptr);
  return poll(files, count, static_cast<int>(in_milliseconds(timeout)));
}

}  // extern "C"
