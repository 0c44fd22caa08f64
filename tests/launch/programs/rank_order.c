/* Says where each rank is, as MPI, PMI, ALPS and the environment have it, and exchanges. */
#include <alps/alps.h>
#include <alps/libalpsutil.h>
#include <mpi.h>
#include <pmi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong = 0;

static void check(int holds, const char* what) {
  if (holds) return;
  ++wrong;
  printf("wrong: %s\n", what);
}
#define CHECK(condition) check(condition, #condition)

/* Each rank tells every other one what only the two know. */
static void exchange(int rank, int size) {
  int* out = malloc((size_t)size * sizeof *out);
  int* in = malloc((size_t)size * sizeof *in);
  for (int i = 0; i < size; ++i) out[i] = rank * 1000 + i;
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) CHECK(in[i] == i * 1000 + rank);
  int sum = -1;
  for (int root = 0; root < size; ++root) {
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    if (rank == root) CHECK(sum == size * (size - 1) / 2);
  }
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size * (size - 1) / 2);
  free(out);
  free(in);
}

/* ALPS goes by its own numbers, PMI by ranks. */
static void places(int rank, int size, int pe) {
  const uint64_t apid = strtoull(getenv("ALPS_APP_ID"), NULL, 10);
  alpsAppLayout_t layout;
  int *nids = NULL, nid = -1;
  CHECK(alps_get_placement_info(apid, &layout, &nids, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                NULL) == 1);
  CHECK(PMI_Get_nid(rank, &nid) == PMI_SUCCESS && nids[pe] == nid);
  CHECK(nid == atoi(getenv("PMI_GNI_LOC_ADDR")));
  CHECK(pe >= layout.firstPe && pe < layout.firstPe + layout.numPesHere && layout.numPes == size);
  free(nids);
  int here = 0, found = 0, ranks[64];
  CHECK(PMI_Get_clique_size(&here) == PMI_SUCCESS && here == layout.numPesHere);
  CHECK(PMI_Get_clique_ranks(ranks, 64) == PMI_SUCCESS);
  for (int i = 0; i < here; ++i) found += ranks[i] == rank && layout.firstPe + i == pe;
  CHECK(found == 1);
  int* of_rank = malloc((size_t)size * sizeof *of_rank);
  MPI_Allgather(&pe, 1, MPI_INT, of_rank, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) {
    for (int other = 0; other < i; ++other) CHECK(of_rank[i] != of_rank[other]);
  }
  free(of_rank);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = -1, size = 0, pmi_rank = -1, nid = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(PMI_Get_rank(&pmi_rank) == PMI_SUCCESS && pmi_rank == rank);
  CHECK(PMI_Get_nid(rank, &nid) == PMI_SUCCESS);
  const int pe = atoi(getenv("ALPS_APP_PE"));
  exchange(rank, size);
  places(rank, size, pe);
  printf("rank %d: node %d, PE %d, %d wrong\n", rank, nid, pe, wrong);
  MPI_Finalize();
  return 0;
}
