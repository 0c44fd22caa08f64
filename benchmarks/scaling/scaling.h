// What the scaling programs share: their options and the line of results.
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/common/program.h"

typedef struct {
  int help;
  long iterations, bytes;
} scaling_settings;

/// exit_done, or the code to end with.
static inline int check_message_size(const char* name, long bytes) {
  if (bytes % 8 == 0 && bytes <= 1L << 20) return exit_done;
  return refuse(name, "--msgsize: a multiple of 8 up to 1M");
}

/// Reads the options, one of the program's own (or null) among them; exit_done to go on, or the
/// code to end with.
static inline int read_scaling_options(const char* name, const char* purpose, const option* own,
                                       scaling_settings* use, int argc, char** argv) {
  use->help = 0;
  use->iterations = 10;
  use->bytes = 1024;
  const option options[] = {
      {'i', "iterations", option_count, &use->iterations, 0, NULL,
       "iterations (10; 0: start and end only)"},
      {'m', "msgsize", option_bytes, &use->bytes, 8, NULL, "bytes, a multiple of 8 (1K)"},
      {'h', "help", option_flag, &use->help, 1, NULL, "this text"},
      own != NULL ? *own : (option){0}};
  const int count = own != NULL ? 4 : 3;
  const int code = read_options(name, purpose, options, count, &use->help, argc, argv);
  if (code != exit_done) return code;
  return check_message_size(name, use->bytes);
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

/// Element i of what a rank sends in a direction is first_element() + i * element_step: whole
/// numbers below 2^53, others in each message, and in each of 500 iterations for messages up to 8
/// MB.
static const double element_step = 1e7;

static inline double first_element(int rank, int direction, long iteration) {
  return (double)rank * 32.0 + (double)direction + (double)(iteration % 500) * 1e13;
}

static inline void fill(double* data, int count, double first) {
  for (int i = 0; i < count; ++i) data[i] = first + (double)i * element_step;
}

static inline int is_right(const double* data, int count, double first) {
  uint64_t wrong = 0;
  for (int i = 0; i < count; ++i) {
    wrong |= different_bits(data[i], first + (double)i * element_step);
  }
  return wrong == 0;
}

/// A rank's data was not what it must be: one line, and the job ends.
static inline void wrong_data(const char* name, long iteration) {
  fprintf(stderr, "%s: wrong data in iteration %ld\n", name, iteration);
  MPI_Abort(MPI_COMM_WORLD, exit_failed);
}

/// Memory for a rank's data; ends the job if there is none.
static inline void* allocate(const char* name, long bytes) {
  void* memory = malloc(bytes > 0 ? (size_t)bytes : 1);
  if (memory == NULL) {
    fprintf(stderr, "%s: no memory for %ld bytes\n", name, bytes);
    MPI_Abort(MPI_COMM_WORLD, exit_failed);
  }
  return memory;
}

/// What a program has done; `bytes` is what a rank sends, or the size of a message, as it says.
typedef struct {
  int ranks;
  long iterations, bytes;
  double seconds;
  long own_bytes;  ///< of the program's own data on each rank
} scaling_result;

/// Rank 0's line: key=value pairs, for scripts and people.
static inline void print_result(const char* name, const scaling_result* result) {
  printf("program=%s ranks=%d iterations=%ld bytes=%ld time_us=%.3f own_bytes=%ld\n", name,
         result->ranks, result->iterations, result->bytes, result->seconds * 1e6,
         result->own_bytes);
  fflush(stdout);
}
