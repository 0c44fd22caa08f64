// ARMCI alone, with the classic header.
#include <armci.h>
#include <mpi.h>
#include <stdio.h>

#ifndef CASTOR_ARMCI_CLASSIC
#error the classic dialect is expected
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  printf("OK\n");
  ARMCI_Finalize();
  MPI_Finalize();
  return 0;
}
