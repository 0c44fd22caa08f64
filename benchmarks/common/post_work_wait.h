// The post-work-wait method of the Sandia MPI Micro-Benchmarks: orders, steps, options, columns.
//
// Rank 0 decides what all ranks do next and for how many iterations; a program says what one
// iteration of a transfer is. For each case, work grows until it lengthens the loop (post, work,
// wait); overhead is what the loop takes beyond the work alone, availability = 1 - overhead / base
// time.
#pragma once

#include "benchmarks/common/program.h"
#include "corespec_work.h"

/// One trip of the original's work loop is a dependent double multiply and add on globals: 4 + 4
/// cycles at the XE6's 2.1 GHz are 3.8 ns.
static const double trip_ns = 4.0;

enum {
  warm_up_iterations = 2,
  max_doublings = 34  ///< 2^34 trips are 69 s of work in one iteration
};

enum { order_stop = 0, order_transfer = 1, order_work = 2 };

/// What rank 0 tells all ranks to do next. `what` is the program's own: a side, an operation.
typedef struct {
  long long kind, what, bytes, iterations, trips;
} order;

/// A rank's part: `iterate` does one iteration of a transfer (or of its work alone), `self` is the
/// program's.
typedef struct {
  void (*iterate)(const void* self, const order* todo);
  const void* self;
} worker;

/// How to measure and to print.
typedef struct {
  int verbose, no_header, csv, json, help;
  long iterations, repeats;
  double threshold, base_threshold, work_ratio;
} overhead_settings;

/// One result; times in seconds per iteration. `work` is measured, beside all that shares the CPU;
/// `own` is what the same work takes on a CPU that has nothing else to do.
typedef struct {
  long iterations;
  double loop, work, base, own;
} measurement;

/// A case that was measured once or again: the measurement with the median of the availabilities
/// (of an even number the lower one of the middle), and the least and the greatest of them.
typedef struct {
  measurement median;
  long repeats;
  double least, greatest;
} overhead_result;

// Entries of an option table; `use` is an overhead_settings.
#define OVERHEAD_OPTIONS(use)                                                             \
  {'i',                                                                                   \
   "iterations",                                                                          \
   option_count,                                                                          \
   &(use).iterations,                                                                     \
   0,                                                                                     \
   NULL,                                                                                  \
   "iterations per step (0: 100 below 64 KiB, 20 below 8 MiB, else 10)"},                 \
      {'t',                                                                               \
       "thresh",                                                                          \
       option_factor,                                                                     \
       &(use).threshold,                                                                  \
       1,                                                                                 \
       "F",                                                                               \
       "stop when the loop takes F times the base time (1.5)"},                           \
      {'b',                                                                               \
       "bthresh",                                                                         \
       option_factor,                                                                     \
       &(use).base_threshold,                                                             \
       1,                                                                                 \
       "F",                                                                               \
       "loops below F times the base time enter it (1.02)"},                              \
      {'\0',                                                                              \
       "work-ratio",                                                                      \
       option_factor,                                                                     \
       &(use).work_ratio,                                                                 \
       0,                                                                                 \
       "R",                                                                               \
       "work R times the base time instead of growing it"},                               \
      {'\0',                                                                              \
       "repeat",                                                                          \
       option_count,                                                                      \
       &(use).repeats,                                                                    \
       1,                                                                                 \
       "K",                                                                               \
       "measure each case K times: the median by availability, the least, the greatest"}, \
      FORMAT_OPTIONS(use),                                                                \
      {'n', "nohdr", option_flag, &(use).no_header, 1, NULL, "no header line"}, {         \
    'v', "verbose", option_flag, &(use).verbose, 1, NULL, "settings, and a line per step" \
  }

// Columns of a result table, and their cells.
#define OVERHEAD_COLUMNS(use)                                                                      \
  {"msgsize", "msgsize", 8, 0}, {"iterations", "iterations", 12, 0}, {"iter_t", "iter_t", 12, 3},  \
      {"work_t", "work_t", 12, 3}, {"overhead", "overhead", 12, 3}, {"base_t", "base_t", 12, 3}, { \
    "avail", "avail(%)", 12, (use).csv || (use).json ? 3 : 1                                       \
  }
#define OVERHEAD_CELLS(bytes, result)                                         \
  {NULL, (double)(bytes)}, {NULL, (double)(result).median.iterations},        \
      {NULL, (result).median.loop * 1e6}, {NULL, (result).median.work * 1e6}, \
      {NULL, ((result).median.loop - (result).median.work) * 1e6},            \
      {NULL, (result).median.base * 1e6}, {                                   \
    NULL, availability(&(result).median)                                      \
  }

// The last columns, which are there with --repeat only: see overhead_columns().
#define REPEAT_COLUMNS(use)                                                                       \
  {"repeats", "repeats", 9, 0}, {"avail_min", "least(%)", 10, (use).csv || (use).json ? 3 : 1}, { \
    "avail_max", "greatest(%)", 12, (use).csv || (use).json ? 3 : 1                               \
  }
#define REPEAT_CELLS(result) \
  {NULL, (double)(result).repeats}, {NULL, (result).least}, { NULL, (result).greatest }

/// How many of `all` columns are printed.
static inline int overhead_columns(const overhead_settings* use, int all) {
  enum { of_repeats = 3 };
  return use->repeats > 1 ? all : all - of_repeats;
}

/// In percent.
static inline double availability(const measurement* result) {
  return 100.0 * (1.0 - (result->loop - result->work) / result->base);
}

static inline overhead_settings default_overhead_settings(void) {
  const overhead_settings use = {.repeats = 1, .threshold = 1.5, .base_threshold = 1.02};
  return use;
}

