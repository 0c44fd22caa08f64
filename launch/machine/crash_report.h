// Says in one line which rank a fatal signal ended.
#pragma once

#include <signal.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace launch {

class VirtualRun;

/// While it exists: if the code of a rank gets SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT, the run
/// ends with 128 + signal after the lines that ALPS would leave; if its stack has overflowed they
/// say so. A handler that was there before stays (a sanitizer's), and a program may install its
/// own over this one.
class CrashReport {
 public:
  CrashReport(VirtualRun& run, std::uint64_t apid);
  ~CrashReport();
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

 private:
  std::array<std::byte, 65536> stack_;  ///< the handler's: the rank's own may be what is full
  stack_t previous_stack_{};
};

}  // namespace launch
