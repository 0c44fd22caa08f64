/* Says what a test of MPICH's suite says that is content, complains, ends badly, or never. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpitestconf.h"

#ifdef UNBUILDABLE
#error not to be compiled
#endif

int MPI_Sample_nobody_has_this(void);

int main(int argc, char** argv, char** variables) {
  int rank, errors = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  /* A setting as argument has to be in the environment too. */
  if (argc > 1) {
    errors = 1;
    for (char** one = variables; *one; ++one) errors &= strcmp(*one, argv[1]) != 0;
  }
#ifdef HANGS
  for (volatile int forever = 1; forever;) continue;
#endif
#ifdef CRASHES
  abort();
#endif
#ifdef MISSING
  MPI_Sample_nobody_has_this();
#endif
#ifdef COMPLAINS
  errors = 1;
#endif
#ifdef ADDS
  if (rank == 0) printf("Expected 1 but got 2\n");
#endif
#if defined(CONTENT) || defined(COMPLAINS) || defined(ADDS) || defined(MISSING)
  if (rank == 0 && errors) printf("Found %d errors\n", errors);
  if (rank == 0 && !errors) printf(" No Errors\n");
#endif
  (void)errors;
  MPI_Finalize();
  return 0;
}
