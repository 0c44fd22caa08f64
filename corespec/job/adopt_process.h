// A program's first call to one of the libraries: which rank is it?
#pragma once

#include "corespec/threads/process.h"
#include "corespec/threads/thread.h"

namespace corespec {

/// The calling rank's process. A program that was not started as a rank of this process's machine
/// becomes one now: the launch layer, above all others, provides the function that does it
/// (castor_adopt_singleton in libcastor_launch.so). Null if it cannot: what is wrong has been said,
/// in one line on standard error, or the process has left its machine. Not to be called within a
/// LibraryCall: there may be no thread before.
Process* adopt_process();

/// The calling thread, or null, in the same way: what a LibraryCall of a call begins with that a
/// program may make first.
inline Thread* adopt_thread() {
  Thread* const thread = this_thread_or_null();
  if (__builtin_expect(thread != nullptr, 1)) return thread;
  adopt_process();
  return this_thread_or_null();
}

}  // namespace corespec
