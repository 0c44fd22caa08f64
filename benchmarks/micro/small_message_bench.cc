// Whole 8-byte MPI messages per second: a ping-pong of two ranks, every layer included.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "benchmarks/micro/rank_run.h"
#include "netmod/include/mpi.h"

namespace {

enum Tag { tag_ping, tag_stop };

/// Rank 0's side: one round trip per iteration, two messages.
void ping(benchmark::State& state) {
  std::uint64_t value = 0;
  for (auto _ : state) {
    MPI_Send(&value, sizeof value, MPI_BYTE, 1, tag_ping, MPI_COMM_WORLD);
    MPI_Recv(&value, sizeof value, MPI_BYTE, 1, tag_ping, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (value != static_cast<std::uint64_t>(state.iterations())) state.SkipWithError("wrong data");
  MPI_Send(&value, sizeof value, MPI_BYTE, 1, tag_stop, MPI_COMM_WORLD);
  state.SetItemsProcessed(2 * state.iterations());
}

/// Rank 1's side: sends back one more than came.
void pong() {
  for (;;) {
    std::uint64_t value = 0;
    MPI_Status status;
    MPI_Recv(&value, sizeof value, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == tag_stop) return;
    ++value;
    MPI_Send(&value, sizeof value, MPI_BYTE, 0, tag_ping, MPI_COMM_WORLD);
  }
}

void ping_pong(benchmark::State& state, int ranks_per_node) {
  const char* error = engine_benchmark::run_ranks(2, ranks_per_node, [&state](int rank) {
    MPI_Init(nullptr, nullptr);
    if (rank == 0) {
      ping(state);
    } else {
      pong();
    }
    MPI_Finalize();
  });
  if (error != nullptr) state.SkipWithError(error);
}

void between_nodes(benchmark::State& state) { ping_pong(state, 1); }
BENCHMARK(between_nodes);

void within_a_node(benchmark::State& state) { ping_pong(state, 2); }
BENCHMARK(within_a_node);

}  // namespace
