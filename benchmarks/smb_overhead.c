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

#include "benchmarks/common/post_work_wait.h"

CORESPEC_MODELLED_PROGRAM;

enum { data_tag = 2 };

enum { side_send = 0, side_recv = 1, side_both = 2 };

typedef struct {
  int side;
  long bytes;
  size_list sizes;
  overhead_settings method;
} settings;

/// Which rank this is.
typedef struct {
  int rank, size, partner, measures;
  unsigned char* buffer;
} role;

/// One message with the receive posted first and work between post and wait.
static void one_transfer(const role* self, const order* todo) {
  MPI_Request request;
  const int bytes = (int)todo->bytes;
  const int sends = self->measures == (todo->what == side_send);
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

static void one_iteration(const void* context, const order* todo) {
  const role* self = (const role*)context;
  if (todo->kind == order_transfer) {
    one_transfer(self, todo);
    return;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (self->measures) work(todo->trips);
}

static void measure(const worker* self, const settings* use, int side, long bytes,
                    row_printer* printer) {
  const char* name = side == side_send ? "send" : "recv";
  const overhead_result result = measure_overhead(self, &use->method, name, side, bytes);
  const cell cells[] = {{name, 0}, OVERHEAD_CELLS(bytes, result), REPEAT_CELLS(result)};
  print_row(printer, cells);
}

static void lead(const worker* self, const settings* use, int ranks) {
  const int sided = use->side == side_both;
  const column columns[] = {{"side", sided ? "side" : NULL, 6, -1},
                            OVERHEAD_COLUMNS(use->method),
                            REPEAT_COLUMNS(use->method)};
  row_printer printer = {overhead_format(&use->method),
                         !use->method.no_header,
                         "smb_overhead",
                         columns,
                         overhead_columns(&use->method, (int)(sizeof columns / sizeof columns[0])),
                         0};
  if (use->method.verbose) print_overhead_settings(&use->method, ranks);
  print_rows_begin(&printer);
  for (int i = 0; i < use->sizes.count; ++i) {
    for (int side = side_send; side <= side_recv; ++side) {
      if (!sided && use->side != side) continue;
      measure(self, use, side, use->sizes.bytes[i], &printer);
    }
  }
  print_rows_end(&printer);
  dismiss();
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
  if (use->method.csv && use->method.json) return "--csv or --json, not both";
  if (use->bytes >= 0 && use->sizes.count > 0) return "--msgsize or --sizes, not both";
  if (use->bytes > 1L << 30 || largest_size(&use->sizes) > 1L << 30) {
    return "messages have at most 1G bytes";
  }
  return NULL;
}

static int run(int argc, char** argv) {
  settings use = {.side = -1, .bytes = -1, .method = default_overhead_settings()};
  const option options[] = {
      {'r', "recv", option_flag, &use.side, side_recv, NULL, "measure the receive side"},
      {'\0', "side", option_word, &use.side, 0, "send|recv|both",
       "side(s) to measure (default: send with --msgsize, else both)"},
      {'m', "msgsize", option_bytes, &use.bytes, 0, NULL, "one message size in bytes"},
      {'\0', "sizes", option_list, &use.sizes, 0, "LIST",
       "sizes in bytes, as 8,1K,4M (default: 1 to 4M in powers of two, 9K, 10K)"},
      OVERHEAD_OPTIONS(use.method),
      HELP_OPTION('q', use.method)};
  const char* name = "smb_overhead";
  const int code = read_options(
      name, "Host processor overhead and availability, post-work-wait; times in microseconds.",
      options, (int)(sizeof options / sizeof options[0]), &use.method.help, argc, argv);
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
  const worker here = {one_iteration, &self};
  if (self.rank == 0) {
    lead(&here, &use, self.size);
  } else {
    obey(&here);
  }
  free(self.buffer);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
