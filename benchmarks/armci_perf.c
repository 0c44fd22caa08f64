// ARMCI latency and bandwidth by size, with and without a fence, and read-modify-write and locks
// under contention.
#include <armci.h>
#include <mpi.h>

#include "benchmarks/common/armci_contention.h"
#include "benchmarks/common/armci_operations.h"
#include "benchmarks/common/pairs.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

static const char name[] = "armci_perf";

enum { warm_up_iterations = 2 };
enum { test_transfer = 0, test_rmw = 1, test_lock = 2, test_all = 3 };

typedef struct {
  pair_settings pairs;
  operation_choice chosen;
  long window;
  int test;
} settings;

/// Times of one call in seconds, of this rank's pair.
typedef struct {
  double latency;  ///< blocking
  double fenced;   ///< blocking, and a fence
  double stream;   ///< of a window of non-blocking ones, fenced
} timing;

static double time_calls(const operation_memory* memory, int kind, long bytes, long iterations,
                         int fence) {
  const double start = MPI_Wtime();
  for (long i = 0; i < iterations; ++i) {
    perform_operation(memory, kind, bytes);
    if (fence) ARMCI_Fence(memory->partner);
  }
  return (MPI_Wtime() - start) / (double)iterations;
}

static double time_stream(const operation_memory* memory, int kind, long bytes, long iterations,
                          long window) {
  const double start = MPI_Wtime();
  for (long i = 0; i < iterations; ++i) {
    for (long j = 0; j < window; ++j) start_operation(memory, kind, bytes, NULL);
    ARMCI_WaitProc(memory->partner);
  }
  ARMCI_Fence(memory->partner);
  return (MPI_Wtime() - start) / (double)(iterations * window);
}

/// All pairs at once, each step begun together.
static timing time_operation(const pairing* self, const operation_memory* memory, int kind,
                             long bytes, const settings* use) {
  const long iterations = use->pairs.iterations;
  const int works = self->active && self->lower;
  timing result = {0, 0, 0};
  if (works) (void)time_calls(memory, kind, bytes, warm_up_iterations, 1);
  ARMCI_Barrier();
  if (works) result.latency = time_calls(memory, kind, bytes, iterations, 0);
  ARMCI_Barrier();
  if (works) result.fenced = time_calls(memory, kind, bytes, iterations, 1);
  ARMCI_Barrier();
  if (works) result.stream = time_stream(memory, kind, bytes, iterations, use->window);
  ARMCI_Barrier();
  return result;
}

/// One row; `bytes` and `count` are of a call, and how many ranks call.
static void print(row_printer* printer, const char* operation, const char* path, long bytes,
                  int count, long iterations, timing mean) {
  const double rate = mean.stream > 0 ? (double)count / mean.stream : 0;
  const cell cells[] = {{operation, 0},
                        {path, 0},
                        {NULL, (double)bytes},
                        {NULL, (double)count},
                        {NULL, (double)iterations},
                        {NULL, mean.latency * 1e6},
                        {NULL, mean.fenced * 1e6},
                        {NULL, rate * (double)bytes / 1e9},
                        {NULL, rate / 1e6}};
  print_row(printer, cells);
}

static void measure_transfers(const pairing* self, const operation_memory* memory,
                              const settings* use, row_printer* printer) {
  for (int i = 0; i < use->pairs.sizes.count; ++i) {
    const long bytes = use->pairs.sizes.bytes[i];
    for (int kind = 0; kind < operation_kinds; ++kind) {
      if (!is_chosen(&use->chosen, kind)) continue;
      if (self->rank == 0) show_progress(blocking_name(kind), bytes);
      const timing own = time_operation(self, memory, kind, bytes, use);
      timing mean = {0, 0, 0};
      double largest = 0;
      reduce_over_pairs(self, own.latency, &mean.latency, &largest);
      reduce_over_pairs(self, own.fenced, &mean.fenced, &largest);
      reduce_over_pairs(self, own.stream, &mean.stream, &largest);
      if (self->rank != 0) continue;
      clear_progress();
      print(printer, blocking_name(kind), path_of(memory, kind, bytes), bytes, self->count,
            use->pairs.iterations, mean);
    }
  }
}

