// The CPU time of an OS thread, read often and cheaply.
#pragma once

#include <time.h>

#include <cstdint>

namespace corespec {

/// Reads the CPU time of the one OS thread that uses it. The kernel's clock of CPU time takes a
/// system call (a quarter to half a microsecond); the monotonic clock is read without one. Between
/// two readings that lie close together by the monotonic clock the thread had a CPU all the time,
/// for a scheduler that takes it away keeps it for longer; so only readings that lie further apart
/// ask the kernel. A reading may be ahead of the kernel's by less than `close_ns` for each pair of
/// close readings that the thread did lose its CPU between; the next reading that asks the kernel
/// is exact again.
class CpuClock {
 public:
  /// The least that a scheduler gives another thread is above this (0.7 ms for Linux's fair class);
  /// a thread of the kernel's may need less.
  static constexpr std::int64_t close_ns = 20000;

  using Read = int (*)(clockid_t clock, timespec* result);

  CpuClock();

  /// In nanoseconds. Not for a signal handler that may have interrupted it.
  std::int64_t now_ns();

 private:
  Read monotonic_;         ///< the C library's own, past what a launcher puts before it
  std::int64_t last_ = 0;  ///< the monotonic clock at the last reading
  std::int64_t without_cpu_ =
      0;  ///< how far it was ahead of the CPU time when the kernel was asked
};

}  // namespace corespec
