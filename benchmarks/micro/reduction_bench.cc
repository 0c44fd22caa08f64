// MPI's predefined reductions of packed elements.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <vector>

#include "netmod/mpi/operations/op.h"

namespace {

constexpr std::int64_t data_bytes = 128 << 10;  ///< of each of both: they stay in the cache

void reduction(benchmark::State& state, MPI_Op op, MPI_Datatype type) {
  const netmod::BasicType& basic = *netmod::find_simple(type);
  const netmod::Kernel kernel = netmod::find_kernel(op, basic);
  std::vector<std::byte> in(data_bytes), inout(data_bytes);
  for (auto _ : state) {
    kernel(in.data(), netmod::Operand::first, inout.data(), data_bytes / basic.size);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * data_bytes);
}

BENCHMARK_CAPTURE(reduction, sum_char, MPI_SUM, MPI_CHAR);
BENCHMARK_CAPTURE(reduction, sum_int, MPI_SUM, MPI_INT);
BENCHMARK_CAPTURE(reduction, sum_long, MPI_SUM, MPI_LONG);
BENCHMARK_CAPTURE(reduction, sum_float, MPI_SUM, MPI_FLOAT);
BENCHMARK_CAPTURE(reduction, sum_double, MPI_SUM, MPI_DOUBLE);
BENCHMARK_CAPTURE(reduction, max_char, MPI_MAX, MPI_CHAR);
BENCHMARK_CAPTURE(reduction, max_int, MPI_MAX, MPI_INT);
BENCHMARK_CAPTURE(reduction, max_long, MPI_MAX, MPI_LONG);
BENCHMARK_CAPTURE(reduction, max_float, MPI_MAX, MPI_FLOAT);
BENCHMARK_CAPTURE(reduction, max_double, MPI_MAX, MPI_DOUBLE);

}  // namespace
