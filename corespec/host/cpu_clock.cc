// The CPU time of an OS thread, read often and cheaply.
#include "corespec/host/cpu_clock.h"

#include <dlfcn.h>
#include <time.h>

#include "corespec/host/check.h"
#include "corespec/host/host_time.h"

namespace corespec {
namespace {

/// The C library's own: a launcher gives clock_gettime() a virtual meaning, and the system call is
/// what this clock avoids.
CpuClock::Read c_library_clock() {
  void* const library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  CASTOR_CHECK(library != nullptr, "no C library in the process");
  void* const function = dlsym(library, "clock_gettime");
  dlclose(library);  // it stays: everything needs it
  CASTOR_CHECK(function != nullptr, "a C library without clock_gettime");
  return reinterpret_cast<CpuClock::Read>(function);
}

}  // namespace

CpuClock::CpuClock() : monotonic_(c_library_clock()) {}

std::int64_t CpuClock::now_ns() {
  timespec read{};
  monotonic_(CLOCK_MONOTONIC, &read);
  const std::int64_t now = std::int64_t{read.tv_sec} * 1000000000 + read.tv_nsec;
  if (now - last_ >= close_ns) without_cpu_ = now - host_cpu_time_ns();
  last_ = now;
  return now - without_cpu_;
}

}  // namespace corespec
