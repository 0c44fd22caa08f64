// The host's CPU clock: how long a program's own code really computed.
#pragma once

#include <cstdint>

namespace corespec {

/// CPU time of the calling OS thread in nanoseconds.
std::int64_t host_cpu_time_ns();

}  // namespace corespec
