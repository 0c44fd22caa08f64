// Matrix transpose B = A^T of ints over one-sided transfers: local get and remote put, or remote
// get and local put.
//
// Both matrices lie in blocks of rows over all ranks, so that every rank exchanges one strided
// patch with every other. A rank's time ends with a sync of all ranks, as GA_Transpose does, or
// with its own fence (--until).
#include <armci.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#include "apps/ga_layer.h"
#include "benchmarks/common/program.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

static const char name[] = "transpose";

enum { form_put = 0, form_get = 1 };
enum { until_sync = 0, until_fence = 1 };

typedef struct {
  int csv, json, help, form, until, order, blocking;
  long size, repeat;
  double element_ns;
} settings;

/// The matrices, and a rank's local memory: its part before and after it is turned.
typedef struct {
  ga_world world;
  ga_array from, to;
  int *taken, *turned;
} matrices;

static int element(long size, long i, long j) {
  return (int)((uint32_t)(i * size + j) * 2654435761U >> 1);
}

/// Fills the caller's rows of A, and those of B with what no transpose leaves there.
static void fill(const matrices* all, long size) {
  const ga_patch own = ga_distribution(&all->from, all->world.rank);
  int* from = (int*)ga_access(&all->from);
  int* to = (int*)ga_access(&all->to);
  for (long i = 0; i < own.rows; ++i) {
    for (long j = 0; j < size; ++j) {
      from[i * size + j] = element(size, own.row + i, j);
      to[i * size + j] = -1;
    }
  }
}

/// Whether the caller's rows of B are A's columns.
static int is_transposed(const matrices* all, long size) {
  const ga_patch own = ga_distribution(&all->to, all->world.rank);
  const int* to = (const int*)ga_access(&all->to);
  for (long i = 0; i < own.rows; ++i) {
    for (long j = 0; j < size; ++j) {
      if (to[i * size + j] != element(size, j, own.row + i)) return 0;
    }
  }
  return 1;
}

/// turned = taken^T, square by square as far as the cache likes it.
static void turn(const int* taken, long rows, long columns, int* turned) {
  enum { edge = 32 };
  for (long first_row = 0; first_row < rows; first_row += edge) {
    const long last_row = first_row + edge < rows ? first_row + edge : rows;
    for (long j = 0; j < columns; ++j) {
      for (long i = first_row; i < last_row; ++i) turned[j * rows + i] = taken[i * columns + j];
    }
  }
}

/// Seconds of a rank: of transposes, and of these in ga_get.
typedef struct {
  double all, get;
} seconds;

/// One transpose: the caller's rows of A to B's columns, or A's columns to the caller's rows of B.
static void transpose_once(matrices* all, const settings* use, seconds* time) {
  const ga_patch own = ga_distribution(&all->from, all->world.rank);
  const ga_patch across = {own.column, own.row, own.columns, own.rows};
  const ga_patch source = use->form == form_put ? own : across;
  const ga_patch target = use->form == form_put ? across : own;
  ga_sync(&all->world);
  const double start = MPI_Wtime();
  ga_get(&all->from, source, all->taken, source.columns);
  time->get += MPI_Wtime() - start;
  turn(all->taken, source.rows, source.columns, all->turned);
  corespec_work_ns((double)(source.rows * source.columns) * use->element_ns);
  ga_put(&all->to, target, all->turned, target.columns);
  ARMCI_AllFence();
  const double fenced = MPI_Wtime() - start;
  ga_sync(&all->world);
  time->all += use->until == until_fence ? fenced : MPI_Wtime() - start;
}

