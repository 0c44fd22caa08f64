// Runs a benchmark's loop on the ranks of a modelled job.
#pragma once

#include <functional>

#include "launch/virtual_run/virtual_run.h"

namespace engine_benchmark {

/// `body` runs as every rank's main thread, ranks in blocks of `ranks_per_node` from node 0 on.
/// Null, or what went wrong.
inline const char* run_ranks(int ranks, int ranks_per_node,
                             const std::function<void(int rank)>& body) {
  launch::JobRequest request;
  request.system = "4x4x4";
  request.ranks = ranks;
  request.placement.ranks_per_node = ranks_per_node;
  launch::VirtualRun run(request);
  run.start([&body](corespec::Process& process) {
    body(process.rank());
    return 0;
  });
  const corespec::VirtualMachine::Result result = run.run();
  if (result.deadlock) return "the job hangs";
  return run.job().end().aborted ? "the job aborted" : nullptr;
}

}  // namespace engine_benchmark
