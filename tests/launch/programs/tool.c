/* A tool's library that stands before libmpi: each rank's own counts its barriers. */
#include <mpi.h>
#include <stdio.h>

static int barriers = 0;

int MPI_Barrier(MPI_Comm comm) {
  ++barriers;
  return PMPI_Barrier(comm);
}

int MPI_Finalize(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d: %d barriers\n", rank, barriers);
  return PMPI_Finalize();
}
