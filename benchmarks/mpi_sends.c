// Blocking sends, one after the other, from one half of the ranks to the other: bandwidth by
// message size. An answered send is followed by an empty message back, so that one ends when its
// message has been taken, and none overlaps with the next.
#include <mpi.h>

#include "benchmarks/common/pairs.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

static const char name[] = "mpi_sends";

enum { data_tag = 1, answer_tag = 2, warm_up_iterations = 1 };
enum { send_answered, send_synchronous, send_standard };

typedef struct {
  pair_settings pairs;
  int send;
} settings;

static void send_one(const settings* use, unsigned char* buffer, int bytes, int to) {
  if (use->send == send_synchronous) {
    MPI_Ssend(buffer, bytes, MPI_BYTE, to, data_tag, MPI_COMM_WORLD);
    return;
  }
  MPI_Send(buffer, bytes, MPI_BYTE, to, data_tag, MPI_COMM_WORLD);
  if (use->send == send_standard) return;
  MPI_Recv(NULL, 0, MPI_BYTE, to, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void take_one(const settings* use, unsigned char* buffer, int bytes, int from) {
  MPI_Recv(buffer, bytes, MPI_BYTE, from, data_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (use->send != send_answered) return;
  MPI_Send(NULL, 0, MPI_BYTE, from, answer_tag, MPI_COMM_WORLD);
}

static void stream(const pairing* self, const settings* use, unsigned char* buffer, int bytes,
                   long iterations) {
  for (long i = 0; i < iterations; ++i) {
    if (self->lower) {
      send_one(use, buffer, bytes, self->partner);
    } else {
      take_one(use, buffer, bytes, self->partner);
    }
  }
}

static void measure(const pairing* self, const settings* use, long bytes, unsigned char* buffer,
                    row_printer* printer) {
  static const char* const sends[] = {"answered", "synchronous", "standard"};
  const long iterations = use->pairs.iterations;
  const uint32_t key = (uint32_t)((self->lower ? self->rank : self->partner) % 977);
  if (self->rank == 0) show_progress("sends", bytes);
  if (self->active && self->lower) fill_pattern(buffer, bytes, key);
  if (self->active) stream(self, use, buffer, (int)bytes, warm_up_iterations);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (self->active) stream(self, use, buffer, (int)bytes, iterations);
  const double elapsed = MPI_Wtime() - start;
  if (self->active && !self->lower) check_pattern(name, buffer, bytes, key);
  double mean = 0.0;
  double slowest = 0.0;
  reduce_over_pairs(self, elapsed, &mean, &slowest);
  if (self->rank != 0) return;
  clear_progress();
  const double moved = (double)iterations * (double)bytes * self->count;
  const cell cells[] = {{NULL, (double)bytes},
                        {NULL, (double)self->count},
                        {sends[use->send], 0},
                        {NULL, (double)iterations},
                        {NULL, slowest / (double)iterations * 1e6},
                        {NULL, slowest > 0 ? moved / slowest * 1e-9 : 0}};
  print_row(printer, cells);
}

static int run(int argc, char** argv) {
  settings use = {.pairs = {.iterations = 20}};
  const option options[] = {
      {'\0', "sizes", option_list, &use.pairs.sizes, 0, "LIST",
       "sizes in bytes, as 8,1K,4M (default: 8 to 128K in powers of two)"},
      {'i', "iterations", option_count, &use.pairs.iterations, 1, NULL, "messages per size (20)"},
      {'\0', "send", option_word, &use.send, 0, "answered|synchronous|standard",
       "MPI_Send and an answer, MPI_Ssend, or MPI_Send (answered)"},
      {'\0', "pairs", option_count, &use.pairs.pairs, 0, NULL, "pairs at work (0: all ranks)"},
      FORMAT_OPTIONS(use.pairs),
      HELP_OPTION('h', use.pairs)};
  const int code = read_options(
      name, "Blocking sends from rank i to rank i + n/2; microseconds of one, GB/s (10^9) of all.",
      options, (int)(sizeof options / sizeof options[0]), &use.pairs.help, argc, argv);
  if (code != exit_done) return code;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* mistake = find_pair_mistake(&use.pairs, size);
  if (mistake != NULL) return refuse(name, mistake);
  size_list* const sizes = &use.pairs.sizes;
  if (sizes->count == 0) add_powers(sizes, 8, 128L * 1024);
  const pairing self = find_pair(use.pairs.pairs);
  const column columns[] = {{"msgsize", "msgsize", 10, 0}, {"pairs", "pairs", 8, 0},
                            {"send", "send", 13, -1},      {"iterations", "iterations", 12, 0},
                            {"time", "time(us)", 14, 3},   {"bandwidth", "GB/s", 12, 5}};
  row_printer printer = {chosen_format(use.pairs.csv, use.pairs.json), 1, name, columns, 6, 0};
  unsigned char* const buffer = make_buffer(name, largest_size(sizes));
  if (self.rank == 0) print_rows_begin(&printer);
  for (int i = 0; i < sizes->count; ++i) {
    measure(&self, &use, sizes->bytes[i], buffer, &printer);
  }
  if (self.rank == 0) print_rows_end(&printer);
  free(buffer);
  return exit_ok;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
