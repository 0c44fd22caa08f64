// How many workers run a job.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launch/description/options.h"
#include "launch/virtual_run/virtual_run.h"
#include "launch/workers/hosts.h"

namespace launch {

struct WorkerChoice {
  std::vector<std::size_t> of_hosts{1};
  std::string why_fewer;  ///< than the option asks for; empty: they are not
  std::size_t count() const;
};

/// As many as CASTOR_WORKERS says, on each host. There are no more than blocks of nodes, nor, if
/// --workers has set it, than CPUs; 0, `auto`, is as many as gain something. A job that is
/// `measured` has one: its threads' time is a CPU's. `hosts`: null if there is one. Throws
/// UsageError if the job cannot be run by as many hosts.
WorkerChoice choose_workers(const AprunOptions& options, const JobRequest& request, bool measured,
                            const Hosts* hosts);

}  // namespace launch
