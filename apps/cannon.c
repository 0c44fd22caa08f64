// Cannon's matrix multiplication, the example program of S2 (figures 4 and 5): blocks of two square
// matrices go round a square of ranks, one to the left, one upward, and each rank adds up products.
//
// As in S2, reading a block and multiplying two are declared work; blocks are memory without data,
// as long as no option asks for numbers. S2's loop ends before the last of the sqrt(P) products;
// here all are done, since the product is compared with a serial one.
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "apps/cannon_matrix.h"
#include "benchmarks/common/program.h"
#include "corespec_work.h"

CORESPEC_SHARED_IMAGE;

static const char name[] = "cannon";

enum { largest_block = 32768, largest_checked = 1024 };
enum { shift_sendrecv, shift_overlap };
enum { tag_a = 1, tag_b = 2 };

typedef struct {
  int csv, json, help, data, shift;
  long size, block, seed;
  double element_ns, product_ns;
} settings;

/// Where a rank is, and its blocks. `a` and `b` are what it multiplies next; the others receive.
typedef struct {
  const settings* use;
  int rank, ranks;
  int side, row, column;  ///< of the square of ranks
  long block;
  double *a, *b, *next_a, *next_b;
  double* c;             ///< NULL without data
  double align, shifts;  ///< seconds in MPI: for the first shifts, and for the others
} worker;

/// `steps` places further on a ring.
static int around(const worker* self, int place, int steps) {
  return (place + steps % self->side + self->side) % self->side;
}

/// The rank so many rows and columns further.
static int neighbour(const worker* self, int rows, int columns) {
  return around(self, self->row, rows) * self->side + around(self, self->column, columns);
}

static double* take_block(const worker* self) {
  const long bytes = self->block * self->block * (long)sizeof(double);
  double* memory = NULL;
  MPI_Info info = MPI_INFO_NULL;
  if (!self->use->data) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "castor_data", "none");
  }
  MPI_Alloc_mem(bytes, info, &memory);
  if (!self->use->data) MPI_Info_free(&info);
  return memory;
}

static void* take_memory(long bytes) {
  void* memory = calloc(1, (size_t)bytes);
  if (memory == NULL) {
    fprintf(stderr, "%s: no memory for %ld bytes\n", name, bytes);
    MPI_Abort(MPI_COMM_WORLD, exit_failed);
  }
  return memory;
}

static matrix_part own_part(const worker* self) {
  const matrix_part part = {self->row * self->block, self->column * self->block, self->block,
                            self->block};
  return part;
}

static void open_worker(worker* self) {
  self->a = take_block(self);
  self->b = take_block(self);
  self->next_a = take_block(self);
  self->next_b = take_block(self);
  if (!self->use->data) return;
  self->c = take_memory(self->block * self->block * (long)sizeof(double));
}

static void close_worker(worker* self) {
  MPI_Free_mem(self->a);
  MPI_Free_mem(self->b);
  MPI_Free_mem(self->next_a);
  MPI_Free_mem(self->next_b);
  free(self->c);
}

static void read_blocks(worker* self) {
  const double elements = (double)self->block * (double)self->block;
  corespec_work_ns(elements * self->use->element_ns);
  if (!self->use->data) return;
  const matrix_part part = own_part(self);
  fill_part(matrix_a, (uint64_t)self->use->seed, &part, self->a);
  fill_part(matrix_b, (uint64_t)self->use->seed, &part, self->b);
}

static void multiply(worker* self) {
  const double side = (double)self->block;
  corespec_work_ns(side * side * side * self->use->product_ns);
  if (self->use->data) add_product(self->block, self->a, self->b, self->c);
}

static void swap_blocks(double** one, double** other) {
  double* const kept = *one;
  *one = *other;
  *other = kept;
}

static int elements_of(const worker* self) { return (int)(self->block * self->block); }

