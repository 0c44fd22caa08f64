// A thread of the operating system: where it may run, how it starts and ends.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "corespec/host/futex.h"

namespace corespec {

class OsThread {
 public:
  struct Options {
    std::string name;              ///< up to 15 characters, as the system's tools show it
    std::vector<int> cpus;         ///< the system's numbers; empty: wherever the caller may run
    bool takes_signals = false;    ///< else the program's other threads handle what is sent to it
    bool exact_deadlines = false;  ///< wakes up on time, not when it suits other timers
    /// Runs at once when it is woken, even if another thread computes on its CPU, and not for long:
    /// Linux 6.12 and later; others decide by what each has used.
    bool short_turns = false;
  };

  /// Throws std::runtime_error with one line if the system refuses.
  OsThread(const Options& options, std::function<void()> body);
  /// Joins.
  ~OsThread();
  OsThread(const OsThread&) = delete;
  OsThread& operator=(const OsThread&) = delete;

  void join();
  pthread_t handle() const { return handle_; }

  /// Binds the calling thread; false if the system refuses.
  static bool bind_caller(const std::vector<int>& cpus);
  /// Binds a thread of any process of the same user to one CPU; false if the system refuses.
  static bool bind(int id, int cpu);
  /// What the calling thread is bound to, ascending; empty if the system does not say.
  static std::vector<int> cpus_of_caller();
  /// The calling thread sleeps for that long and some 50 us, and others on its CPU run. Instead of
  /// sched_yield() in a loop: under Linux 6.18 processes that can always run may keep those of
  /// other sessions from the CPUs for minutes (docs/decisions/0012-which-live-thread-works.md).
  static void rest(std::int64_t nanoseconds = 1);
  /// The calling thread's number, as /proc knows it.
  static int caller_id();

 private:
  static void* main(void* self);

  std::function<void()> body_;
  bool exact_deadlines_;
  bool short_turns_;
  bool joined_ = false;
  pthread_t handle_{};
};

/// Puts a cancellation of the calling thread off (pthread_cancel()). A thread that holds locks, or
/// runs what cannot be unwound, does not end in a system call.
class WithoutCancellation {
 public:
  WithoutCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~WithoutCancellation() { pthread_setcancelstate(before_, nullptr); }
  WithoutCancellation(const WithoutCancellation&) = delete;
  WithoutCancellation& operator=(const WithoutCancellation&) = delete;

  /// The thread's own state.
  int before() const { return before_; }

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

/// Between looks at what another process may change at any moment.
class Patience {
 public:
  void found_nothing() {
    if (++empty_ < looks_before_rest) {
      futex::pause();
    } else {
      OsThread::rest();
    }
  }
  void found_something() { empty_ = 0; }

 private:
  static constexpr int looks_before_rest = 100;
  int empty_ = 0;
};

}  // namespace corespec
