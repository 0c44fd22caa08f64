// Scaling: a halo exchange with six neighbours on a 3-D torus of ranks, all data checked; all
// ranks share one image.
#include <mpi.h>

#include "benchmarks/scaling/scaling.h"
#include "benchmarks/scaling/torus.h"
#include "corespec_work.h"

CORESPEC_SHARED_IMAGE;

static const char name[] = "halo_scale";

enum { directions = 6 };

/// The neighbour in direction 2 * dimension (+ 1: downwards).
static int neighbour(const torus* shape, int rank, int direction) {
  return torus_step(shape, rank, direction / 2, direction % 2 == 0 ? 1 : -1);
}

/// One exchange: what goes out in a direction comes in from the opposite one under the same tag.
static void exchange(const torus* shape, int rank, int count, long iteration, double* faces) {
  MPI_Request requests[2 * directions];
  double* incoming = faces + directions * count;
  for (int direction = 0; direction < directions; ++direction) {
    const int from = neighbour(shape, rank, direction ^ 1);
    MPI_Irecv(incoming + direction * count, count, MPI_DOUBLE, from, direction, MPI_COMM_WORLD,
              &requests[direction]);
  }
  for (int direction = 0; direction < directions; ++direction) {
    double* face = faces + direction * count;
    fill(face, count, first_element(rank, direction, iteration));
    MPI_Isend(face, count, MPI_DOUBLE, neighbour(shape, rank, direction), direction, MPI_COMM_WORLD,
              &requests[directions + direction]);
  }
  MPI_Waitall(2 * directions, requests, MPI_STATUSES_IGNORE);
  for (int direction = 0; direction < directions; ++direction) {
    const int from = neighbour(shape, rank, direction ^ 1);
    if (!is_right(incoming + direction * count, count, first_element(from, direction, iteration))) {
      wrong_data(name, iteration);
    }
  }
}

static int run(int argc, char** argv) {
  scaling_settings use;
  const int code = read_scaling_options(
      name, "Exchanges faces with six neighbours on a 3-D torus of ranks and checks them.", NULL,
      &use, argc, argv);
  if (code != exit_done) return code;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const torus shape = make_torus(size);
  const int count = (int)(use.bytes / (long)sizeof(double));
  const long own_bytes = use.bytes * 2 * directions;
  double* faces = allocate(name, own_bytes);
  const double start = MPI_Wtime();
  for (long iteration = 0; iteration < use.iterations; ++iteration) {
    exchange(&shape, rank, count, iteration, faces);
  }
  const scaling_result result = {.ranks = size,
                                 .iterations = use.iterations,
                                 .bytes = use.bytes,
                                 .seconds = MPI_Wtime() - start,
                                 .own_bytes = own_bytes};
  if (rank == 0) print_result(name, &result);
  free(faces);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
