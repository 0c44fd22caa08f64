// Runs a benchmark's loop on rank 0 of a modelled job.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>

#include "launch/machine/virtual_run.h"

namespace engine_benchmark {

/// `body` runs as every rank's main thread, ranks in blocks of `ranks_per_node` from node 0 on. A
/// deadlock or an abort makes the benchmark fail.
inline void run_ranks(benchmark::State& state, int ranks, int ranks_per_node,
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
  if (result.deadlock) state.SkipWithError("the job hangs");
  if (run.job().end().aborted) state.SkipWithError("the job aborted");
}

}  // namespace engine_benchmark
