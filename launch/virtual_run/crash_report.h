// Says in one line which rank a fatal signal ended.
#pragma once

#include <signal.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace launch {

class VirtualRun;

/// While it exists: if the code of a rank crashes (SIGSEGV, SIGABRT and their like) or sends
/// itself a signal that ends a process, the run ends with 128 + signal after the lines that ALPS
/// would leave; if its stack has overflowed they say so. Signals that others send to aprun end it
/// as they would without this. A handler that was there before stays (a sanitizer's), and a program
/// may install its own over this one.
class CrashReport {
 public:
  /// `unfinished(rank)` is what the rank has written of a line of standard error that waits for its
  /// end; it is printed too, and must be safe to call in a signal handler.
  /// `missing_library`: the name that the dynamic loader has of the library whose symbols stand for
  /// what no library has (MissingLibrary), or empty.
  CrashReport(VirtualRun& run, std::uint64_t apid, std::string_view (*unfinished)(int rank),
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
