// ARMCI: puts and gets of any size, accumulates in rows, and a counter.
#include <armci.h>
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/faults/workload.h"

enum { area_bytes = 100000, rows = 8, columns = 16 };

typedef struct {
  unsigned char area[area_bytes];
  double sum[rows][columns];
  long counter;
} memory;

typedef struct {
  memory** memories;  // of each rank
  long counted;
} armci;

void* armci_start(const workload* all) {
  armci* part = malloc(sizeof *part);
  ARMCI_Init();
  part->memories = calloc((size_t)all->ranks, sizeof *part->memories);
  ARMCI_Malloc((void**)part->memories, sizeof(memory));
  memset(part->memories[all->rank], 0, sizeof(memory));
  part->counted = 0;
  ARMCI_Barrier();
  return part;
}

void armci_end(const workload* all, void* ended) {
  armci* part = ended;
  ARMCI_Free(part->memories[all->rank]);
  free(part->memories);
  free(part);
  ARMCI_Finalize();
}

void armci_round(const workload* all, void* own, uint64_t* state) {
  armci* part = own;
  memory** const memories = part->memories;
  const int step = 1 + (int)draw_below(state, (uint64_t)all->ranks);
  const int to = (all->rank + step) % all->ranks;
  const int from = (all->rank + all->ranks - step % all->ranks) % all->ranks;
  const size_t bytes = draw_bytes(state, area_bytes);
  const uint64_t seed = draw(state);
  unsigned char* data = malloc(bytes + 1);
  fill(data, bytes, seed + (uint64_t)all->rank);
  if (bytes > 0) ARMCI_Put(data, memories[to]->area, (int)bytes, to);
  ARMCI_Barrier();
  check_bytes(all, "armci: a put", memories[all->rank]->area, bytes, seed + (uint64_t)from);
  memset(data, 0, bytes);
  if (bytes > 0) ARMCI_Get(memories[to]->area, data, (int)bytes, to);
  check_bytes(all, "armci: a get", data, bytes, seed + (uint64_t)all->rank);
  free(data);

  // Every rank adds rows of its own to one rank's.
  const int target = (int)draw_below(state, (uint64_t)all->ranks);
  memset(memories[all->rank]->sum, 0, sizeof memories[all->rank]->sum);
  ARMCI_Barrier();
  double values[rows][columns / 2];
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < columns / 2; ++i) values[row][i] = all->rank + 1;
  }
  double scale = 2;
  int source_stride = sizeof values[0], target_stride = sizeof memories[0]->sum[0];
  int count[2] = {sizeof values[0], rows};
  ARMCI_AccS(ARMCI_ACC_DBL, &scale, values, &source_stride, memories[target]->sum, &target_stride,
             count, 1, target);
  long before = 0;
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, &memories[0]->counter, 1, 0);
  part->counted += all->ranks;
  ARMCI_Barrier();
  if (all->rank == target) {
    const double expected = (double)all->ranks * (all->ranks + 1);
    for (int row = 0; row < rows; ++row) {
      for (int i = 0; i < columns; ++i) {
        const double value = memories[target]->sum[row][i];
        if (value != (i < columns / 2 ? expected : 0)) fail(all, "armci: a sum is wrong");
      }
    }
  }
  if (all->rank == 0 && memories[0]->counter != part->counted)
    fail(all, "armci: a counter is wrong");
  ARMCI_Barrier();
}
