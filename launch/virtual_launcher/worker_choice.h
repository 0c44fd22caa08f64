// How many workers run a job.
#pragma once

#include <cstddef>
#include <string>

#include "launch/description/options.h"
#include "launch/virtual_run/virtual_run.h"

namespace launch {

struct WorkerChoice {
  std::size_t count = 1;
  std::string why_fewer;  ///< than the option asks for; empty: they are not
};

/// As many as CASTOR_WORKERS says. There are no more than blocks of nodes, nor, if --workers has
/// set it, than CPUs; 0, `auto`, is as many as gain something. A job that is `measured` has one:
/// its threads' time is a CPU's.
WorkerChoice choose_workers(const AprunOptions& options, const JobRequest& request, bool measured);

}  // namespace launch
