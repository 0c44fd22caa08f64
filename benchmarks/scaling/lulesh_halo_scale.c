// Scaling: LULESH's exchange of nodal forces with 26 neighbours (faces, edges, corners) on a 3-D
// torus of ranks, all data checked; all ranks share one image.
#include <mpi.h>

#include "benchmarks/scaling/scaling.h"
#include "benchmarks/scaling/torus.h"
#include "corespec_work.h"

CORESPEC_SHARED_IMAGE;

static const char name[] = "lulesh_halo_scale";

/// A direction is x + 3 y + 9 z, each 0 (down), 1 (not at all) or 2 (up); its opposite is
/// opposite_of - direction. One of them leads nowhere.
enum { directions = 27, own_place = 13, opposite_of = 26, messages = 26 };

typedef struct {
  int help;
  long iterations, nodes, fields;
} lulesh_settings;

/// Of one rank: whom it exchanges with, how much and where, and the data.
typedef struct {
  int rank;
  long elements;  ///< one way
  int neighbour[directions];
  int count[directions];
  long offset[directions];
  double* out;
  double* in;
} halo;

static int steps_along(int direction, int dimension) {
  for (int d = 0; d < dimension; ++d) direction /= 3;
  return direction % 3 - 1;
}

static void make_halo(halo* made, int rank, int size, const lulesh_settings* use) {
  const torus shape = make_torus(size);
  made->rank = rank;
  made->elements = 0;
  for (int direction = 0; direction < directions; ++direction) {
    int to = rank;
    long count = use->fields;
    for (int d = 0; d < 3; ++d) {
      const int steps = steps_along(direction, d);
      to = torus_step(&shape, to, d, steps);
      if (steps == 0) count *= use->nodes;
    }
    if (direction == own_place) count = 0;
    made->neighbour[direction] = to;
    made->count[direction] = (int)count;
    made->offset[direction] = made->elements;
    made->elements += count;
  }
}

/// One exchange in LULESH's order: all receives, then pack and send, wait for all that was sent,
/// then take what came one by one. What goes out in a direction comes in from the opposite one.
static void exchange(halo* own, long iteration) {
  MPI_Request sent[messages];
  MPI_Request received[messages];
  int next = 0;
  for (int direction = 0; direction < directions; ++direction) {
    if (direction == own_place) continue;
    MPI_Irecv(own->in + own->offset[direction], own->count[direction], MPI_DOUBLE,
              own->neighbour[opposite_of - direction], direction, MPI_COMM_WORLD,
              &received[next++]);
  }
  next = 0;
  for (int direction = 0; direction < directions; ++direction) {
    if (direction == own_place) continue;
    double* data = own->out + own->offset[direction];
    fill(data, own->count[direction], first_element(own->rank, direction, iteration));
    MPI_Isend(data, own->count[direction], MPI_DOUBLE, own->neighbour[direction], direction,
              MPI_COMM_WORLD, &sent[next++]);
  }
  MPI_Waitall(messages, sent, MPI_STATUSES_IGNORE);
  next = 0;
  for (int direction = 0; direction < directions; ++direction) {
    if (direction == own_place) continue;
    MPI_Wait(&received[next++], MPI_STATUS_IGNORE);
    const int from = own->neighbour[opposite_of - direction];
    if (!is_right(own->in + own->offset[direction], own->count[direction],
                  first_element(from, direction, iteration))) {
      wrong_data(name, iteration);
    }
  }
}

static int read_settings(lulesh_settings* use, int argc, char** argv) {
  *use = (lulesh_settings){.iterations = 10, .nodes = 31, .fields = 3};
  const option options[] = {{'i', "iterations", option_count, &use->iterations, 0, NULL,
                             "iterations (10; 0: start and end only)"},
                            {'n', "nodes", option_count, &use->nodes, 1, NULL,
                             "mesh nodes along an edge of a rank's cube (31: LULESH's -s 30)"},
                            {'f', "fields", option_count, &use->fields, 1, NULL,
                             "doubles per node (3: the forces in x, y and z)"},
                            {'h', "help", option_flag, &use->help, 1, NULL, "this text"}};
  const int code =
      read_options(name, "Exchanges faces, edges and corners with 26 neighbours on a 3-D torus.",
                   options, 4, &use->help, argc, argv);
  if (code != exit_done) return code;
  if (use->nodes > 1000) return refuse(name, "--nodes: 1 to 1000");
  if (use->fields > 100) return refuse(name, "--fields: 1 to 100");
  return exit_done;
}

static int run(int argc, char** argv) {
  lulesh_settings use;
  const int code = read_settings(&use, argc, argv);
  if (code != exit_done) return code;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  halo own;
  make_halo(&own, rank, size, &use);
  own.out = allocate(name, 2 * own.elements * (long)sizeof(double));
  own.in = own.out + own.elements;
  const double start = MPI_Wtime();
  for (long iteration = 0; iteration < use.iterations; ++iteration) exchange(&own, iteration);
  const scaling_result result = {.ranks = size,
                                 .iterations = use.iterations,
                                 .bytes = own.elements * (long)sizeof(double),
                                 .seconds = MPI_Wtime() - start,
                                 .own_bytes = 2 * own.elements * (long)sizeof(double)};
  if (rank == 0) print_result(name, &result);
  free(own.out);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
