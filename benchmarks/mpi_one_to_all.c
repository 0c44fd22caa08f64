// Delays from rank 0 to each other rank: from the begin of its send to the end of their receive,
// which waits. One message at a time; by rank, or as a histogram.
#include <limits.h>
#include <math.h>
#include <mpi.h>

#include "benchmarks/common/common_clock.h"

CORESPEC_SHARED_IMAGE;

static const char name[] = "mpi_one_to_all";

enum { message_tag = 1, arrival_tag = 2 };

typedef struct {
  int csv, json, help;
  long size, iterations;
  double bin_us;
} settings;

/// A rank's answers: when each message has arrived.
static void be_target(const settings* use, unsigned char* buffer) {
  for (long i = 0; i <= use->iterations; ++i) {
    MPI_Recv(buffer, (int)use->size, MPI_BYTE, 0, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double arrival = MPI_Wtime();
    check_pattern(name, buffer, use->size, (uint32_t)i);
    MPI_Send(&arrival, 1, MPI_DOUBLE, 0, arrival_tag, MPI_COMM_WORLD);
  }
}

/// Seconds to this rank: the mean of all messages but the first, which connects the two.
static double delay_to(const settings* use, int target, unsigned char* buffer) {
  double sum = 0;
  for (long i = 0; i <= use->iterations; ++i) {
    double arrival = 0;
    fill_pattern(buffer, use->size, (uint32_t)i);
    const double start = MPI_Wtime();
    MPI_Send(buffer, (int)use->size, MPI_BYTE, target, message_tag, MPI_COMM_WORLD);
    MPI_Recv(&arrival, 1, MPI_DOUBLE, target, arrival_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (i > 0) sum += arrival - start;
  }
  return sum / (double)use->iterations;
}

static void print_delays(const settings* use, const double* delays, int count) {
  const column columns[] = {
      {"rank", "rank", 8, 0}, {"msgsize", "msgsize", 10, 0}, {"delay", "delay(us)", 12, 3}};
  row_printer printer = {chosen_format(use->csv, use->json), 1, name, columns, 3, 0};
  print_rows_begin(&printer);
  for (int i = 0; i < count; ++i) {
    const cell cells[] = {{NULL, i + 1.0}, {NULL, (double)use->size}, {NULL, delays[i] * 1e6}};
    print_row(&printer, cells);
  }
  print_rows_end(&printer);
}

/// From the first bin with a rank to the last.
static void print_histogram(const settings* use, const double* delays, int count) {
  const column columns[] = {
      {"delay", "delay(us)", 12, 3}, {"msgsize", "msgsize", 10, 0}, {"targets", "ranks", 8, 0}};
  row_printer printer = {chosen_format(use->csv, use->json), 1, name, columns, 3, 0};
  long first = LONG_MAX;
  long last = 0;
  for (int i = 0; i < count; ++i) {
    const long bin = (long)floor(delays[i] * 1e6 / use->bin_us);
    if (bin < first) first = bin;
    if (bin > last) last = bin;
  }
  print_rows_begin(&printer);
  for (long bin = first; bin <= last; ++bin) {
    int targets = 0;
    for (int i = 0; i < count; ++i) {
      targets += (long)floor(delays[i] * 1e6 / use->bin_us) == bin;
    }
    const cell cells[] = {
        {NULL, ((double)bin + 0.5) * use->bin_us}, {NULL, (double)use->size}, {NULL, targets}};
    print_row(&printer, cells);
  }
  print_rows_end(&printer);
}

static int measure(const settings* use) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) return refuse(name, "needs two ranks or more");
  const int code = need_common_clock(name);
  if (code != exit_done) return code;
  unsigned char* const buffer = make_buffer(name, use->size);
  if (rank > 0) {
    be_target(use, buffer);
  } else {
    double* const delays = (double*)(void*)make_buffer(name, ranks * (long)sizeof(double));
    for (int target = 1; target < ranks; ++target) {
      show_progress("rank", target);
      delays[target - 1] = delay_to(use, target, buffer);
    }
    clear_progress();
    if (use->bin_us > 0) {
      print_histogram(use, delays, ranks - 1);
    } else {
      print_delays(use, delays, ranks - 1);
    }
    free(delays);
  }
  free(buffer);
  return exit_ok;
}

static int run(int argc, char** argv) {
  settings use = {.size = 4, .iterations = 1};
  const option options[] = {
      {'s', "size", option_bytes, &use.size, 0, NULL, "bytes of a message (4)"},
      {'i', "iterations", option_count, &use.iterations, 1, NULL, "messages to each rank (1)"},
      {'\0', "bin-us", option_factor, &use.bin_us, 0, "F",
       "a histogram with bins of so many us (0: a line for each rank)"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const int code =
      read_options(name, "Delays of messages from rank 0 to each other rank; microseconds.",
                   options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  if (use.csv && use.json) return refuse(name, "--csv or --json, not both");
  if (use.size > 1L << 30) return refuse(name, "--size: at most 1G bytes");
  return measure(&use);
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
