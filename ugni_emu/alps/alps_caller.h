// The rank that calls an ALPS function.
#pragma once

#include <cerrno>

#include "corespec/job/adopt_process.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"

namespace alps {

/// The calling rank; errno is ESRCH where there is none.
inline corespec::Process* caller() {
  corespec::Process* const process = corespec::adopt_process();
  if (process == nullptr) errno = ESRCH;
  return process;
}

}  // namespace alps
