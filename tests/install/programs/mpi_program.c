/* MPI from an installed tree: C99 and C++11. */
#include <corespec_work.h>
#include <mpi.h>
#include <stdio.h>

CORESPEC_MODELLED_PROGRAM;

int main(int argc, char** argv) {
  int rank = -1;
  int size = 0;
  long sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long mine = rank + 1;
  corespec_work_ns(1000);
  MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s\n", sum == (long)size * (size + 1) / 2 ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
