// The host's clocks.
#include "corespec/host/host_time.h"

#include <time.h>

#include <sys/syscall.h>
#include <unistd.h>

namespace corespec {
namespace {

/// Past libc: a launcher gives clock_gettime() a virtual meaning.
std::int64_t read_ns(clockid_t clock) {
  timespec now{};
  syscall(SYS_clock_gettime, clock, &now);
  return std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

}  // namespace

std::int64_t host_cpu_time_ns() { return read_ns(CLOCK_THREAD_CPUTIME_ID); }

std::int64_t host_time_ns() { return read_ns(CLOCK_MONOTONIC); }

}  // namespace corespec
