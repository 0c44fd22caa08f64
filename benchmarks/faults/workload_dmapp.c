// DMAPP: puts and gets of words, with and without an order, and a counter.
#include <dmapp.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/faults/workload.h"

enum { words = 8000 };

typedef struct {
  dmapp_jobinfo_t job;
  uint64_t *area, *counter;
  uint64_t counted;
} dmapp;

static void check(const workload* all, dmapp_return_t code) {
  const char* text = "";
  if (code == DMAPP_RC_SUCCESS) return;
  dmapp_explain_error(code, &text);
  give_up(all, text);
}

void* dmapp_start(const workload* all) {
  dmapp* part = malloc(sizeof *part);
  dmapp_rma_attrs_t wanted, actual;
  memset(&wanted, 0, sizeof wanted);
  check(all, dmapp_get_rma_attrs(&wanted));
  check(all, dmapp_init(&wanted, &actual));
  check(all, dmapp_get_jobinfo(&part->job));
  part->area = dmapp_sheap_malloc(words * sizeof *part->area);
  part->counter = dmapp_sheap_malloc(sizeof *part->counter);
  *part->counter = part->counted = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  return part;
}

void dmapp_end(const workload* all, void* part) {
  check(all, dmapp_finalize());
  free(part);
}

void dmapp_round(const workload* all, void* own, uint64_t* state) {
  dmapp* part = own;
  uint64_t* const area = part->area;
  const int step = 1 + (int)draw_below(state, (uint64_t)all->ranks);
  const int to = (all->rank + step) % all->ranks;
  const int from = (all->rank + all->ranks - step % all->ranks) % all->ranks;
  const size_t bytes = (draw_bytes(state, words * 8) + 7) / 8 * 8;
  const uint64_t seed = draw(state);
  uint64_t* data = malloc(bytes + 8);
  fill(data, bytes, seed + (uint64_t)all->rank);
  if (bytes > 0) {
    check(all,
          dmapp_put_nbi(area, &part->job.sheap_seg, (dmapp_pe_t)to, data, bytes / 8, DMAPP_QW));
  }
  check(all, dmapp_gsync_wait());
  MPI_Barrier(MPI_COMM_WORLD);
  check_bytes(all, "dmapp: a put", area, bytes, seed + (uint64_t)from);
  memset(data, 0, bytes);
  if (bytes > 0) {
    check(all, dmapp_get(data, area, &part->job.sheap_seg, (dmapp_pe_t)to, bytes / 8, DMAPP_QW));
  }
  check_bytes(all, "dmapp: a get", data, bytes, seed + (uint64_t)all->rank);
  free(data);
  uint64_t before = 0;
  check(all, dmapp_afadd_qw(&before, part->counter, &part->job.sheap_seg, 0, 1));
  part->counted += (uint64_t)all->ranks;
  MPI_Barrier(MPI_COMM_WORLD);
  if (all->rank == 0 && *part->counter != part->counted) fail(all, "dmapp: a counter is wrong");
  MPI_Barrier(MPI_COMM_WORLD);
}
