// MPI datatypes: packing and unpacking of vectors, subarrays and indexed types beside memcpy.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "netmod/mpi/datatypes/datatype_build.h"

namespace {

using netmod::Datatype;
using netmod::Dimension;
using netmod::Part;
using netmod::TypeView;

constexpr std::int64_t data_bytes = 128 << 10;  ///< packed: with their gaps still in the cache

const TypeView byte_type{MPI_BYTE, 1, 1, nullptr, netmod::find_simple(MPI_BYTE)};

Datatype vector_of(std::int64_t run) {
  const Part part{0, run, byte_type, data_bytes / run, 2 * run};
  return netmod::concatenate({&part, 1});
}

/// A cube's inner part, its rows of `run` bytes.
Datatype subarray_of(std::int64_t run) {
  const std::int64_t side = 32;
  const std::int64_t planes = std::max<std::int64_t>(1, data_bytes / run / side);
  const std::vector<Dimension> dimensions{
      {2 * run, run / 2, run}, {side + 2, 1, side}, {planes + 2, 1, planes}};
  return netmod::part_of_array(dimensions, byte_type);
}

/// Runs in an order without a rule; of unequal lengths if `unequal`.
Datatype indexed_of(std::int64_t run, bool unequal) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(data_bytes / run));
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), std::mt19937(1));
  std::vector<Part> parts;
  for (const std::int64_t place : places) {
    const std::int64_t less = unequal && place % 2 == 1 ? run / 4 : 0;
    parts.push_back({place * 2 * run, run - less, byte_type});
  }
  return netmod::concatenate(parts);
}

enum class Direction { in, out };

void move(benchmark::State& state, const Datatype& made, Direction direction) {
  const TypeView type{0, made.size, made.extent(), &made, nullptr};
  std::vector<std::byte> memory(static_cast<std::size_t>(made.ub));
  std::vector<std::byte> packed(static_cast<std::size_t>(made.size));
  for (auto _ : state) {
    if (direction == Direction::in) {
      netmod::pack(type, memory.data(), 1, packed.data());
    } else {
      netmod::unpack(type, packed.data(), made.size, memory.data());
    }
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * made.size);
  state.counters["pieces"] = static_cast<double>(made.map.footprint());
}

void pack_vector(benchmark::State& state) { move(state, vector_of(state.range(0)), Direction::in); }
void unpack_vector(benchmark::State& state) {
  move(state, vector_of(state.range(0)), Direction::out);
}
void pack_subarray(benchmark::State& state) {
  move(state, subarray_of(state.range(0)), Direction::in);
}
void unpack_subarray(benchmark::State& state) {
  move(state, subarray_of(state.range(0)), Direction::out);
}
void pack_indexed(benchmark::State& state) {
  move(state, indexed_of(state.range(0), state.range(1) != 0), Direction::in);
}
void unpack_indexed(benchmark::State& state) {
  move(state, indexed_of(state.range(0), state.range(1) != 0), Direction::out);
}

/// What the others are to be compared with: one run.
void contiguous(benchmark::State& state) {
  const Part part{0, data_bytes, byte_type};
  move(state, netmod::concatenate({&part, 1}), Direction::in);
}
BENCHMARK(contiguous);

void runs(benchmark::internal::Benchmark* bench) {
  bench->ArgName("bytes");
  for (const int run : {4, 8, 16, 48, 128, 1024}) bench->Arg(run);
}
BENCHMARK(pack_vector)->Apply(runs);
BENCHMARK(unpack_vector)->Apply(runs);
BENCHMARK(pack_subarray)->Apply(runs);
BENCHMARK(unpack_subarray)->Apply(runs);

void lists(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"bytes", "unequal"});
  for (const int run : {8, 16, 128}) bench->Args({run, 0})->Args({run, 1});
}
BENCHMARK(pack_indexed)->Apply(lists);
BENCHMARK(unpack_indexed)->Apply(lists);

}  // namespace
