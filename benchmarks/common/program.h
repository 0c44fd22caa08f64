// What every MPI benchmark program does at its start and end: options, refusal, buffers.
#pragma once

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "benchmarks/common/options.h"
#include "benchmarks/common/table.h"

/// Exit codes, the same for all programs.
enum { exit_ok = 0, exit_failed = 1, exit_usage = 2, exit_done = -1 };

/// Rank 0 says why the program cannot run as asked; returns exit_usage.
static inline int refuse(const char* program, const char* why) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) fprintf(stderr, "%s: %s\n", program, why);
  return exit_usage;
}

/// Reads the options of every rank. Returns exit_done to go on, or the code to end with (help was
/// asked for, or an option is wrong: then rank 0 has printed one line).
static inline int read_options(const char* program, const char* purpose, const option* options,
                               int count, int* help, int argc, char** argv) {
  char error[option_error_size];
  if (!parse_options(options, count, argc, argv, error)) return refuse(program, error);
  if (!*help) return exit_done;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("usage: %s [options]\n%s\n\n", program, purpose);
    print_options(stdout, options, count);
    fflush(stdout);
  }
  return exit_ok;
}

// Entries of an option table that the programs have in common; `use` has ints csv, json and help.
#define FORMAT_OPTIONS(use)                                                    \
  {'\0', "csv", option_flag, &(use).csv, 1, NULL, "comma-separated values"}, { \
    '\0', "json", option_flag, &(use).json, 1, NULL, "JSON"                    \
  }
#define HELP_OPTION(letter, use) \
  { letter, "help", option_flag, &(use).help, 1, NULL, "this text" }

/// A program's main(): `run` between MPI_Init and MPI_Finalize; its value is the exit code.
static inline int run_program(int (*run)(int, char**), int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = run(argc, argv);
  MPI_Finalize();
  return code;
}

/// A page-aligned buffer of at least `bytes`, zeroed; ends the job if there is no memory.
static inline unsigned char* make_buffer(const char* program, long bytes) {
  void* memory = NULL;
  const size_t size = (size_t)bytes + 64;
  if (posix_memalign(&memory, 4096, size) != 0) {
    fprintf(stderr, "%s: no memory for a buffer of %ld bytes\n", program, bytes);
    MPI_Abort(MPI_COMM_WORLD, exit_failed);
  }
  memset(memory, 0, size);
  return (unsigned char*)memory;
}

/// Byte `i` of the pattern that a sender identified by `key` sends.
static inline unsigned char pattern_byte(uint32_t key, long i) {
  uint32_t x = (uint32_t)i * 2654435761u + key * 40503u + 1u;
  x ^= x >> 15;
  return (unsigned char)(x * 2246822519u >> 24);
}

static inline void fill_pattern(unsigned char* buffer, long bytes, uint32_t key) {
  for (long i = 0; i < bytes; ++i) buffer[i] = pattern_byte(key, i);
}

/// Ends the job if `buffer` does not hold the pattern: a benchmark that moves the wrong bytes
/// measures nothing.
static inline void check_pattern(const char* program, const unsigned char* buffer, long bytes,
                                 uint32_t key) {
  for (long i = 0; i < bytes; ++i) {
    if (buffer[i] == pattern_byte(key, i)) continue;
    fprintf(stderr, "%s: wrong data at byte %ld of a message of %ld bytes\n", program, i, bytes);
    MPI_Abort(MPI_COMM_WORLD, exit_failed);
    return;
  }
}
