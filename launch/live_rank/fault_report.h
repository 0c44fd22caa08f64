// Says what a rank of a live job was doing when a fatal signal came.
#pragma once

#include <cstddef>
#include <memory>

#include "corespec/threads/process.h"

namespace launch {

/// While it exists: a fault of this process (SIGSEGV, SIGABRT and their like) is told to the
/// launcher, with its address and the library call that the thread is in, or, without our launcher,
/// printed. Then the signal does what it would have done without this. So it is with a handler that
/// the program has set before: of a fault in the program's own code nothing is told then, as it may
/// be the handler's daily work. A handler set later takes this one's place.
class FaultReport {
 public:
  /// Made by the main thread, which gets an alternate stack for its handlers if it has none.
  explicit FaultReport(const corespec::Process& process);
  ~FaultReport();
  FaultReport(const FaultReport&) = delete;
  FaultReport& operator=(const FaultReport&) = delete;

 private:
  std::unique_ptr<std::byte[]> stack_;  ///< null: the thread has another
  int thread_;                          ///< whose stack that is: the system's number
};

}  // namespace launch
