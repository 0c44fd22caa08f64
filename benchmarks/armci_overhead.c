// ARMCI host processor overhead: how much of a one-sided transfer's time the processor is free, at
// its origin and at its target.
//
// The post-work-wait method of smb_overhead. At the origin: start a non-blocking operation, work,
// ARMCI_Wait. At the target: work while the partner performs the operation and fences it; both then
// meet in a barrier. Ranks of the lower half are origins, rank r's target is rank r + size/2; the
// side that is measured works, and the other does not.
#include <armci.h>
#include <mpi.h>
#include <stdlib.h>

#include "benchmarks/common/armci_operations.h"
#include "benchmarks/common/post_work_wait.h"

CORESPEC_MODELLED_PROGRAM;

enum { side_origin = 0, side_target = 1, side_both = 2 };

typedef struct {
  int side;
  operation_choice chosen;
  size_list sizes;
  overhead_settings method;
} settings;

/// Which rank this is.
typedef struct {
  int rank, size, is_origin;
  operation_memory memory;
} role;

/// Both sides of an operation in one number, for an order.
static int case_of(int side, int kind) { return side * operation_kinds + kind; }
static int side_of(const order* todo) { return (int)todo->what / operation_kinds; }
static int kind_of(const order* todo) { return (int)todo->what % operation_kinds; }

/// The operation from post to wait, with the origin's work in between.
static void originate(const role* self, const order* todo, long long trips) {
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  start_operation(&self->memory, kind_of(todo), todo->bytes, &handle);
  work(trips);
  ARMCI_Wait(&handle);
}

/// Measured at the origin: its partner is in the barrier of the next iteration all the time.
static void one_for_origin(const role* self, const order* todo) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (!self->is_origin) return;
  if (todo->kind == order_transfer) {
    originate(self, todo, todo->trips);
  } else {
    work(todo->trips);
  }
}

/// Measured at the target: what its work has to wait for is the last barrier.
static void one_for_target(const role* self, const order* todo) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (!self->is_origin) {
    work(todo->trips);
  } else if (todo->kind == order_transfer) {
    originate(self, todo, 0);
    ARMCI_Fence(self->memory.partner);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void one_iteration(const void* context, const order* todo) {
  const role* self = (const role*)context;
  if (side_of(todo) == side_origin) {
    one_for_origin(self, todo);
  } else {
    one_for_target(self, todo);
  }
}

static void measure(const worker* self, const settings* use, int side, int kind, long bytes,
                    row_printer* printer) {
  const role* here = (const role*)self->self;
  const char* operation = nonblocking_name(kind);
  const overhead_result result =
      measure_overhead(self, &use->method, operation, case_of(side, kind), bytes);
  const cell cells[] = {{side == side_origin ? "origin" : "target", 0},
                        {operation, 0},
                        {path_of(&here->memory, kind, bytes), 0},
                        OVERHEAD_CELLS(bytes, result),
                        {NULL, 100.0 * result.median.own / result.median.loop},
                        REPEAT_CELLS(result)};
  print_row(printer, cells);
}

static void lead(const worker* self, const settings* use, int ranks) {
  const column columns[] = {{"side", "side", 8, -1},
                            {"operation", "operation", 10, -1},
                            {"path", "path", 12, -1},
                            OVERHEAD_COLUMNS(use->method),
                            {"cpu", "cpu(%)", 12, use->method.csv || use->method.json ? 3 : 1},
                            REPEAT_COLUMNS(use->method)};
  row_printer printer = {overhead_format(&use->method),
                         !use->method.no_header,
                         "armci_overhead",
                         columns,
                         overhead_columns(&use->method, (int)(sizeof columns / sizeof columns[0])),
                         0};
  if (use->method.verbose) print_overhead_settings(&use->method, ranks);
  print_rows_begin(&printer);
  for (int i = 0; i < use->sizes.count; ++i) {
    for (int side = side_origin; side <= side_target; ++side) {
      if (use->side != side_both && use->side != side) continue;
      for (int kind = 0; kind < operation_kinds; ++kind) {
        if (!is_chosen(&use->chosen, kind)) continue;
        measure(self, use, side, kind, use->sizes.bytes[i], &printer);
      }
    }
  }
  print_rows_end(&printer);
  dismiss();
}

static void measure_all(const settings* use, role* self) {
  open_operations(&self->memory, "armci_overhead", self->is_origin,
                  (self->rank + self->size / 2) % self->size, largest_size(&use->sizes),
                  use->chosen.row);
  check_operations(&self->memory, &use->chosen, largest_size(&use->sizes));
  work(1);  // elsewhere than under Castor, the first call calibrates
  const worker here = {one_iteration, self};
  if (self->rank == 0) {
    lead(&here, use, self->size);
  } else {
    obey(&here);
  }
  check_operations(&self->memory, &use->chosen, largest_size(&use->sizes));
  close_operations(&self->memory);
}

static const char* find_mistake(const settings* use, int ranks) {
  if (ranks % 2 != 0) return "needs an even number of ranks";
  if (use->method.csv && use->method.json) return "--csv or --json, not both";
  return find_operation_mistake(&use->chosen, &use->sizes);
}

static int run(int argc, char** argv) {
  settings use = {.side = side_both,
                  .chosen = default_operation_choice(),
                  .method = default_overhead_settings()};
  const option options[] = {
      {'\0', "side", option_word, &use.side, 0, "origin|target|both", "side(s) to measure (both)"},
      {'\0', "sizes", option_list, &use.sizes, 0, "LIST",
       "sizes in bytes, as 8,1K,4M (default: 8 to 4M in powers of two)"},
      OPERATION_OPTIONS(use.chosen),
      OVERHEAD_OPTIONS(use.method),
      HELP_OPTION('q', use.method)};
  const char* name = "armci_overhead";
  const int code = read_options(
      name, "Overhead and availability of one-sided transfers, post-work-wait; microseconds.",
      options, (int)(sizeof options / sizeof options[0]), &use.method.help, argc, argv);
  if (code != exit_done) return code;
  if (use.sizes.count == 0) add_powers(&use.sizes, 8, 4L * 1024 * 1024);
  role self = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &self.size);
  self.is_origin = self.rank < self.size / 2;
  const char* mistake = find_mistake(&use, self.size);
  if (mistake != NULL) return refuse(name, mistake);
  ARMCI_Init();
  measure_all(&use, &self);
  ARMCI_Finalize();
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
