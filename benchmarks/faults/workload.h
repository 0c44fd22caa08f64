// What the parts of the fault workload have in common: drawn numbers, and data that is checked.
#pragma once

#include <stdint.h>
#include <stdlib.h>

/// What each part knows of the job.
typedef struct {
  int rank;
  int ranks;
  int fragile;  ///< a program that cannot bear an error: how a campaign is tested
} workload;

/// SplitMix64. All ranks draw the same from the same state.
static inline uint64_t draw(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}
static inline uint64_t draw_below(uint64_t* state, uint64_t bound) { return draw(state) % bound; }

/// Small ones mostly, and every protocol's limits.
size_t draw_bytes(uint64_t* state, size_t most);

/// Bytes that `seed` says.
void fill(void* data, size_t bytes, uint64_t seed);
/// Ends the job if they are others: a line with the part, what it was, and the first wrong byte.
void check_bytes(const workload* all, const char* what, const void* data, size_t bytes,
                 uint64_t seed);
/// Ends the job with exit code 3: the data is wrong, or something has been done twice or not.
void fail(const workload* all, const char* what);
/// Ends it with exit code 4: a call has returned an error that forbids to go on.
void give_up(const workload* all, const char* what);

// The parts. Each has a start, whose value the others get, rounds, which all ranks call with the
// same state of what is drawn, and an end. A round ends with nothing under way.
void* mpi_start(const workload* all);
void mpi_round(const workload* all, void* part, uint64_t* state);
void mpi_end(const workload* all, void* part);

void* windows_start(const workload* all);
void windows_round(const workload* all, void* part, uint64_t* state);
void windows_end(const workload* all, void* part);

void* armci_start(const workload* all);
void armci_round(const workload* all, void* part, uint64_t* state);
void armci_end(const workload* all, void* part);

void* dmapp_start(const workload* all);
void dmapp_round(const workload* all, void* part, uint64_t* state);
void dmapp_end(const workload* all, void* part);

void* ugni_start(const workload* all);
void ugni_round(const workload* all, void* part, uint64_t* state);
void ugni_end(const workload* all, void* part);
