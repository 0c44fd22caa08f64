// What a run's network has come to, on standard error.
#pragma once

#include "launch/virtual_run/virtual_run.h"

namespace launch {

/// Whether fidelity message is good to 2 % for what the run was.
void print_backlog(const VirtualRun& run);
/// What has gone wrong in the network, of a run in which something was to.
void print_faults(const VirtualRun& run);

}  // namespace launch
