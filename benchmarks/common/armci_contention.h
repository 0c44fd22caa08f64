// Atomics and locks of one rank's that several ranks use at once, their outcome checked.
#pragma once

#include <armci.h>

#include "benchmarks/common/program.h"

enum {
  contend_add = 0,
  contend_add_long,
  contend_swap_long,
  contend_lock,        ///< lock and unlock
  contend_locked_add,  ///< with a get, a put and a fence in between
  contention_kinds
};

/// What the contenders share: a word of the last rank's, and its mutex.
typedef struct {
  const char* program;
  int rank, ranks, owner;
  int same_node;
  long iterations;
  void** blocks;
  long* word;  ///< the owner's, or this rank's own, unused
} contention;

static inline const char* contention_name(int kind) {
  const char* const names[] = {"FetchAdd", "FetchAddLong", "SwapLong", "LockUnlock", "LockedAdd"};
  return names[kind];
}

static inline long contention_bytes(int kind) {
  if (kind == contend_lock) return 0;
  return kind == contend_add ? (long)sizeof(int) : (long)sizeof(long);
}

/// The way from rank 0: there is no other than the helper thread out of the node.
static inline const char* contention_path(const contention* here) {
  return here->same_node ? "node" : "helper";
}

/// Collective.
static inline void open_contention(contention* here, const char* program, long iterations) {
  memset(here, 0, sizeof *here);
  here->program = program;
  here->iterations = iterations;
  MPI_Comm_rank(MPI_COMM_WORLD, &here->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &here->ranks);
  here->owner = here->ranks - 1;
  here->same_node = ARMCI_Same_node(here->owner);
  here->blocks = (void**)calloc((size_t)here->ranks, sizeof *here->blocks);
  if (here->blocks == NULL || ARMCI_Malloc(here->blocks, 2 * sizeof(long)) != 0) {
    ARMCI_Error("no memory for the shared words", exit_failed);
    return;
  }
  here->word = (long*)here->blocks[here->rank];
  if (ARMCI_Create_mutexes(here->rank == here->owner ? 1 : 0) != 0) {
    ARMCI_Error("no mutex", exit_failed);
  }
}

static inline void close_contention(contention* here) {
  ARMCI_Barrier();
  ARMCI_Destroy_mutexes();
  ARMCI_Free(here->word);
  free(here->blocks);
}

static inline void fail_contention(const contention* here, int kind) {
  fprintf(stderr, "%s: %s: an update was lost\n", here->program, contention_name(kind));
  ARMCI_Error("wrong data", exit_failed);
}

/// One round; its value counts: of additions the number fetched, of swaps what was swapped out.
static inline long contend_once(const contention* here, int kind, long round) {
  long* shared = (long*)here->blocks[here->owner];
  int fetched = 0;
  long value = 0;
  switch (kind) {
    case contend_add:
      ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &fetched, shared, 1, here->owner);
      return fetched;
    case contend_add_long:
      ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &value, shared, 1, here->owner);
      return value;
    case contend_swap_long:
      // Every value goes in once and comes out once, but for the last.
      value = 1 + here->rank * here->iterations + round;
      ARMCI_Rmw(ARMCI_SWAP_LONG, &value, shared, 0, here->owner);
      return value;
    case contend_lock:
      ARMCI_Lock(0, here->owner);
      ARMCI_Unlock(0, here->owner);
      return 0;
    default:
      ARMCI_Lock(0, here->owner);
      ARMCI_Get(shared, &value, sizeof value, here->owner);
      ++value;
      ARMCI_Put(&value, shared, sizeof value, here->owner);
      ARMCI_Fence(here->owner);
      ARMCI_Unlock(0, here->owner);
      return value - 1;
  }
}

/// Every rank below `contenders` does its rounds at once. Mean seconds of a round, on rank 0.
/// Collective. Ends the job if the outcome is not that of all rounds one after the other.
static inline double contend(const contention* here, int kind, int contenders) {
  const long total = contenders * here->iterations;
  here->word[0] = 0;
  here->word[1] = 0;
  ARMCI_Barrier();
  long sum = 0;
  double time = 0;
  if (here->rank < contenders) {
    const double start = MPI_Wtime();
    for (long i = 0; i < here->iterations; ++i) sum += contend_once(here, kind, i);
    time = (MPI_Wtime() - start) / (double)here->iterations;
  }
  ARMCI_Barrier();
  long last = kind == contend_add ? *(const int*)(const void*)here->word : here->word[0];
  long all = 0;
  double mean = 0;
  MPI_Bcast(&last, 1, MPI_LONG, here->owner, MPI_COMM_WORLD);
  MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce(&time, &mean, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (kind == contend_swap_long) {
    if (all + last != total * (total + 1) / 2) fail_contention(here, kind);
  } else if (kind != contend_lock && (last != total || all != total * (total - 1) / 2)) {
    fail_contention(here, kind);
  }
  ARMCI_Barrier();
  return mean / contenders;
}
