/* An MPI program that asks PMI: without PMI_Init, or with it ("around": and without PMI_Finalize;
   "within": and PMI_Finalize, and then the last rank leaves). */
#include <mpi.h>
#include <pmi_cray.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int rank = -1;
  int size = 0;
  int number = -1;
  int spawned = 0;
  if (strcmp(what, "around") == 0) PMI_Init(&spawned);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int status = PMI_Get_rank(&number);
  for (int turn = 0; turn < size; ++turn) {
    if (turn == rank) printf("rank %d is %d\n", rank, number);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (strcmp(what, "within") == 0) {
    PMI_Init(&spawned);
    PMI_Finalize();
    if (rank == size - 1) exit(0);
  }
  MPI_Finalize();
  return status != PMI_SUCCESS || number != rank;
}
