/* Ranks that end without exit(): quits WHAT CODE, rank 1 with CODE. WHAT: pmi or mpi, having ended
   that library; open, with PMI begun and not ended. */
#include <mpi.h>
#include <pmi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank = -1, spawned;
  const int mpi = argc == 3 && strcmp(argv[1], "mpi") == 0;
  if (mpi) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    PMI_Init(&spawned);
    PMI_Get_rank(&rank);
    PMI_Barrier();
  }
  printf("rank %d\n", rank);
  fflush(stdout);
  if (mpi) MPI_Finalize();
  if (strcmp(argv[1], "pmi") == 0) PMI_Finalize();
  _exit(rank == 1 ? atoi(argv[2]) : 0);
}
