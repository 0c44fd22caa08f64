// What the scaling programs share: their options and the line of results.
#pragma once

#include <stdint.h>
#include <string.h>

#include "benchmarks/common/program.h"

typedef struct {
  int help;
  long iterations, bytes;
} scaling_settings;

/// Reads the options; exit_done to go on, or the code to end with.
static inline int read_scaling_options(const char* name, const char* purpose, scaling_settings* use,
                                       int argc, char** argv) {
  use->help = 0;
  use->iterations = 10;
  use->bytes = 1024;
  const option options[] = {
      {'i', "iterations", option_count, &use->iterations, 0, NULL,
       "iterations (10; 0: start and end only)"},
      {'m', "msgsize", option_bytes, &use->bytes, 8, NULL, "bytes, a multiple of 8 (1K)"},
      {'h', "help", option_flag, &use->help, 1, NULL, "this text"}};
  const int code = read_options(name, purpose, options, 3, &use->help, argc, argv);
  if (code != exit_done) return code;
  if (use->bytes % 8 != 0 || use->bytes > 1L << 20) {
    return refuse(name, "--msgsize: a multiple of 8 up to 1M");
  }
  return exit_done;
}

/// Zero if an element is what it must be, to the bit. Loops or these together and ask once at their
/// end: with a branch or a call per element, checking would cost as much as the machine does.
static inline uint64_t different_bits(double found, double expected) {
  uint64_t a = 0;
  uint64_t b = 0;
  memcpy(&a, &found, sizeof a);
  memcpy(&b, &expected, sizeof b);
  return a ^ b;
}

/// A rank's data was not what it must be: one line, and the job ends.
static inline void wrong_data(const char* name, long iteration) {
  fprintf(stderr, "%s: wrong data in iteration %ld\n", name, iteration);
  MPI_Abort(MPI_COMM_WORLD, exit_failed);
}

/// Rank 0's line: key=value pairs, for scripts and people.
static inline void print_scaling(const char* name, int ranks, const scaling_settings* use,
                                 double seconds, long own_bytes) {
  printf("program=%s ranks=%d iterations=%ld bytes=%ld time_us=%.3f own_bytes=%ld\n", name, ranks,
         use->iterations, use->bytes, seconds * 1e6, own_bytes);
  fflush(stdout);
}
