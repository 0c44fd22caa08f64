// What the scaling programs share: their options and the line of results.
#pragma once

#include "benchmarks/common/program.h"

typedef struct {
  int help;
  long iterations, per_node, bytes;
} scaling_settings;

/// Messages of one run, over all ranks, and how many of them crossed between nodes.
typedef struct {
  double all, between_nodes;
} message_count;

/// Node of a rank when the launcher fills nodes in order.
static inline long node_of(long rank, const scaling_settings* use) { return rank / use->per_node; }

/// Reads the options; exit_done to go on, or the code to end with.
static inline int read_scaling_options(const char* name, const char* purpose, scaling_settings* use,
                                       int argc, char** argv) {
  use->help = 0;
  use->iterations = 10;
  use->per_node = 8;
  use->bytes = 1024;
  const option options[] = {
      {'i', "iterations", option_count, &use->iterations, 0, NULL,
       "iterations (10; 0: start and end only)"},
      {'N', "per-node", option_count, &use->per_node, 1, NULL,
       "ranks per node, to tell the messages between nodes (8)"},
      {'m', "msgsize", option_bytes, &use->bytes, 8, NULL, "bytes, a multiple of 8 (1K)"},
      {'h', "help", option_flag, &use->help, 1, NULL, "this text"}};
  const int code = read_options(name, purpose, options, 4, &use->help, argc, argv);
  if (code != exit_done) return code;
  if (use->bytes % 8 != 0 || use->bytes > 1L << 20) {
    return refuse(name, "--msgsize: a multiple of 8 up to 1M");
  }
  return exit_done;
}

/// A rank's data was not what it must be: one line, and the job ends.
static inline void wrong_data(const char* name, long iteration) {
  fprintf(stderr, "%s: wrong data in iteration %ld\n", name, iteration);
  MPI_Abort(MPI_COMM_WORLD, exit_failed);
}

/// Rank 0's line: key=value pairs, for scripts and people.
static inline void print_scaling(const char* name, int ranks, const scaling_settings* use,
                                 double seconds, message_count messages, long own_bytes) {
  printf(
      "program=%s ranks=%d iterations=%ld bytes=%ld time_us=%.3f messages=%.0f "
      "between_nodes=%.0f own_bytes=%ld\n",
      name, ranks, use->iterations, use->bytes, seconds * 1e6, messages.all, messages.between_nodes,
      own_bytes);
  fflush(stdout);
}