/// Contenders double up to all ranks; the last rank's memory is what they contend for.
static void measure_contention(const settings* use, int ranks, int rank, row_printer* printer) {
  contention here;
  open_contention(&here, name, use->pairs.iterations);
  for (int kind = 0; kind < contention_kinds; ++kind) {
    const int test = kind >= contend_lock ? test_lock : test_rmw;
    if (use->test != test_all && use->test != test) continue;
    for (int contenders = 1;; contenders *= 2) {
      if (contenders > ranks) contenders = ranks;
      const double time = contend(&here, kind, contenders);
      const timing mean = {time, time, time};
      if (rank == 0) {
        print(printer, contention_name(kind), contention_path(&here), contention_bytes(kind),
              contenders, use->pairs.iterations, mean);
      }
      if (contenders == ranks) break;
    }
  }
  close_contention(&here);
}

static void measure(const settings* use) {
  const pairing self = find_pair(use->pairs.pairs);
  const column columns[] = {{"operation", "operation", 14, -1},
                            {"path", "path", 12, -1},
                            {"msgsize", "msgsize", 10, 0},
                            {"ranks", "ranks", 8, 0},
                            {"iterations", "iterations", 12, 0},
                            {"latency", "latency(us)", 14, 3},
                            {"fenced", "fenced(us)", 14, 3},
                            {"bandwidth", "GB/s", 10, 4},
                            {"rate", "M/s", 10, 4}};
  row_printer printer = {chosen_format(use->pairs.csv, use->pairs.json), 1, name, columns,
                         (int)(sizeof columns / sizeof columns[0]),      0};
  if (self.rank == 0) print_rows_begin(&printer);
  if (use->test == test_transfer || use->test == test_all) {
    operation_memory memory;
    const long largest = largest_size(&use->pairs.sizes);
    open_operations(&memory, name, self.lower, self.partner, largest, use->chosen.row);
    check_operations(&memory, &use->chosen, largest);
    measure_transfers(&self, &memory, use, &printer);
    check_operations(&memory, &use->chosen, largest);
    close_operations(&memory);
  }
  if (use->test != test_transfer) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    measure_contention(use, ranks, self.rank, &printer);
  }
  if (self.rank == 0) print_rows_end(&printer);
}

static int run(int argc, char** argv) {
  settings use = {.pairs = {.iterations = 50},
                  .chosen = default_operation_choice(),
                  .window = 16,
                  .test = test_all};
  const option options[] = {
      {'\0', "test", option_word, &use.test, 0, "transfer|rmw|lock|all", "what to measure (all)"},
      {'\0', "sizes", option_list, &use.pairs.sizes, 0, "LIST",
       "sizes in bytes, as 8,1K,4M (default: 8 to 4M in powers of two)"},
      OPERATION_OPTIONS(use.chosen),
      {'i', "iterations", option_count, &use.pairs.iterations, 1, NULL, "calls per size (50)"},
      {'w', "window", option_count, &use.window, 1, NULL,
       "non-blocking calls between waits, for the bandwidth (16)"},
      {'\0', "pairs", option_count, &use.pairs.pairs, 0, NULL, "pairs at work (0: all ranks)"},
      FORMAT_OPTIONS(use.pairs),
      HELP_OPTION('h', use.pairs)};
  const int code = read_options(
      name, "One-sided transfers from rank i to i + n/2, atomics and locks of the last rank's.",
      options, (int)(sizeof options / sizeof options[0]), &use.pairs.help, argc, argv);
  if (code != exit_done) return code;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (use.pairs.sizes.count == 0) add_powers(&use.pairs.sizes, 8, 4L * 1024 * 1024);
  const char* mistake = find_pair_mistake(&use.pairs, size);
  if (mistake == NULL) mistake = find_operation_mistake(&use.chosen, &use.pairs.sizes);
  if (mistake == NULL && use.window > 4096) mistake = "--window: at most 4096";
  if (mistake == NULL && use.pairs.iterations > 1000000) mistake = "--iterations: at most 1000000";
  if (mistake != NULL) return refuse(name, mistake);
  ARMCI_Init();
  measure(&use);
  ARMCI_Finalize();
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
