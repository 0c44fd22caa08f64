// SMB host processor overhead: how much of a message's transfer time the processor is free.
//
// The post-work-wait method of the Sandia MPI Micro-Benchmarks: for each size, work grows until
// it lengthens the loop (send or receive, work, wait); overhead is what the loop takes beyond the
// work alone, availability = 1 - overhead / base time. Ranks of the lower half measure, rank r
// works with rank r + size/2, and rank 0 decides for all when to stop.
//
// Two untimed iterations precede each size, and fewer timed ones are the default than in the
// original (benchmarks/README.md says why).
#include <mpi.h>
#include <stdlib.h>

#include "benchmarks/common/program.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

/// One trip of the original's work loop is a dependent double multiply and add on globals: 4 + 4
/// cycles at the XE6's 2.1 GHz are 3.8 ns.
static const double trip_ns = 4.0;

enum {
  data_tag = 2,
  warm_up_iterations = 2,
  max_doublings = 34  ///< 2^34 trips are 69 s of work in one iteration
};

enum { side_send = 0, side_recv = 1, side_both = 2 };
enum { order_stop = 0, order_transfer = 1, order_work = 2 };

/// What rank 0 tells all ranks to do next.
typedef struct {
  long long kind, side, bytes, iterations, trips;
} order;

typedef struct {
  int side, verbose, no_header, help;
  int csv, json;
  long iterations, bytes;
  double threshold, base_threshold, work_ratio;
  size_list sizes;
} settings;

/// Who this rank is.
typedef struct {
  int rank, size, partner, measures;
  unsigned char* buffer;
} role;

/// One result; times in seconds per iteration.
typedef struct {
  long iterations;
  double loop, work, base;
} measurement;

static void work(long long trips) {
  if (trips > 0) corespec_work_ns((double)trips * trip_ns);
}

