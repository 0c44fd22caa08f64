// ARMCI's packing loops beside memcpy: strided and listed runs of several lengths.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "armci/core/patch.h"

namespace {

constexpr std::int64_t most_bytes = 128 << 10;  ///< data: they and the patch stay in the cache

/// Runs as far apart again as they are long, in `levels` levels: so many in each level that
/// there are about `runs` of them.
armci::Patch strided(std::vector<std::byte>& memory, std::int64_t run_bytes, int levels) {
  armci::Patch patch;
  const std::int64_t runs = most_bytes / run_bytes;
  patch.strides.levels = levels;
  patch.strides.count[0] = run_bytes;
  std::int64_t distance = 2 * run_bytes;
  std::int64_t left = runs;
  for (std::size_t level = 1; level <= static_cast<std::size_t>(levels); ++level) {
    const std::int64_t count = level == static_cast<std::size_t>(levels) ? left : 4;
    patch.strides.count[level] = count;
    patch.strides.stride[level - 1] = distance;
    distance = distance * count + run_bytes;
    left /= 4;
  }
  memory.resize(static_cast<std::size_t>(distance));
  patch.base = memory.data();
  return patch;
}

armci::Patch listed(std::vector<std::byte>& memory, std::int64_t run_bytes) {
  armci::Patch patch = strided(memory, run_bytes, 1);
  patch.listed = true;
  for (std::int64_t i = 0; i < patch.strides.count[1]; ++i) {
    patch.list.push_back(i * patch.strides.stride[0]);
  }
  return patch;
}

enum class Direction { in, out };

void move_runs(benchmark::State& state, const armci::Patch& patch, Direction direction) {
  std::vector<std::byte> packed(static_cast<std::size_t>(patch.bytes()));
  for (auto _ : state) {
    if (direction == Direction::in) {
      armci::pack(patch, 0, patch.runs(), packed.data());
    } else {
      armci::unpack(patch, 0, patch.runs(), packed.data());
    }
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * patch.bytes());
  state.counters["ns/run"] =
      benchmark::Counter(static_cast<double>(state.iterations() * patch.runs()) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void pack_strided(benchmark::State& state) {
  std::vector<std::byte> memory;
  move_runs(state, strided(memory, state.range(0), static_cast<int>(state.range(1))),
            Direction::in);
}
void unpack_strided(benchmark::State& state) {
  std::vector<std::byte> memory;
  move_runs(state, strided(memory, state.range(0), static_cast<int>(state.range(1))),
            Direction::out);
}
void pack_listed(benchmark::State& state) {
  std::vector<std::byte> memory;
  move_runs(state, listed(memory, state.range(0)), Direction::in);
}
void unpack_listed(benchmark::State& state) {
  std::vector<std::byte> memory;
  move_runs(state, listed(memory, state.range(0)), Direction::out);
}

/// What the others are to be compared with: one run.
void contiguous(benchmark::State& state) {
  std::vector<std::byte> memory;
  move_runs(state, strided(memory, most_bytes, 0), Direction::in);
}
BENCHMARK(contiguous);

void strides(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"bytes", "levels"});
  for (const int run_bytes : {8, 16, 24, 128, 1024, 16384}) bench->Args({run_bytes, 1});
  for (const int run_bytes : {8, 1024}) bench->Args({run_bytes, 2})->Args({run_bytes, 4});
}
BENCHMARK(pack_strided)->Apply(strides);
BENCHMARK(unpack_strided)->Apply(strides);
BENCHMARK(pack_listed)->ArgName("bytes")->Arg(8)->Arg(24)->Arg(128)->Arg(1024);
BENCHMARK(unpack_listed)->ArgName("bytes")->Arg(8)->Arg(24)->Arg(128)->Arg(1024);

}  // namespace