static inline row_format overhead_format(const overhead_settings* use) {
  return chosen_format(use->csv, use->json);
}

/// Where -v prints: not among the values of a file.
static inline FILE* verbose_stream(const overhead_settings* use) {
  return use->csv || use->json ? stderr : stdout;
}

/// The iteration's work between post and wait.
static inline void work(long long trips) {
  if (trips > 0) corespec_work_ns((double)trips * trip_ns);
}

/// Does what was ordered; the time of one iteration in seconds.
static inline double carry_out(const worker* self, const order* todo) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long long i = 0; i < todo->iterations; ++i) self->iterate(self->self, todo);
  return (MPI_Wtime() - start) / (double)todo->iterations;
}

/// Rank 0: tells the other ranks, then takes part. The time of one iteration in seconds.
static inline double give_order(const worker* self, order todo) {
  MPI_Bcast(&todo, 5, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  return carry_out(self, &todo);
}

/// Other ranks: obey rank 0 until the end.
static inline void obey(const worker* self) {
  for (;;) {
    order todo;
    MPI_Bcast(&todo, 5, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    if (todo.kind == order_stop) return;
    (void)carry_out(self, &todo);
  }
}

/// Rank 0: lets the other ranks go.
static inline void dismiss(void) {
  order stop = {order_stop, 0, 0, 0, 0};
  MPI_Bcast(&stop, 5, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
}

static inline long automatic_iterations(long bytes) {
  if (bytes < 64L * 1024) return 100;
  if (bytes < 8L * 1024 * 1024) return 20;
  return 10;
}

static inline order transfer_order(const overhead_settings* use, long long what, long bytes) {
  const long iterations = use->iterations > 0 ? use->iterations : automatic_iterations(bytes);
  const order todo = {order_transfer, what, bytes, iterations, 0};
  return todo;
}

/// The original's rule: work doubles until the loop takes `threshold` times the base time; loops
/// shorter than `base_threshold` times it are flat and enter it.
static inline measurement measure_growing(const worker* self, const overhead_settings* use,
                                          order todo) {
  measurement result = {(long)todo.iterations, 0, 0, 0, 0};
  double flat_sum = 0;
  int flat_steps = 0;
  todo.trips = 1;
  for (int step = 0;; ++step) {
    result.loop = give_order(self, todo);
    if (step == 0) result.base = result.loop;
    if (use->verbose) {
      fprintf(verbose_stream(use), "work %lld iter_t %.3f base_t %.3f\n", todo.trips,
              result.loop * 1e6, result.base * 1e6);
    }
    if (result.loop > result.base * use->threshold || step == max_doublings) break;
    if (result.loop < result.base * use->base_threshold) {
      flat_sum += result.loop;
      ++flat_steps;
      result.base = flat_sum / flat_steps;
    }
    todo.trips *= 2;
  }
  todo.kind = order_work;
  result.work = give_order(self, todo);
  result.own = (double)todo.trips * trip_ns * 1e-9;
  return result;
}

/// Availability at a fixed ratio of work to base time.
static inline measurement measure_at_ratio(const worker* self, const overhead_settings* use,
                                           order todo) {
  measurement result = {(long)todo.iterations, 0, 0, 0, 0};
  result.base = give_order(self, todo);
  todo.trips = (long long)(use->work_ratio * result.base * 1e9 / trip_ns + 0.5);
  result.loop = give_order(self, todo);
  todo.kind = order_work;
  result.work = give_order(self, todo);
  result.own = (double)todo.trips * trip_ns * 1e-9;
  return result;
}

/// Rank 0: one case from its untimed iterations to its result, once.
static inline measurement measure_once(const worker* self, const overhead_settings* use,
                                       const char* name, long long what, long bytes) {
  const order todo = transfer_order(use, what, bytes);
  order warm_up = todo;
  warm_up.iterations = warm_up_iterations;
  (void)give_order(self, warm_up);
  if (use->verbose) {
    order barriers = todo;
    barriers.kind = order_work;
    fprintf(verbose_stream(use), "%s %ld bytes: barrier alone %.3f us\n", name, bytes,
            give_order(self, barriers) * 1e6);
  }
  return use->work_ratio > 0 ? measure_at_ratio(self, use, todo) : measure_growing(self, use, todo);
}

static inline int by_availability(const void* left, const void* right) {
  const double a = availability((const measurement*)left);
  const double b = availability((const measurement*)right);
  return a < b ? -1 : a > b;
}

/// Rank 0: one case, as often as it is to be repeated.
static inline overhead_result measure_overhead(const worker* self, const overhead_settings* use,
                                               const char* name, long long what, long bytes) {
  measurement* all = (measurement*)malloc((size_t)use->repeats * sizeof *all);
  if (all == NULL) {
    fprintf(stderr, "%s: no memory for %ld repetitions\n", name, use->repeats);
    MPI_Abort(MPI_COMM_WORLD, exit_failed);
  }
  for (long i = 0; i < use->repeats; ++i) {
    show_progress(name, bytes);
    all[i] = measure_once(self, use, name, what, bytes);
    clear_progress();
  }
  qsort(all, (size_t)use->repeats, sizeof *all, by_availability);
  const overhead_result result = {all[(use->repeats - 1) / 2], use->repeats, availability(&all[0]),
                                  availability(&all[use->repeats - 1])};
  free(all);
  return result;
}

static inline void print_overhead_settings(const overhead_settings* use, int ranks) {
  fprintf(verbose_stream(use), "ranks %d thresh %g bthresh %g trip %g ns clock resolution %g us\n",
          ranks, use->threshold, use->base_threshold, trip_ns, MPI_Wtick() * 1e6);
}
