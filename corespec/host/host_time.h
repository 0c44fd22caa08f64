// The host's clocks: how long a program's own code really computed, how long a run has taken.
#pragma once

#include <cstdint>

namespace corespec {

/// CPU time of the calling OS thread in nanoseconds. A signal handler may ask.
std::int64_t host_cpu_time_ns();

/// The host's monotonic clock in nanoseconds. A signal handler may ask.
std::int64_t host_time_ns();

}  // namespace corespec
