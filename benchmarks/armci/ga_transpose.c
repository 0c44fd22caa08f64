// Matrix transpose B = A^T of ints with the real Global Arrays toolkit: GA_Transpose (local data,
// remote put), or NGA_Get of the others' parts and a local NGA_Put. Options and columns are those
// of apps/transpose, its counterpart without the toolkit.
//
// Both matrices lie in blocks of rows, so that every rank exchanges one strided patch with every
// other. A rank's time ends with a sync of all ranks, or with its own fence (--until).
#include <armci.h>
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#include "benchmarks/common/program.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

static const char name[] = "ga_transpose";

enum { form_put = 0, form_get = 1 };
enum { until_sync = 0, until_fence = 1 };

typedef struct {
  int csv, json, help, form, until;
  long size, columns, repeat, seed;
  double element_ns, stagger_us;
} settings;

/// A matrix in blocks of rows, and the caller's block: `rows` from `first` on.
typedef struct {
  int array;
  long first, rows, columns;
} matrix;

/// A and B, and memory for the caller's block of B before and after it is turned (form get).
typedef struct {
  int rank, ranks;
  matrix from, to;
  int *taken, *turned;
} matrices;

static int element(const settings* use, long i, long j) {
  return (int)((uint32_t)(i * use->columns + j + use->seed * 7919) * 2654435761U >> 1);
}

static matrix create(char* array_name, long rows, long columns) {
  int dims[2] = {(int)rows, (int)columns};
  int chunk[2] = {1, (int)columns};  // rows stay whole
  int lo[2], hi[2];
  matrix made = {NGA_Create(C_INT, 2, dims, array_name, chunk), 0, 0, columns};
  if (made.array == 0) GA_Error("ga_transpose: no memory for a matrix", 0);
  NGA_Distribution(made.array, GA_Nodeid(), lo, hi);
  if (lo[0] >= 0 && hi[0] >= lo[0]) {  // not every rank has rows if there are few
    made.first = lo[0];
    made.rows = hi[0] - lo[0] + 1;
  }
  return made;
}

/// The caller's block in place, or NULL; between open_block() and close_block() it is the caller's
/// alone.
static int* open_block(const matrix* which, int lo[2], int hi[2]) {
  int *data = NULL, stride = 0;
  if (which->rows == 0) return NULL;
  lo[0] = (int)which->first;
  hi[0] = (int)(which->first + which->rows - 1);
  lo[1] = 0;
  hi[1] = (int)which->columns - 1;
  NGA_Access(which->array, lo, hi, &data, &stride);
  return data;
}

static void close_block(const matrix* which, int lo[2], int hi[2]) {
  if (which->rows != 0) NGA_Release_update(which->array, lo, hi);
}

/// Fills the caller's rows of A, and those of B with what no transpose leaves there.
static void fill(const matrices* all, const settings* use) {
  int lo[2], hi[2];
  int* from = open_block(&all->from, lo, hi);
  for (long i = 0; i < all->from.rows; ++i) {
    for (long j = 0; j < use->columns; ++j) {
      from[i * use->columns + j] = element(use, all->from.first + i, j);
    }
  }
  close_block(&all->from, lo, hi);
  int* to = open_block(&all->to, lo, hi);
  for (long k = 0; k < all->to.rows * use->size; ++k) to[k] = -1;
  close_block(&all->to, lo, hi);
}

/// Whether the caller's rows of B are A's columns.
static int is_transposed(const matrices* all, const settings* use) {
  int lo[2], hi[2], ok = 1;
  const int* to = open_block(&all->to, lo, hi);
  for (long i = 0; ok && i < all->to.rows; ++i) {
    for (long j = 0; ok && j < use->size; ++j) {
      ok = to[i * use->size + j] == element(use, j, all->to.first + i);
    }
  }
  close_block(&all->to, lo, hi);
  return ok;
}

/// The naive form: A's columns that are the caller's rows of B come from all owners, are turned
/// and put, which stays within the rank.
static void get_and_turn(matrices* all, const settings* use) {
  const long rows = all->to.rows;
  if (rows == 0) return;
  int lo[2] = {0, (int)all->to.first};
  int hi[2] = {(int)use->size - 1, (int)(all->to.first + rows - 1)};
  int stride = (int)rows;
  NGA_Get(all->from.array, lo, hi, all->taken, &stride);
  enum { edge = 32 };
  for (long first = 0; first < use->size; first += edge) {
    const long last = first + edge < use->size ? first + edge : use->size;
    for (long j = 0; j < rows; ++j) {
      for (long i = first; i < last; ++i) {
        all->turned[j * use->size + i] = all->taken[i * rows + j];
      }
    }
  }
  int own_lo[2] = {lo[1], 0}, own_hi[2] = {hi[1], hi[0]};
  stride = (int)use->size;
  NGA_Put(all->to.array, own_lo, own_hi, all->turned, &stride);
}

/// The delay with which a rank begins, in nanoseconds: another one for every rank and seed.
static double stagger_ns(const matrices* all, const settings* use) {
  uint32_t x = (uint32_t)(use->seed * 40503 + all->rank + 1) * 2654435761U;
  x ^= x >> 15;
  x *= 2246822519U;
  return use->stagger_us * 1e3 * (double)(x >> 8) / (double)(1 << 24);
}

