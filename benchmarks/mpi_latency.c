// MPI latency: half the round trip of a ping-pong by message size, one to many pairs of ranks.
#include <mpi.h>

#include "benchmarks/common/pairs.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

enum { tag = 1, warm_up_iterations = 2 };

static void ping_pong(const pairing* self, unsigned char* buffer, int bytes, long iterations) {
  for (long i = 0; i < iterations; ++i) {
    if (self->lower) MPI_Send(buffer, bytes, MPI_BYTE, self->partner, tag, MPI_COMM_WORLD);
    MPI_Recv(buffer, bytes, MPI_BYTE, self->partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!self->lower) MPI_Send(buffer, bytes, MPI_BYTE, self->partner, tag, MPI_COMM_WORLD);
  }
}

static void measure(const pairing* self, const pair_settings* use, long bytes,
                    unsigned char* buffer, row_printer* printer) {
  const uint32_t key = (uint32_t)(self->rank % 977);
  if (self->rank == 0) show_progress("latency", bytes);
  if (self->active && self->lower) fill_pattern(buffer, bytes, key);
  if (self->active) ping_pong(self, buffer, (int)bytes, warm_up_iterations);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (self->active) ping_pong(self, buffer, (int)bytes, use->iterations);
  const double half = (MPI_Wtime() - start) / (double)use->iterations / 2.0;
  if (self->active && self->lower) check_pattern("mpi_latency", buffer, bytes, key);
  double mean = 0.0;
  double largest = 0.0;
  reduce_over_pairs(self, half, &mean, &largest);
  if (self->rank != 0) return;
  clear_progress();
  const cell cells[] = {{NULL, (double)bytes},
                        {NULL, (double)self->count},
                        {NULL, (double)use->iterations},
                        {NULL, mean * 1e6},
                        {NULL, largest * 1e6}};
  print_row(printer, cells);
}

static int run(int argc, char** argv) {
  pair_settings use = {.iterations = 100};
  const option options[] = {
      {'\0', "sizes", option_list, &use.sizes, 0, "LIST",
       "sizes in bytes, as 8,1K,4M (default: 0, 1 to 4M in powers of two)"},
      {'i', "iterations", option_count, &use.iterations, 1, NULL, "round trips per size (100)"},
      {'\0', "pairs", option_count, &use.pairs, 0, NULL, "pairs at work (0: all ranks)"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const char* name = "mpi_latency";
  const int code =
      read_options(name, "Half the round trip between ranks i and i + n/2; microseconds.", options,
                   (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* mistake = find_pair_mistake(&use, size);
  if (mistake != NULL) return refuse(name, mistake);
  if (use.sizes.count == 0) {
    add_size(&use.sizes, 0);
    add_powers(&use.sizes, 1, 4L * 1024 * 1024);
  }
  const pairing self = find_pair(use.pairs);
  const column columns[] = {{"msgsize", "msgsize", 10, 0},
                            {"pairs", "pairs", 8, 0},
                            {"iterations", "iterations", 12, 0},
                            {"latency_mean", "mean(us)", 14, 3},
                            {"latency_max", "max(us)", 14, 3}};
  row_printer printer = {chosen_format(use.csv, use.json), 1, name, columns, 5, 0};
  unsigned char* buffer = make_buffer(name, largest_size(&use.sizes));
  if (self.rank == 0) print_rows_begin(&printer);
  for (int i = 0; i < use.sizes.count; ++i) {
    measure(&self, &use, use.sizes.bytes[i], buffer, &printer);
  }
  if (self.rank == 0) print_rows_end(&printer);
  free(buffer);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
