/* Leaves ARMCI_Finalize to MPI_Finalize, with a transfer under way. */
#include <armci.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 65536 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  void** all = malloc((size_t)size * sizeof *all);
  double* own = calloc(count, sizeof *own);
  ARMCI_Malloc(all, count * sizeof *own);
  ARMCI_NbPut(own, all[(rank + 1) % size], count * (int)sizeof *own, (rank + 1) % size, NULL);
  MPI_Finalize();
  puts(ARMCI_Initialized() ? "ARMCI still runs" : "ARMCI has ended");
  return 0;
}
