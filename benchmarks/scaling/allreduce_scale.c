// Scaling: an Allreduce of doubles over all ranks, the sums checked; all ranks share one image.
#include <mpi.h>

#include "benchmarks/scaling/scaling.h"
#include "corespec_work.h"

CORESPEC_SHARED_IMAGE;

static const char name[] = "allreduce_scale";

/// Element i of a rank's vector; all sums are exact in a double.
static double element(int rank, int i) { return (double)rank + (double)i; }

static void check_sums(const double* sums, int count, int size, long iteration) {
  const double ranks = (double)size;
  const double rank_sum = ranks * (ranks - 1.0) / 2.0;
  uint64_t wrong = 0;
  for (int i = 0; i < count; ++i) wrong |= different_bits(sums[i], rank_sum + ranks * (double)i);
  if (wrong != 0) wrong_data(name, iteration);
}

static int run(int argc, char** argv) {
  scaling_settings use;
  const int code =
      read_scaling_options(name, "Sums doubles over all ranks and checks them.", &use, argc, argv);
  if (code != exit_done) return code;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int count = (int)(use.bytes / (long)sizeof(double));
  double* values = allocate(name, use.bytes * 2);
  double* sums = values + count;
  for (int i = 0; i < count; ++i) values[i] = element(rank, i);
  const double start = MPI_Wtime();
  for (long iteration = 0; iteration < use.iterations; ++iteration) {
    MPI_Allreduce(values, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check_sums(sums, count, size, iteration);
  }
  const scaling_result result = {.ranks = size,
                                 .iterations = use.iterations,
                                 .bytes = use.bytes,
                                 .seconds = MPI_Wtime() - start,
                                 .own_bytes = use.bytes * 2};
  if (rank == 0) print_result(name, &result);
  free(values);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
