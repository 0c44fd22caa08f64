// The host's CPU clock.
#include "corespec/virtual/host_cpu_time.h"

#include <time.h>

#include <sys/syscall.h>
#include <unistd.h>

namespace corespec {

std::int64_t host_cpu_time_ns() {
  // Past libc: a launcher gives clock_gettime() a virtual meaning.
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

}  // namespace corespec
