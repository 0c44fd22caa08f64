// Scaling: an Allreduce of doubles over all ranks, or within each node, or over one rank of each
// node; the sums checked. All ranks share one image.
#include <mpi.h>

#include "benchmarks/scaling/scaling.h"
#include "corespec_work.h"

CORESPEC_SHARED_IMAGE;

static const char name[] = "allreduce_scale";

/// Which ranks sum.
enum { among_all, among_node, among_leaders };

/// Element i of a rank's vector; all sums are exact in a double.
static double element(int rank, int i) { return (double)rank + (double)i; }

/// Of `size` ranks whose numbers add up to `rank_sum`.
static void check_sums(const double* sums, int count, int size, double rank_sum, long iteration) {
  uint64_t wrong = 0;
  for (int i = 0; i < count; ++i) {
    wrong |= different_bits(sums[i], rank_sum + (double)size * (double)i);
  }
  if (wrong != 0) wrong_data(name, iteration);
}

/// MPI_COMM_NULL on a rank that does not sum.
static MPI_Comm those_who_sum(int among, int rank) {
  if (among == among_all) return MPI_COMM_WORLD;
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  if (among == among_node) return node;
  int on_node = 0;
  MPI_Comm leaders;
  MPI_Comm_rank(node, &on_node);
  MPI_Comm_split(MPI_COMM_WORLD, on_node == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
  MPI_Comm_free(&node);
  return leaders;
}

static void sum_often(MPI_Comm comm, const double* values, double* sums, int count,
                      long iterations) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  const double rank = values[0];
  double rank_sum = (double)size * ((double)size - 1.0) / 2.0;
  if (comm != MPI_COMM_WORLD) MPI_Allreduce(&rank, &rank_sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  for (long iteration = 0; iteration < iterations; ++iteration) {
    MPI_Allreduce(values, sums, count, MPI_DOUBLE, MPI_SUM, comm);
    check_sums(sums, count, size, rank_sum, iteration);
  }
}

static int run(int argc, char** argv) {
  scaling_settings use;
  int among = among_all;
  const option whose = {'a',
                        "among",
                        option_word,
                        &among,
                        0,
                        "all|node|leaders",
                        "who sums: all ranks, those of each node, one of each node (all)"};
  const int code = read_scaling_options(name, "Sums doubles over ranks and checks them.", &whose,
                                        &use, argc, argv);
  if (code != exit_done) return code;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int count = (int)(use.bytes / (long)sizeof(double));
  double* values = allocate(name, use.bytes * 2);
  double* sums = values + count;
  for (int i = 0; i < count; ++i) values[i] = element(rank, i);
  MPI_Comm comm = those_who_sum(among, rank);
  const double start = MPI_Wtime();
  if (comm != MPI_COMM_NULL) sum_often(comm, values, sums, count, use.iterations);
  const scaling_result result = {.ranks = size,
                                 .iterations = use.iterations,
                                 .bytes = use.bytes,
                                 .seconds = MPI_Wtime() - start,
                                 .own_bytes = use.bytes * 2};
  if (rank == 0) print_result(name, &result);
  if (among != among_all && comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  free(values);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
