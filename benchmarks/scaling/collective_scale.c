// Scaling: one collective operation over and over, what it gives checked: the data, or what a new
// communicator says of itself. All ranks share one image.
#include <mpi.h>

#include "benchmarks/scaling/scaling.h"
#include "benchmarks/scaling/torus.h"
#include "corespec_work.h"

CORESPEC_SHARED_IMAGE;

static const char name[] = "collective_scale";

enum {
  row = 256,      ///< ranks of a row, which exchange all with all as in a transposition
  directions = 6  ///< of a rank in the torus
};

typedef struct {
  int rank, size;
  MPI_Comm comm;  ///< of the exchange of all with all
  int count;      ///< doubles of a message or block
  double* out;
  double* in;
  long iteration;
} state;

static void must_be(const state* own, int right) {
  if (!right) wrong_data(name, own->iteration);
}

static int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

static int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

/// Element i of what `from` has for `to`.
static double element(const state* own, int from, int to, int i) {
  return (double)from + (double)to * 131072.0 + (double)i * 1e11 +
         (double)(own->iteration % 100) * 0.0078125;
}

static void barrier(state* own) {
  (void)own;
  MPI_Barrier(MPI_COMM_WORLD);
}

/// From another root each time.
static void bcast(state* own) {
  const int root = (int)(own->iteration * 7 % own->size);
  for (int i = 0; i < own->count; ++i) {
    own->in[i] = own->rank == root ? element(own, root, 0, i) : 0;
  }
  MPI_Bcast(own->in, own->count, MPI_DOUBLE, root, MPI_COMM_WORLD);
  uint64_t wrong = 0;
  for (int i = 0; i < own->count; ++i) {
    wrong |= different_bits(own->in[i], element(own, root, 0, i));
  }
  must_be(own, wrong == 0);
}

static void alltoall(state* own) {
  const int rank = rank_in(own->comm);
  const int size = size_of(own->comm);
  for (int to = 0; to < size; ++to) {
    double* block = own->out + (long)to * own->count;
    for (int i = 0; i < own->count; ++i) block[i] = element(own, rank, to, i);
  }
  MPI_Alltoall(own->out, own->count, MPI_DOUBLE, own->in, own->count, MPI_DOUBLE, own->comm);
  uint64_t wrong = 0;
  for (int from = 0; from < size; ++from) {
    const double* block = own->in + (long)from * own->count;
    for (int i = 0; i < own->count; ++i) {
      wrong |= different_bits(block[i], element(own, from, rank, i));
    }
  }
  must_be(own, wrong == 0);
}

static void duplicate(state* own) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  must_be(own, size_of(made) == own->size && rank_in(made) == own->rank);
  MPI_Comm_free(&made);
}

/// Rows and columns in turn.
static void split(state* own) {
  MPI_Comm made = MPI_COMM_NULL;
  const int rows = own->iteration % 2 == 0;
  MPI_Comm_split(MPI_COMM_WORLD, rows ? own->rank / row : own->rank % row, own->rank, &made);
  must_be(own, rank_in(made) == (rows ? own->rank % row : own->rank / row));
  MPI_Comm_free(&made);
}

/// A periodic grid, and of it the planes that the first dimension leaves.
static void cart(state* own) {
  const torus shape = make_torus(own->size);
  const int periods[3] = {1, 1, 1};
  const int kept[3] = {0, 1, 1};
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm plane = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 3, shape.size, periods, 0, &made);
  MPI_Cart_sub(made, kept, &plane);
  const int ranks = shape.size[1] * shape.size[2];
  must_be(own, rank_in(made) == own->rank && size_of(plane) == ranks &&
                   rank_in(plane) == own->rank % ranks);
  MPI_Comm_free(&plane);
  MPI_Comm_free(&made);
}

/// Each rank gives its own edges, to six neighbours in the torus, and hears of those to it: from
/// the same ranks, in their order.
static void graph(state* own) {
  const torus shape = make_torus(own->size);
  int neighbours[directions];
  for (int i = 0; i < directions; ++i) {
    neighbours[i] = torus_step(&shape, own->rank, i / 2, i % 2 == 0 ? 1 : -1);
  }
  const int degree = directions;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &own->rank, &degree, neighbours, MPI_UNWEIGHTED,
                        MPI_INFO_NULL, 0, &made);
  int in = 0;
  int out = 0;
  int weighted = 1;
  MPI_Dist_graph_neighbors_count(made, &in, &out, &weighted);
  must_be(own, in == directions && out == directions && weighted == 0);
  int sources[directions];
  int destinations[directions];
  MPI_Dist_graph_neighbors(made, in, sources, MPI_UNWEIGHTED, out, destinations, MPI_UNWEIGHTED);
  long expected = 0;
  long found = 0;
  for (int i = 0; i < directions; ++i) {
    must_be(own, destinations[i] == neighbours[i] && (i == 0 || sources[i - 1] <= sources[i]));
    expected += (long)neighbours[i] * neighbours[i];
    found += (long)sources[i] * sources[i];
  }
  must_be(own, expected == found);
  MPI_Comm_free(&made);
}

typedef struct {
  const char* word;
  void (*once)(state*);
} operation;

static const operation table[] = {
    {"barrier", barrier}, {"bcast", bcast}, {"alltoall", alltoall}, {"row_alltoall", alltoall},
    {"dup", duplicate},   {"split", split}, {"cart", cart},         {"graph", graph}};
static const char words[] = "barrier|bcast|alltoall|row_alltoall|dup|split|cart|graph";

typedef struct {
  int help, what;
  long iterations, bytes;
} settings;

static int read_settings(settings* use, int argc, char** argv) {
  *use = (settings){.iterations = 10, .bytes = 8};
  const option options[] = {{'c', "collective", option_word, &use->what, 0, words,
                             "operation (barrier); row_alltoall: in rows of 256 ranks"},
                            {'i', "iterations", option_count, &use->iterations, 0, NULL,
                             "iterations (10; 0: start and end only)"},
                            {'m', "msgsize", option_bytes, &use->bytes, 8, NULL,
                             "bytes of a broadcast or block, a multiple of 8 (8)"},
                            {'h', "help", option_flag, &use->help, 1, NULL, "this text"}};
  const int code = read_options(name, "Repeats a collective operation and checks what it gives.",
                                options, 4, &use->help, argc, argv);
  if (code != exit_done) return code;
  return check_message_size(name, use->bytes);
}

static int run(int argc, char** argv) {
  settings use;
  const int code = read_settings(&use, argc, argv);
  if (code != exit_done) return code;
  const operation* chosen = &table[use.what];
  state own = {.rank = rank_in(MPI_COMM_WORLD),
               .size = size_of(MPI_COMM_WORLD),
               .comm = MPI_COMM_WORLD,
               .count = (int)(use.bytes / (long)sizeof(double))};
  if (strcmp(chosen->word, "row_alltoall") == 0) {
    MPI_Comm_split(MPI_COMM_WORLD, own.rank / row, own.rank, &own.comm);
  }
  const int blocks = chosen->once == alltoall ? size_of(own.comm) : 1;
  const long own_bytes = use.bytes * 2 * blocks;
  own.out = allocate(name, own_bytes);
  own.in = own.out + (long)own.count * blocks;
  const double start = MPI_Wtime();
  for (; own.iteration < use.iterations; ++own.iteration) chosen->once(&own);
  const scaling_result result = {.ranks = own.size,
                                 .iterations = use.iterations,
                                 .bytes = use.bytes,
                                 .seconds = MPI_Wtime() - start,
                                 .own_bytes = own_bytes};
  if (own.rank == 0) print_result(name, &result);
  free(own.out);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
