/* Random sizes, tags and partners, some received by wildcard; every byte is checked. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { rounds = 20, per_round = 12, largest = 200000 };

static uint32_t next(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Message `number` of a round from one rank to another: its size and bytes follow from these. */
static uint32_t seed_of(int round, int from, int to, int number) {
  return (uint32_t)(((round * 131 + from) * 137 + to) * 139 + number);
}
static int size_of(uint32_t seed) {
  uint32_t state = seed;
  const uint32_t bits = next(&state) % 18;
  return (int)(next(&state) % (1u << bits)) % largest;
}
static void fill(unsigned char* data, int bytes, uint32_t seed) {
  uint32_t state = seed ^ 0x5bd1e995u;
  for (int i = 0; i < bytes; ++i) data[i] = (unsigned char)next(&state);
}
static long differences(const unsigned char* data, int bytes, uint32_t seed) {
  uint32_t state = seed ^ 0x5bd1e995u;
  long wrong = 0;
  for (int i = 0; i < bytes; ++i) wrong += data[i] != (unsigned char)next(&state);
  return wrong;
}

int main(int argc, char** argv) {
  int rank, size;
  long wrong = 0, all_wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int messages = per_round * size;
  MPI_Request* requests = malloc((size_t)messages * sizeof *requests);
  unsigned char** out = malloc((size_t)messages * sizeof *out);
  unsigned char* in = malloc(largest);
  for (int round = 0; round < rounds; ++round) {
    int count = 0;
    for (int number = 0; number < per_round; ++number) {
      for (int to = 0; to < size; ++to, ++count) {
        const uint32_t seed = seed_of(round, rank, to, number);
        const int bytes = size_of(seed);
        out[count] = malloc((size_t)bytes + 1);
        fill(out[count], bytes, seed);
        MPI_Isend(out[count], bytes, MPI_BYTE, to, number, MPI_COMM_WORLD, &requests[count]);
      }
    }
    for (int i = 0; i < messages; ++i) {
      MPI_Status status;
      int bytes;
      if (i % 2 == 0) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(in, largest, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
      } else {
        MPI_Recv(in, largest, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      }
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      const uint32_t seed = seed_of(round, status.MPI_SOURCE, rank, status.MPI_TAG);
      if (bytes != size_of(seed)) ++wrong;
      wrong += differences(in, bytes, seed);
    }
    for (int i = 0; i < count; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) free(out[i]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("stress: %ld errors\n", all_wrong);
  MPI_Finalize();
  return all_wrong == 0 ? 0 : 1;
}
