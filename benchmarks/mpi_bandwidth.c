// MPI bandwidth: windows of streamed messages by size, one to many pairs of ranks.
#include <mpi.h>

#include "benchmarks/common/pairs.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

enum { data_tag = 1, answer_tag = 2, warm_up_iterations = 1, max_window = 1024 };

/// A stream's buffer and requests; all messages of a window share the buffer.
typedef struct {
  unsigned char* buffer;
  MPI_Request* requests;
  int window;
} stream;

/// Iterations of: a window of messages up, one empty answer down.
static void push(const pairing* self, const stream* flow, int bytes, long iterations) {
  for (long i = 0; i < iterations; ++i) {
    for (int k = 0; k < flow->window; ++k) {
      if (self->lower) {
        MPI_Isend(flow->buffer, bytes, MPI_BYTE, self->partner, data_tag, MPI_COMM_WORLD,
                  &flow->requests[k]);
      } else {
        MPI_Irecv(flow->buffer, bytes, MPI_BYTE, self->partner, data_tag, MPI_COMM_WORLD,
                  &flow->requests[k]);
      }
    }
    MPI_Waitall(flow->window, flow->requests, MPI_STATUSES_IGNORE);
    if (self->lower) {
      MPI_Recv(NULL, 0, MPI_BYTE, self->partner, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(NULL, 0, MPI_BYTE, self->partner, answer_tag, MPI_COMM_WORLD);
    }
  }
}

/// Fewer windows where each of them takes long.
static long iterations_for(const pair_settings* use, long bytes) {
  if (use->iterations > 0) return use->iterations;
  return bytes < 64L * 1024 ? 20 : 4;
}

static void measure(const pairing* self, const pair_settings* use, long bytes, const stream* flow,
                    row_printer* printer) {
  const long iterations = iterations_for(use, bytes);
  const uint32_t key = (uint32_t)((self->lower ? self->rank : self->partner) % 977);
  if (self->rank == 0) show_progress("bandwidth", bytes);
  if (self->active && self->lower) fill_pattern(flow->buffer, bytes, key);
  if (self->active) push(self, flow, (int)bytes, warm_up_iterations);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (self->active) push(self, flow, (int)bytes, iterations);
  const double elapsed = MPI_Wtime() - start;
  if (self->active && !self->lower) check_pattern("mpi_bandwidth", flow->buffer, bytes, key);
  double mean = 0.0;
  double slowest = 0.0;
  reduce_over_pairs(self, elapsed, &mean, &slowest);
  if (self->rank != 0) return;
  clear_progress();
  const double messages = (double)iterations * flow->window * self->count;
  const cell cells[] = {{NULL, (double)bytes},
                        {NULL, (double)self->count},
                        {NULL, (double)flow->window},
                        {NULL, (double)iterations},
                        {NULL, slowest * 1e6},
                        {NULL, messages * (double)bytes / slowest * 1e-9},
                        {NULL, messages / slowest * 1e-6}};
  print_row(printer, cells);
}

static int run(int argc, char** argv) {
  pair_settings use = {.iterations = 0};
  long window = 64;
  const option options[] = {
      {'\0', "sizes", option_list, &use.sizes, 0, "LIST",
       "sizes in bytes, as 8,1K,4M (default: 1 to 4M in powers of two)"},
      {'i', "iterations", option_count, &use.iterations, 0, NULL,
       "windows per size (0: 20 below 64 KiB, else 4)"},
      {'w', "window", option_count, &window, 1, NULL, "messages under way at once (64)"},
      {'\0', "pairs", option_count, &use.pairs, 0, NULL, "pairs at work (0: all ranks)"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const char* name = "mpi_bandwidth";
  const int code = read_options(
      name, "Streams from rank i to rank i + n/2; GB/s (10^9 bytes) and million messages/s.",
      options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* mistake = find_pair_mistake(&use, size);
  if (mistake == NULL && window > max_window) mistake = "--window: at most 1024";
  if (mistake != NULL) return refuse(name, mistake);
  if (use.sizes.count == 0) add_powers(&use.sizes, 1, 4L * 1024 * 1024);

  const pairing self = find_pair(use.pairs);
  const column columns[] = {{"msgsize", "msgsize", 10, 0},    {"pairs", "pairs", 8, 0},
                            {"window", "window", 8, 0},       {"iterations", "iterations", 12, 0},
                            {"time", "time(us)", 14, 3},      {"bandwidth", "GB/s", 12, 4},
                            {"message_rate", "Mmsg/s", 12, 4}};
  row_printer printer = {chosen_format(use.csv, use.json), 1, name, columns, 7, 0};
  MPI_Request requests[max_window];
  const stream flow = {make_buffer(name, largest_size(&use.sizes)), requests, (int)window};
  if (self.rank == 0) print_rows_begin(&printer);
  for (int i = 0; i < use.sizes.count; ++i) {
    measure(&self, &use, use.sizes.bytes[i], &flow, &printer);
  }
  if (self.rank == 0) print_rows_end(&printer);
  free(flow.buffer);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
