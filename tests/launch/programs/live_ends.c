// A rank that ends badly while the others wait for it: "abort" or "leave".
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && argc > 1) {
    if (strcmp(argv[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
    exit(0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
