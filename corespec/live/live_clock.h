// The live clock: the host's monotonic clock, counted from the job's start.
#pragma once

#include <atomic>
#include <cstdint>

#include "corespec/time/time.h"

namespace corespec {

/// Time since the job's start. All processes of a host read the same monotonic clock, so their
/// times agree; a correction makes those of another host agree with the first one's.
class LiveClock {
 public:
  /// Nanoseconds of the host's monotonic clock, now.
  static std::int64_t host_nanoseconds();

  /// `start`: host_nanoseconds() at the job's start, the same in every process of a host.
  explicit LiveClock(std::int64_t start) : start_(start) {}

  Time now() const;
  /// The host's clock at which now() is `time`, in nanoseconds (rounded up); the largest value if
  /// it is never reached.
  std::int64_t host_nanoseconds_at(Time time) const;

  /// Adds to what now() says. Before anything is scheduled.
  void correct(Time correction);

 private:
  std::int64_t start_;
  std::atomic<std::int64_t> correction_ps_{0};
};

}  // namespace corespec
