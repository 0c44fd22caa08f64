// Says in one line which rank a fatal signal ended.
#pragma once

#include <signal.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "launch/reports/job_output.h"

namespace launch {

class VirtualRun;

/// While it exists: if the code of a rank crashes (SIGSEGV, SIGABRT and their like) or sends
/// itself a signal that ends a process, the run ends with 128 + signal after the lines that ALPS
/// would leave; if its stack has overflowed they say so. Signals that others send to aprun end it
/// as they would without this. A handler that was there before stays (a sanitizer's), and a program
/// may install its own over this one.
class CrashReport {
 public:
  /// `output`: what ranks have written and is still there is printed first, but the end of the
  /// rank's last line of standard error, if it is unfinished, behind the lines.
  /// `missing_library`: the name that the dynamic loader has of the library whose symbols stand for
  /// what no library has (MissingLibrary), or empty.
  CrashReport(VirtualRun& run, std::uint64_t apid, JobOutput& output,
              const std::string& missing_library);
  ~CrashReport();
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

 private:
  const std::string missing_library_;
  std::array<std::byte, 65536> stack_;  ///< the handler's: the rank's own may be what is full
  stack_t previous_stack_{};
};

}  // namespace launch
