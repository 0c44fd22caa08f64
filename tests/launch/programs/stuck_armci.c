/* A program of ARMCI that hangs: a rank that holds a mutex waits for one that wants it. */
#include <armci.h>
#include <mpi.h>

int main(int argc, char** argv) {
  int rank = 0;
  int word = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ARMCI_Init();
  ARMCI_Create_mutexes(3);
  if (rank == 2) ARMCI_Lock(1, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 2) MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) ARMCI_Lock(1, 0);
  ARMCI_Barrier();
  ARMCI_Finalize();
  MPI_Finalize();
  return 0;
}