/// One transpose; seconds. GA_Transpose turns the local part within the library, whose computing
/// is free in virtual time; both forms are charged for it here.
static double transpose_once(matrices* all, const settings* use) {
  GA_Sync();
  const double start = MPI_Wtime();
  const double elements = use->form == form_put ? (double)(all->from.rows * use->columns)
                                                : (double)(all->to.rows * use->size);
  corespec_work_ns(elements * use->element_ns + stagger_ns(all, use));
  if (use->form == form_put) {
    GA_Mask_sync(0, 0);  // those before and after are this function's
    GA_Transpose(all->from.array, all->to.array);
  } else {
    get_and_turn(all, use);
  }
  ARMCI_AllFence();
  const double fenced = MPI_Wtime() - start;
  GA_Sync();
  return use->until == until_fence ? fenced : MPI_Wtime() - start;
}

static void open_matrices(matrices* all, const settings* use) {
  all->rank = GA_Nodeid();
  all->ranks = GA_Nnodes();
  all->from = create("A", use->size, use->columns);
  all->to = create("B", use->columns, use->size);
  const long elements = use->form == form_get ? all->to.rows * use->size : 0;
  all->taken = (int*)malloc((size_t)elements * sizeof(int) + 64);
  all->turned = (int*)malloc((size_t)elements * sizeof(int) + 64);
  if (all->taken == NULL || all->turned == NULL) GA_Error("ga_transpose: no memory", 0);
}

static void close_matrices(matrices* all) {
  free(all->taken);
  free(all->turned);
  GA_Destroy(all->to.array);
  GA_Destroy(all->from.array);
}

/// Rank 0 prints the ranks' times.
static void report(const settings* use, const matrices* all, double time, int ok) {
  double least = 0;
  double most = 0;
  double sum = 0;
  MPI_Reduce(&time, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&time, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&time, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (all->rank != 0) return;
  const column columns[] = {{"form", "form", 6, -1},  {"size", "size", 8, 0},
                            {"ranks", "ranks", 8, 0}, {"min", "min(s)", 12, 6},
                            {"max", "max(s)", 12, 6}, {"avg", "avg(s)", 12, 6},
                            {"ok", "ok", 4, -1},      {"until", "until", 6, -1}};
  row_printer printer = {.format = use->csv    ? format_csv
                                   : use->json ? format_json
                                               : format_table,
                         .header = 1,
                         .program = name,
                         .columns = columns,
                         .count = (int)(sizeof columns / sizeof columns[0])};
  const cell cells[] = {{use->form == form_put ? "put" : "get", 0},
                        {NULL, (double)use->size},
                        {NULL, (double)all->ranks},
                        {NULL, least},
                        {NULL, most},
                        {NULL, sum / all->ranks},
                        {ok ? "yes" : "no", 0},
                        {use->until == until_fence ? "fence" : "sync", 0}};
  print_rows_begin(&printer);
  print_row(&printer, cells);
  print_rows_end(&printer);
}

static int measure(const settings* use) {
  matrices all;
  open_matrices(&all, use);
  double time = 0;
  int ok = 1;
  for (long i = 0; i < use->repeat; ++i) {
    fill(&all, use);
    time += transpose_once(&all, use);
    ok = ok && is_transposed(&all, use);
  }
  int all_ok = 0;
  MPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  report(use, &all, time / (double)use->repeat, all_ok);
  close_matrices(&all);
  return all_ok ? exit_ok : exit_failed;
}

static int run(int argc, char** argv) {
  settings use = {.size = 6400, .repeat = 1, .seed = 1, .element_ns = 1};
  const option options[] = {
      {'s', "size", option_count, &use.size, 1, NULL, "rows and columns of the matrix (6400)"},
      {'\0', "columns", option_count, &use.columns, 1, NULL, "columns, if not as many as rows"},
      {'f', "form", option_word, &use.form, 0, "put|get",
       "GA_Transpose, or NGA_Get of the others' parts (put)"},
      {'\0', "until", option_word, &use.until, 0, "sync|fence",
       "a rank's time ends with the sync of all ranks, or with its own fence (sync)"},
      {'\0', "repeat", option_count, &use.repeat, 1, NULL, "transposes; the mean is printed (1)"},
      {'\0', "seed", option_count, &use.seed, 0, NULL, "for the elements and the stagger (1)"},
      {'\0', "stagger-us", option_factor, &use.stagger_us, 0, "F",
       "each rank begins up to so much later (0)"},
      {'\0', "element-ns", option_factor, &use.element_ns, 0, "F",
       "ns of local work for each element (1)"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const int code = read_options(
      name, "Matrix transpose with Global Arrays; seconds: least, largest and mean of the ranks.",
      options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  if (use.csv && use.json) return refuse(name, "--csv or --json, not both");
  if (use.size > 1L << 20 || use.columns > 1L << 20) {
    return refuse(name, "--size, --columns: at most 1048576");
  }
  if (use.columns == 0) use.columns = use.size;
  GA_Initialize();
  // GA_Transpose takes its local buffer, a block, from the toolkit's stack.
  const long block = (use.size / GA_Nnodes() + 1) * use.columns;
  if (block > 1L << 30) GA_Error("ga_transpose: a rank's block has more than 2^30 elements", 0);
  if (!MA_init(C_INT, (int)block + (1 << 16), 1 << 16)) GA_Error("ga_transpose: MA_init", 0);
  const int result = measure(&use);
  GA_Terminate();
  return result;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
