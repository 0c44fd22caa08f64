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

static MPI_Win window;
static memory* own;
static long counted;

void windows_start(const workload* all) {
  (void)all;
  MPI_Win_allocate(sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
  memset(own, 0, sizeof *own);
  counted = 0;
  MPI_Barrier(MPI_COMM_WORLD);
}

void windows_end(const workload* all) {
  (void)all;
  MPI_Win_free(&window);
}

static void puts_and_gets(const workload* all, uint64_t* state) {
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

static void sums_and_counters(const workload* all, uint64_t* state) {
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
  counted += all->ranks;
  MPI_Win_fence(0, window);
  if (all->rank == 0 && own->counter != counted) fail(all, "windows: a counter is wrong");
  MPI_Win_fence(0, window);
}

void windows_round(const workload* all, uint64_t* state) {
  puts_and_gets(all, state);
  sums_and_counters(all, state);
}
