// MPI's windows: puts, gets, accumulates and counters, with fences and locks.
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/faults/workload.h"

enum { area_bytes = 100000, sums = 64 };

// For each rank an area that its left neighbour writes; then numbers that all add to.
typedef struct {
  unsigned char area[area_bytes];
  long sum[sums];
  long counter;
} memory;

typedef struct {
  MPI_Win window;
  memory* own;
  long counted;
} windows;

void* windows_start(const workload* all) {
  windows* part = malloc(sizeof *part);
  (void)all;
  MPI_Win_allocate(sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part->own, &part->window);
  memset(part->own, 0, sizeof *part->own);
  part->counted = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  return part;
}

void windows_end(const workload* all, void* part) {
  (void)all;
  MPI_Win_free(&((windows*)part)->window);
  free(part);
}

static void puts_and_gets(const workload* all, windows* part, uint64_t* state) {
  memory* const own = part->own;
  const MPI_Win window = part->window;
  const int right = (all->rank + 1) % all->ranks, left = (all->rank + all->ranks - 1) % all->ranks;
  const size_t bytes = draw_bytes(state, area_bytes);
  const uint64_t seed = draw(state);
  unsigned char* data = malloc(bytes + 1);
  fill(data, bytes, seed + (uint64_t)all->rank);
  MPI_Win_fence(0, window);
  MPI_Put(data, (int)bytes, MPI_BYTE, right, offsetof(memory, area), (int)bytes, MPI_BYTE, window);
  MPI_Win_fence(0, window);
  check_bytes(all, "windows: a put", own->area, bytes, seed + (uint64_t)left);
  memset(data, 0, bytes);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  MPI_Get(data, (int)bytes, MPI_BYTE, right, offsetof(memory, area), (int)bytes, MPI_BYTE, window);
  MPI_Win_unlock(right, window);
  check_bytes(all, "windows: a get", data, bytes, seed + (uint64_t)all->rank);
  free(data);
}

static void sums_and_counters(const workload* all, windows* part, uint64_t* state) {
  memory* const own = part->own;
  const MPI_Win window = part->window;
  const int target = (int)draw_below(state, (uint64_t)all->ranks);
  const int count = 1 + (int)draw_below(state, sums);
  long values[sums];
  for (int i = 0; i < count; ++i) values[i] = all->rank + i;
  memset(own->sum, 0, sizeof own->sum);
  MPI_Win_fence(0, window);
  MPI_Accumulate(values, count, MPI_LONG, target, offsetof(memory, sum), count, MPI_LONG, MPI_SUM,
                 window);
  MPI_Win_fence(0, window);
  if (all->rank == target) {
    const long ranks = all->ranks;
    for (int i = 0; i < count; ++i) {
      if (own->sum[i] != ranks * (ranks - 1) / 2 + ranks * i) fail(all, "windows: a sum is wrong");
    }
  }
  const long one = 1;
  long before = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, offsetof(memory, counter), MPI_SUM, window);
  MPI_Win_unlock(0, window);
  part->counted += all->ranks;
  MPI_Win_fence(0, window);
  if (all->rank == 0 && own->counter != part->counted) fail(all, "windows: a counter is wrong");
  MPI_Win_fence(0, window);
}

void windows_round(const workload* all, void* part, uint64_t* state) {
  puts_and_gets(all, part, state);
  sums_and_counters(all, part, state);
}
