/* A library of a program's that waits for ever in MPI. */
#include <mpi.h>

int library_word;

void wait_in_library(void) {
  MPI_Recv(&library_word, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here: library */
  ++library_word;
}
