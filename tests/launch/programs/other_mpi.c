// An MPI library that is not Castor's, as far as its names go.
#include <stdio.h>

int PMPI_Init(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  puts("another MPI");
  return 0;
}
int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
int MPI_Finalize(void) { return 0; }