/// One message with the receive posted first and work between post and wait.
static void one_transfer(const role* self, const order* todo) {
  MPI_Request request;
  const int bytes = (int)todo->bytes;
  const int sends = self->measures == (todo->side == side_send);
  if (!sends) {
    MPI_Irecv(self->buffer, bytes, MPI_BYTE, self->partner, data_tag, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (self->measures) work(todo->trips);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (self->measures) {
    MPI_Isend(self->buffer, bytes, MPI_BYTE, self->partner, data_tag, MPI_COMM_WORLD, &request);
    work(todo->trips);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(self->buffer, bytes, MPI_BYTE, self->partner, data_tag, MPI_COMM_WORLD);
  }
}

static void one_iteration(const role* self, const order* todo) {
  if (todo->kind == order_transfer) {
    one_transfer(self, todo);
    return;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (self->measures) work(todo->trips);
}

/// Does what was ordered; the time of one iteration in seconds.
static double carry_out(const role* self, const order* todo) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long long i = 0; i < todo->iterations; ++i) one_iteration(self, todo);
  return (MPI_Wtime() - start) / (double)todo->iterations;
}

/// Rank 0: tells everybody, then takes part. The time of one iteration in seconds.
static double give_order(const role* self, order todo) {
  MPI_Bcast(&todo, 5, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  return carry_out(self, &todo);
}

/// Everybody else: obeys rank 0 until the end.
static void obey(const role* self) {
  for (;;) {
    order todo;
    MPI_Bcast(&todo, 5, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    if (todo.kind == order_stop) return;
    (void)carry_out(self, &todo);
  }
}

static long automatic_iterations(long bytes) {
  if (bytes < 64L * 1024) return 100;
  if (bytes < 8L * 1024 * 1024) return 20;
  return 10;
}

static order transfer_order(const settings* use, int side, long bytes) {
  const long iterations = use->iterations > 0 ? use->iterations : automatic_iterations(bytes);
  const order todo = {order_transfer, side, bytes, iterations, 0};
  return todo;
}

static FILE* verbose_stream(const settings* use) { return use->csv || use->json ? stderr : stdout; }

/// The original's rule: work doubles until the loop takes `threshold` times the base time; loops
/// shorter than `base_threshold` times it are flat and enter it.
static measurement measure_growing(const role* self, const settings* use, order todo) {
  measurement result = {(long)todo.iterations, 0, 0, 0};
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
  return result;
}

/// Availability at a fixed ratio of work to base time.
static measurement measure_at_ratio(const role* self, const settings* use, order todo) {
  measurement result = {(long)todo.iterations, 0, 0, 0};
  result.base = give_order(self, todo);
  todo.trips = (long long)(use->work_ratio * result.base * 1e9 / trip_ns + 0.5);
  result.loop = give_order(self, todo);
  todo.kind = order_work;
  result.work = give_order(self, todo);
  return result;
}

static void measure(const role* self, const settings* use, int side, long bytes,
                    row_printer* printer) {
  const char* name = side == side_send ? "send" : "recv";
  show_progress(name, bytes);
  order todo = transfer_order(use, side, bytes);
  order warm_up = todo;
  warm_up.iterations = warm_up_iterations;
  (void)give_order(self, warm_up);
  if (use->verbose) {
    order barriers = todo;
    barriers.kind = order_work;
    fprintf(verbose_stream(use), "%s %ld bytes: barrier alone %.3f us\n", name, bytes,
            give_order(self, barriers) * 1e6);
  }
  const measurement result =
      use->work_ratio > 0 ? measure_at_ratio(self, use, todo) : measure_growing(self, use, todo);
  clear_progress();
  const double overhead = result.loop - result.work;
  const cell cells[] = {{name, 0},
                        {NULL, (double)bytes},
                        {NULL, (double)result.iterations},
                        {NULL, result.loop * 1e6},
                        {NULL, result.work * 1e6},
                        {NULL, overhead * 1e6},
                        {NULL, result.base * 1e6},
                        {NULL, 100.0 * (1.0 - overhead / result.base)}};
  print_row(printer, cells);
}

static void lead(const role* self, const settings* use) {
  const int sided = use->side == side_both;
  const column columns[] = {{"side", sided ? "side" : NULL, 6, -1},
                            {"msgsize", "msgsize", 8, 0},
                            {"iterations", "iterations", 12, 0},
                            {"iter_t", "iter_t", 12, 3},
                            {"work_t", "work_t", 12, 3},
                            {"overhead", "overhead", 12, 3},
                            {"base_t", "base_t", 12, 3},
                            {"avail", "avail(%)", 12, use->csv || use->json ? 3 : 1}};
  row_printer printer = {use->csv    ? format_csv
                         : use->json ? format_json
                                     : format_table,
                         !use->no_header,
                         "smb_overhead",
                         columns,
                         (int)(sizeof columns / sizeof columns[0]),
                         0};
  if (use->verbose) {
    fprintf(verbose_stream(use),
            "ranks %d thresh %g bthresh %g trip %g ns clock resolution %g us\n", self->size,
            use->threshold, use->base_threshold, trip_ns, MPI_Wtick() * 1e6);
  }
  print_rows_begin(&printer);
  for (int i = 0; i < use->sizes.count; ++i) {
    for (int side = side_send; side <= side_recv; ++side) {
      if (!sided && use->side != side) continue;
      measure(self, use, side, use->sizes.bytes[i], &printer);
    }
  }
  print_rows_end(&printer);
  order stop = {order_stop, 0, 0, 0, 0};
  MPI_Bcast(&stop, 5, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
}

/// Moves one message of the largest size each way and compares it with what was sent.
static void check_data(const role* self, long bytes) {
  const int count = (int)bytes;
  for (int direction = 0; direction < 2; ++direction) {
    const uint32_t key = (uint32_t)direction + 1;
    if (self->measures == (direction == 0)) {
      fill_pattern(self->buffer, bytes, key);
      MPI_Send(self->buffer, count, MPI_BYTE, self->partner, data_tag, MPI_COMM_WORLD);
    } else {
      MPI_Recv(self->buffer, count, MPI_BYTE, self->partner, data_tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      check_pattern("smb_overhead", self->buffer, bytes, key);
    }
  }
}

/// The sizes and the side that the options leave open.
static void complete(settings* use) {
  const int one_size = use->bytes >= 0;
  if (use->side < 0) use->side = one_size ? side_send : side_both;
  if (use->sizes.count > 0) return;
  if (one_size) {
    add_size(&use->sizes, use->bytes);
    return;
  }
  add_powers(&use->sizes, 1, 8192);
  add_size(&use->sizes, 9 * 1024);
  add_size(&use->sizes, 10 * 1024);
  add_powers(&use->sizes, 16384, 4L * 1024 * 1024);
}

static const char* find_mistake(const settings* use, int ranks) {
  if (ranks % 2 != 0) return "needs an even number of ranks";
  if (use->csv && use->json) return "--csv or --json, not both";
  if (use->bytes >= 0 && use->sizes.count > 0) return "--msgsize or --sizes, not both";
  if (use->bytes > 1L << 30 || largest_size(&use->sizes) > 1L << 30) {
    return "messages have at most 1G bytes";
  }
  return NULL;
}

static int run(int argc, char** argv) {
  settings use = {.side = -1, .bytes = -1, .threshold = 1.5, .base_threshold = 1.02};
  const option options[] = {
      {'r', "recv", option_flag, &use.side, side_recv, NULL, "measure the receive side"},
      {'\0', "side", option_word, &use.side, 0, "send|recv|both",
       "side(s) to measure (default: send with --msgsize, else both)"},
      {'m', "msgsize", option_bytes, &use.bytes, 0, NULL, "one message size in bytes"},
      {'\0', "sizes", option_list, &use.sizes, 0, "LIST",
       "sizes in bytes, as 8,1K,4M (default: 1 to 4M in powers of two, 9K, 10K)"},
      {'i', "iterations", option_count, &use.iterations, 0, NULL,
       "iterations per step (0: 100 below 64 KiB, 20 below 8 MiB, else 10)"},
      {'t', "thresh", option_factor, &use.threshold, 1, "F",
       "stop when the loop takes F times the base time (1.5)"},
      {'b', "bthresh", option_factor, &use.base_threshold, 1, "F",
       "loops below F times the base time enter it (1.02)"},
      {'\0', "work-ratio", option_factor, &use.work_ratio, 0, "R",
       "work R times the base time instead of growing it"},
      FORMAT_OPTIONS(use),
      {'n', "nohdr", option_flag, &use.no_header, 1, NULL, "no header line"},
      {'v', "verbose", option_flag, &use.verbose, 1, NULL, "settings, and a line per step"},
      HELP_OPTION('q', use)};
  const char* name = "smb_overhead";
  const int code = read_options(
      name, "Host processor overhead and availability, post-work-wait; times in microseconds.",
      options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  role self = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &self.size);
  const char* mistake = find_mistake(&use, self.size);
  if (mistake != NULL) return refuse(name, mistake);
  complete(&use);

  const long largest = largest_size(&use.sizes);
  self.measures = self.rank < self.size / 2;
  self.partner = (self.rank + self.size / 2) % self.size;
  self.buffer = make_buffer(name, largest);
  check_data(&self, largest);
  work(1);  // elsewhere than under Castor, the first call calibrates
  if (self.rank == 0) {
    lead(&self, &use);
  } else {
    obey(&self);
  }
  free(self.buffer);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
