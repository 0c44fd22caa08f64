// A program's first call to one of the libraries: which rank is it?
#pragma once

#include "corespec/threads/process.h"

namespace corespec {

/// The calling rank's process. A program that was not started as a rank of this process's machine
/// becomes one now: the launch layer, above all others, provides the function that does it
/// (castor_adopt_singleton in libcastor_launch.so). Null if it cannot: what is wrong has been said,
/// in one line on standard error. Not to be called within a LibraryCall: there may be no thread
/// before.
Process* adopt_process();

}  // namespace corespec
