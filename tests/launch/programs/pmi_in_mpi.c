/* An MPI program that asks PMI, without PMI_Init. */
#include <mpi.h>
#include <pmi_cray.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = -1;
  int size = 0;
  int number = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int status = PMI_Get_rank(&number);
  for (int turn = 0; turn < size; ++turn) {
    if (turn == rank) printf("rank %d is %d\n", rank, number);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return status != PMI_SUCCESS || number != rank;
}
