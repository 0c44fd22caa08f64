// A halo exchange on a Cartesian communicator: what MPI_Cart_create's reordering saves.
//
// Ranks send their neighbours along each dimension so many bytes, in every step; the grid wraps
// round. With --reorder the library may give ranks other places in the grid.
#include "benchmarks/common/program.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

enum { most_dimensions = 4, sides = 2 };

typedef struct {
  int csv, json, help, reorder;
  long dimensions, bytes, steps;
} settings;

static const char name[] = "cart_halo";

/// Seconds of a step, of the rank that has the longest.
static double measure(const settings* use, MPI_Comm grid, unsigned char* buffer) {
  const int dimensions = (int)use->dimensions;
  const double from = MPI_Wtime();
  for (long step = 0; step < use->steps; ++step) {
    MPI_Request requests[most_dimensions * sides * 2];
    int count = 0;
    for (int i = 0; i < dimensions * sides; ++i) {
      int source = 0, target = 0;
      MPI_Cart_shift(grid, i / sides, i % sides == 0 ? 1 : -1, &source, &target);
      unsigned char* in = buffer + (2 * i) * use->bytes;
      MPI_Irecv(in, (int)use->bytes, MPI_BYTE, source, i, grid, &requests[count++]);
      MPI_Isend(in + use->bytes, (int)use->bytes, MPI_BYTE, target, i, grid, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
  double seconds = (MPI_Wtime() - from) / (double)use->steps;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, grid);
  return seconds;
}

static int run(int argc, char** argv) {
  settings use = {.dimensions = 3, .bytes = 65536, .steps = 10};
  const option options[] = {
      {'d', "dimensions", option_count, &use.dimensions, 1, NULL, "of the grid (3)"},
      {'b', "bytes", option_bytes, &use.bytes, 1, NULL, "to each neighbour (64K)"},
      {'i', "steps", option_count, &use.steps, 1, NULL, "exchanges (10)"},
      {'r', "reorder", option_flag, &use.reorder, 1, NULL, "MPI_Cart_create may reorder"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const int code = read_options(name, "A halo exchange on a Cartesian communicator", options,
                                sizeof options / sizeof *options, &use.help, argc, argv);
  if (code != exit_done) return code;
  if (use.dimensions > most_dimensions) return refuse(name, "--dimensions: at most 4");
  int rank = 0, ranks = 0;
  int sizes[most_dimensions] = {0}, wraps[most_dimensions] = {1, 1, 1, 1};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, (int)use.dimensions, sizes);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, (int)use.dimensions, sizes, wraps, use.reorder, &grid);
  unsigned char* buffer = make_buffer(name, use.bytes * use.dimensions * sides * 2);
  const double seconds = measure(&use, grid, buffer);
  const column columns[] = {{"ranks", "ranks", 8, 0},
                            {"reorder", "reorder", 8, -1},
                            {"bytes", "bytes", 10, 0},
                            {"step", "step(us)", 12, 3}};
  const cell cells[] = {{NULL, ranks},
                        {use.reorder ? "yes" : "no", 0},
                        {NULL, (double)use.bytes},
                        {NULL, seconds * 1e6}};
  if (rank == 0) {
    print_table(name, chosen_format(use.csv, use.json), columns,
                sizeof columns / sizeof *columns, cells, 1);
  }
  free(buffer);
  MPI_Comm_free(&grid);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
