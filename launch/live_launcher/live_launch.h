// Starts the processes of a live job and sees to their end: what aprun --clock live does.
#pragma once

#include "launch/description/options.h"

namespace launch {

/// Runs the job on this host; returns aprun's exit code: 0 if all ranks return 0, else the first
/// other one, 128 and a signal's number, or 2 and 1 as in virtual time. Throws UsageError,
/// LoadError, std::invalid_argument or std::runtime_error (one line each) before anything runs.
/// Call it once, before the process has threads.
int launch_live(const AprunOptions& options);

}  // namespace launch
