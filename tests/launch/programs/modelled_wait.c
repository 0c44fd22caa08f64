/* A modelled program: rank 1 waits until rank 0 has written a word of a shared window, by looking
   at it and declaring what a look costs. With an argument rank 0 never writes. */
#include <mpi.h>
#include <stdio.h>

#include "corespec/include/corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

int main(int argc, char** argv) {
  int rank, unit;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win window;
  volatile int* word;
  MPI_Aint bytes;
  MPI_Win_allocate_shared(rank == 0 ? sizeof(int) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                          (void*)&word, &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, (void*)&word);
  if (rank == 0) *word = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && argc == 1) {
    corespec_work_ns(5e6);
    MPI_Wtime(); /* what it has declared lies behind it */
    *word = 1;
  }
  const double begin = MPI_Wtime();
  if (rank == 1) {
    while (*word == 0) corespec_work_ns(100);
    printf("it took %.0f ms\n", (MPI_Wtime() - begin) * 1e3);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
