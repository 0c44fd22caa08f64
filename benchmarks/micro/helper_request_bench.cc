// Whole ARMCI requests through the helper thread of another node: the host's time for each.
#include <benchmark/benchmark.h>

#include <functional>
#include <vector>

#include "armci/include/armci.h"
#include "benchmarks/micro/rank_run.h"

namespace {

/// The memory that the caller's operations are about.
struct Places {
  std::vector<char>& own;
  char* there;
};

/// Rank 0 calls `operation` in each iteration, and fences, while rank 1 waits at a barrier: what is
/// done for it, its node's helper does.
void requests(benchmark::State& state, const std::function<int(const Places&)>& operation) {
  const char* error = engine_benchmark::run_ranks(2, 1, [&](int rank) {
    MPI_Init(nullptr, nullptr);
    ARMCI_Init();
    void* all[2];
    ARMCI_Malloc(all, 1 << 20);
    std::vector<char> own(1 << 20);
    if (rank == 0) {
      const Places places{own, static_cast<char*>(all[1])};
      for (auto _ : state) {
        if (operation(places) != 0) state.SkipWithError("the operation fails");
        ARMCI_Fence(1);
      }
      state.SetItemsProcessed(state.iterations());
    }
    ARMCI_Barrier();
    ARMCI_Free(all[rank]);
    ARMCI_Finalize();
    MPI_Finalize();
  });
  if (error != nullptr) state.SkipWithError(error);
}

int bytes_of(const benchmark::State& state) { return static_cast<int>(state.range(0)); }

/// Eager up to 2 KB, above that fetched by the helper.
void put(benchmark::State& state) {
  requests(state, [&](const Places& at) {
    return ARMCI_Put(at.own.data(), at.there, bytes_of(state), 1);
  });
}
BENCHMARK(put)->ArgName("bytes")->Arg(8)->Arg(2048)->Arg(65536);

void get(benchmark::State& state) {
  requests(state, [&](const Places& at) {
    return ARMCI_Get(at.there, at.own.data(), bytes_of(state), 1);
  });
}
BENCHMARK(get)->ArgName("bytes")->Arg(8)->Arg(2048)->Arg(65536);

void accumulate(benchmark::State& state) {
  requests(state, [&](const Places& at) {
    double one = 1;
    return ARMCI_Acc(ARMCI_ACC_DBL, &one, at.own.data(), at.there, bytes_of(state), 1);
  });
}
BENCHMARK(accumulate)->ArgName("bytes")->Arg(8)->Arg(2048)->Arg(65536);

/// Runs of 8 bytes, a quarter of what they span.
void put_strided(benchmark::State& state) {
  requests(state, [&](const Places& at) {
    int count[] = {8, bytes_of(state) / 8};
    int stride[] = {32};
    return ARMCI_PutS(at.own.data(), stride, at.there, stride, count, 1, 1);
  });
}
BENCHMARK(put_strided)->ArgName("bytes")->Arg(2048)->Arg(65536);

void read_modify_write(benchmark::State& state) {
  requests(state, [](const Places& at) {
    long old = 0;
    return ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, at.there, 1, 1);
  });
}
BENCHMARK(read_modify_write);

}  // namespace