static void open_matrices(matrices* all, const settings* use) {
  ga_start(&all->world);
  all->world.blocking = use->blocking;
  all->world.order = (ga_order)use->order;
  ga_create(&all->world, &all->from, ga_int, use->size, use->size, all->world.ranks);
  ga_create(&all->world, &all->to, ga_int, use->size, use->size, all->world.ranks);
  const ga_patch own = ga_distribution(&all->from, all->world.rank);
  const long bytes = own.rows * use->size * (long)sizeof(int) + 64;
  all->taken = (int*)ARMCI_Malloc_local(bytes);
  all->turned = (int*)ARMCI_Malloc_local(bytes);
  if (all->taken == NULL || all->turned == NULL) ARMCI_Error("transpose: no memory", 1);
}

static void close_matrices(matrices* all) {
  ARMCI_Free_local(all->taken);
  ARMCI_Free_local(all->turned);
  ga_destroy(&all->to);
  ga_destroy(&all->from);
}

/// Rank 0 prints the ranks' times.
static void report(const settings* use, const ga_world* world, seconds time, int ok) {
  double least = 0;
  seconds most = {0, 0};
  double sum = 0;
  MPI_Reduce(&time.all, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&time, &most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&time.all, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (world->rank != 0) return;
  const column columns[] = {
      {"form", "form", 6, -1},  {"size", "size", 8, 0},       {"ranks", "ranks", 8, 0},
      {"min", "min(s)", 12, 6}, {"max", "max(s)", 12, 6},     {"avg", "avg(s)", 12, 6},
      {"ok", "ok", 4, -1},      {"get", "max get(s)", 12, 6}, {"until", "until", 6, -1}};
  const cell cells[] = {{use->form == form_put ? "put" : "get", 0},
                        {NULL, (double)use->size},
                        {NULL, (double)world->ranks},
                        {NULL, least},
                        {NULL, most.all},
                        {NULL, sum / world->ranks},
                        {ok ? "yes" : "no", 0},
                        {NULL, most.get},
                        {use->until == until_fence ? "fence" : "sync", 0}};
  print_table(name, chosen_format(use->csv, use->json), columns,
              (int)(sizeof columns / sizeof columns[0]), cells, 1);
}

static int measure(const settings* use) {
  matrices all;
  open_matrices(&all, use);
  seconds time = {0, 0};
  int ok = 1;
  for (long i = 0; i < use->repeat; ++i) {
    fill(&all, use->size);
    transpose_once(&all, use, &time);
    ok = ok && is_transposed(&all, use->size);
  }
  int all_ok = 0;
  MPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  time.all /= (double)use->repeat;
  time.get /= (double)use->repeat;
  report(use, &all.world, time, all_ok);
  close_matrices(&all);
  return all_ok ? exit_ok : exit_failed;
}

static int run(int argc, char** argv) {
  settings use = {.size = 6400, .repeat = 1, .element_ns = 1};
  const option options[] = {
      {'s', "size", option_count, &use.size, 1, NULL, "rows and columns of the matrix (6400)"},
      {'f', "form", option_word, &use.form, 0, "put|get",
       "local get and remote put, or remote get and local put (put)"},
      {'\0', "until", option_word, &use.until, 0, "sync|fence",
       "a rank's time ends with the sync of all ranks, or with its own fence (sync)"},
      {'\0', "repeat", option_count, &use.repeat, 1, NULL, "transposes; the mean is printed (1)"},
      {'\0', "order", option_word, &use.order, 0, "owners|rotated",
       "whom a rank turns to first: rank 0, or its neighbour (owners)"},
      {'\0', "blocking", option_flag, &use.blocking, 1, NULL,
       "each part is waited for before the next"},
      {'\0', "element-ns", option_factor, &use.element_ns, 0, "F",
       "ns of local work for each element (1)"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const int code =
      read_options(name,
                   "Matrix transpose over ARMCI; seconds: least, largest and mean of the ranks, "
                   "and the largest of "
                   "the gets in them.",
                   options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  if (use.csv && use.json) return refuse(name, "--csv or --json, not both");
  if (use.size > 1L << 20) return refuse(name, "--size: at most 1048576");
  ARMCI_Init();
  const int result = measure(&use);
  ARMCI_Finalize();
  return result;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
