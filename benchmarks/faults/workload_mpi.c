// Messages between drawn pairs, several with one tag, so that their order shows; and collectives.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "benchmarks/faults/workload.h"

enum { messages = 24, most_bytes = 600000 };

typedef struct {
  int source, target, tag, mode;
  size_t bytes;
  uint64_t seed;
} message;

static void traffic(const workload* all, uint64_t* state) {
  message drawn[messages];
  unsigned char* buffers[2 * messages];
  MPI_Request requests[2 * messages];
  int count = 0;
  for (int i = 0; i < messages; ++i) {
    message* m = &drawn[i];
    m->source = (int)draw_below(state, (uint64_t)all->ranks);
    m->target = (int)draw_below(state, (uint64_t)all->ranks);
    m->tag = (int)draw_below(state, 2);
    m->mode = (int)draw_below(state, 8);
    m->bytes = draw_bytes(state, most_bytes);
    m->seed = draw(state);
  }
  // Half of the receives are posted before, half after the sends.
  for (int pass = 0; pass < 3; ++pass) {
    for (int i = 0; i < messages; ++i) {
      const message* m = &drawn[i];
      const int early = m->mode < 4;
      const int receives_now = pass == (early ? 0 : 2);
      if (receives_now && m->target == all->rank) {
        buffers[count] = malloc(m->bytes + 1);
        MPI_Irecv(buffers[count], (int)m->bytes, MPI_BYTE, m->source, m->tag + 2 * early,
                  MPI_COMM_WORLD, &requests[count]);
        ++count;
      }
      if (pass == 1 && m->source == all->rank) {
        buffers[count] = malloc(m->bytes + 1);
        fill(buffers[count], m->bytes, m->seed);
        if (m->mode % 4 == 0) {
          MPI_Issend(buffers[count], (int)m->bytes, MPI_BYTE, m->target, m->tag + 2 * early,
                     MPI_COMM_WORLD, &requests[count]);
        } else {
          MPI_Isend(buffers[count], (int)m->bytes, MPI_BYTE, m->target, m->tag + 2 * early,
                    MPI_COMM_WORLD, &requests[count]);
        }
        ++count;
      }
    }
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  int at = 0;
  for (int pass = 0; pass < 3; ++pass) {
    for (int i = 0; i < messages; ++i) {
      const message* m = &drawn[i];
      const int early = m->mode < 4;
      if (pass == (early ? 0 : 2) && m->target == all->rank) {
        check_bytes(all, "mpi: a message", buffers[at], m->bytes, m->seed);
        free(buffers[at++]);
      }
      if (pass == 1 && m->source == all->rank) free(buffers[at++]);
    }
  }
}

static void collectives(const workload* all, uint64_t* state) {
  const size_t bytes = draw_bytes(state, 20000);
  const int root = (int)draw_below(state, (uint64_t)all->ranks);
  const uint64_t seed = draw(state);
  const size_t ranks = (size_t)all->ranks;
  unsigned char* out = malloc(bytes * ranks + 1);
  unsigned char* in = malloc(bytes * ranks + 1);
  if (all->rank == root) fill(out, bytes, seed);
  MPI_Bcast(out, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
  check_bytes(all, "mpi: a broadcast", out, bytes, seed);
  for (size_t to = 0; to < ranks; ++to) {
    fill(out + to * bytes, bytes, seed + (uint64_t)all->rank * ranks + to);
  }
  MPI_Alltoall(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
  for (size_t from = 0; from < ranks; ++from) {
    check_bytes(all, "mpi: an alltoall", in + from * bytes, bytes,
                seed + from * ranks + (uint64_t)all->rank);
  }
  free(out);
  free(in);
  long sum = 0;
  const long own = all->rank + 1;
  MPI_Allreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (sum != (long)all->ranks * (all->ranks + 1) / 2) fail(all, "mpi: a sum is wrong");
}

void* mpi_start(const workload* all) {
  (void)all;
  return NULL;
}

void mpi_end(const workload* all, void* part) { (void)all, (void)part; }

void mpi_round(const workload* all, void* part, uint64_t* state) {
  (void)part;
  traffic(all, state);
  collectives(all, state);
}
