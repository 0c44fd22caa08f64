// The host's monotonic clock in the job's time.
#include "corespec/live/live_clock.h"

#include <time.h>

#include <limits>

namespace corespec {
namespace {

constexpr std::int64_t ps_per_ns = 1000;

}  // namespace

std::int64_t LiveClock::host_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Time LiveClock::now() const {
  return Time::picoseconds((host_nanoseconds() - start_) * ps_per_ns +
                           correction_ps_.load(std::memory_order_relaxed));
}

std::int64_t LiveClock::host_nanoseconds_at(Time time) const {
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  if (time == Time::max()) return never;
  std::int64_t uncorrected = 0;
  if (__builtin_sub_overflow(time.ps(), correction_ps_.load(std::memory_order_relaxed),
                             &uncorrected)) {
    return time > Time() ? never : 0;
  }
  const std::int64_t whole = uncorrected / ps_per_ns;
  return start_ + whole + (uncorrected > whole * ps_per_ns ? 1 : 0);
}

void LiveClock::correct(Time correction) {
  correction_ps_.fetch_add(correction.ps(), std::memory_order_relaxed);
}

}  // namespace corespec