/// Sends `*block` so many rows up and columns to the left, and takes another rank's instead.
static void shift(const worker* self, double** block, double** next, int rows, int columns,
                  int tag) {
  if (rows == 0 && columns == 0) return;
  MPI_Sendrecv(*block, elements_of(self), MPI_DOUBLE, neighbour(self, -rows, -columns), tag, *next,
               elements_of(self), MPI_DOUBLE, neighbour(self, rows, columns), tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  swap_blocks(block, next);
}

/// Row i of A goes i places to the left, column j of B j places up.
static void align(worker* self) {
  const double from = MPI_Wtime();
  shift(self, &self->a, &self->next_a, 0, self->row, tag_a);
  shift(self, &self->b, &self->next_b, self->column, 0, tag_b);
  self->align += MPI_Wtime() - from;
}

/// Multiplies, then shifts.
static void step_in_turn(worker* self, int last) {
  multiply(self);
  if (last) return;
  const double from = MPI_Wtime();
  shift(self, &self->a, &self->next_a, 0, 1, tag_a);
  shift(self, &self->b, &self->next_b, 1, 0, tag_b);
  self->shifts += MPI_Wtime() - from;
}

/// The next blocks are under way while these are multiplied.
static void step_at_once(worker* self, int last) {
  MPI_Request requests[4];
  const int count = elements_of(self);
  double from = MPI_Wtime();
  if (!last) {
    MPI_Irecv(self->next_a, count, MPI_DOUBLE, neighbour(self, 0, 1), tag_a, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Irecv(self->next_b, count, MPI_DOUBLE, neighbour(self, 1, 0), tag_b, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Isend(self->a, count, MPI_DOUBLE, neighbour(self, 0, -1), tag_a, MPI_COMM_WORLD,
              &requests[2]);
    MPI_Isend(self->b, count, MPI_DOUBLE, neighbour(self, -1, 0), tag_b, MPI_COMM_WORLD,
              &requests[3]);
  }
  self->shifts += MPI_Wtime() - from;
  multiply(self);
  if (last) return;
  from = MPI_Wtime();
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  self->shifts += MPI_Wtime() - from;
  swap_blocks(&self->a, &self->next_a);
  swap_blocks(&self->b, &self->next_b);
}

/// Seconds of this rank.
static double run_steps(worker* self) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double from = MPI_Wtime();
  read_blocks(self);
  align(self);
  for (int step = 0; step < self->side; ++step) {
    const int last = step + 1 == self->side;
    if (self->use->shift == shift_overlap) {
      step_at_once(self, last);
    } else {
      step_in_turn(self, last);
    }
  }
  return MPI_Wtime() - from;
}

/// Wrong elements of this rank's block.
static long wrong_here(const worker* self) {
  const long whole = self->side * self->block;
  const matrix_part part = own_part(self);
  double* const row = take_memory((whole + self->block) * (long)sizeof(double));
  double* const columns = take_memory(whole * self->block * (long)sizeof(double));
  const long wrong = wrong_elements((uint64_t)self->use->seed, whole, &part, self->c, row, columns);
  free(row);
  free(columns);
  return wrong;
}

/// Of the whole product. All ranks add up without data, too: messages of those that are early come
/// to the others while these still multiply.
static long all_wrong(const worker* self) {
  const long own = self->use->data ? wrong_here(self) : 0;
  long all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void report(const worker* self, double seconds, long wrong) {
  static const char* const shifts[] = {"sendrecv", "overlap"};
  const double share = seconds > 0 ? (self->align + self->shifts) / seconds : 0;
  const double own[3] = {self->align, self->shifts, share};
  const double own_most[2] = {seconds, share};
  double sums[3];
  double most[2];
  MPI_Reduce(own, sums, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(own_most, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (self->rank != 0) return;
  const double size = (double)self->side * (double)self->block;
  const column columns[] = {{"ranks", "ranks", 7, 0},        {"size", "size", 9, 0},
                            {"block", "block", 7, 0},        {"bytes", "message(bytes)", 16, 0},
                            {"shift", "shift", 10, -1},      {"time", "time(ms)", 14, 4},
                            {"rate", "Gflop/s", 12, 3},      {"align", "align(ms)", 12, 4},
                            {"shifts", "shifts(ms)", 12, 4}, {"share", "in MPI(%)", 11, 2},
                            {"share_max", "most(%)", 10, 2}, {"product", "product", 14, -1}};
  const cell cells[] = {{NULL, (double)self->ranks},
                        {NULL, size},
                        {NULL, (double)self->block},
                        {NULL, (double)elements_of(self) * (double)sizeof(double)},
                        {shifts[self->use->shift], 0},
                        {NULL, most[0] * 1e3},
                        {NULL, most[0] > 0 ? 2 * size * size * size / most[0] * 1e-9 : 0},
                        {NULL, sums[0] / self->ranks * 1e3},
                        {NULL, sums[1] / self->ranks * 1e3},
                        {NULL, sums[2] / self->ranks * 100},
                        {NULL, most[1] * 100},
                        {!self->use->data ? "not computed"
                         : wrong == 0     ? "right"
                                          : "wrong",
                         0}};
  print_table(name, chosen_format(self->use->csv, self->use->json), columns,
              (int)(sizeof columns / sizeof columns[0]), cells, 1);
}

/// exit_done, or the code to end with.
static int lay_out(worker* self) {
  const settings* use = self->use;
  char why[160];
  while ((long)self->side * self->side < self->ranks) ++self->side;
  if (self->side * self->side != self->ranks) {
    snprintf(why, sizeof why, "%d ranks: needs a square, as 16 or 1024", self->ranks);
    return refuse(name, why);
  }
  self->row = self->rank / self->side;
  self->column = self->rank % self->side;
  self->block = use->size > 0 ? use->size / self->side : use->block;
  if (use->size > 0 && self->block * self->side != use->size) {
    snprintf(why, sizeof why, "--size: %ld cannot be divided among %d rows of ranks", use->size,
             self->side);
    return refuse(name, why);
  }
  if (self->block > largest_block) {
    snprintf(why, sizeof why, "a block has %ld rows: at most %d", self->block, largest_block);
    return refuse(name, why);
  }
  if (use->data && self->block * self->side > largest_checked) {
    snprintf(why, sizeof why, "--data: a matrix of %ld rows: at most %d", self->block * self->side,
             largest_checked);
    return refuse(name, why);
  }
  return exit_done;
}

static int measure(const settings* use) {
  worker self;
  memset(&self, 0, sizeof self);
  self.use = use;
  MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &self.ranks);
  const int code = lay_out(&self);
  if (code != exit_done) return code;
  open_worker(&self);
  const double seconds = run_steps(&self);
  const long wrong = all_wrong(&self);
  report(&self, seconds, wrong);
  close_worker(&self);
  return wrong == 0 ? exit_ok : exit_failed;
}

static int run(int argc, char** argv) {
  settings use = {.block = 2500, .seed = 1, .element_ns = 10, .product_ns = 10};
  const option options[] = {
      {'b', "block", option_count, &use.block, 1, NULL, "rows of a rank's block (2500)"},
      {'s', "size", option_count, &use.size, 1, NULL,
       "rows of the whole matrix, instead of --block"},
      {'\0', "shift", option_word, &use.shift, 0, "sendrecv|overlap",
       "blocks go on after a product, or while it is computed (sendrecv)"},
      {'\0', "product-ns", option_factor, &use.product_ns, 0, "F",
       "ns of work for a multiplication and an addition (10)"},
      {'\0', "element-ns", option_factor, &use.element_ns, 0, "F",
       "ns of work to read an element of the blocks (10)"},
      {'\0', "data", option_flag, &use.data, 1, NULL,
       "blocks have numbers; the product is compared with a serial one"},
      {'\0', "seed", option_count, &use.seed, 0, NULL, "of the numbers (1)"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const int code =
      read_options(name, "Cannon's multiplication of two square matrices on a square of ranks.",
                   options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  if (use.csv && use.json) return refuse(name, "--csv or --json, not both");
  return measure(&use);
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
