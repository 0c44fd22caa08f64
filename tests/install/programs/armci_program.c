/* ARMCI from an installed tree: C99 and C++11. */
#include <armci.h>
#include <message.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  const int rank = armci_msg_me();
  const int size = armci_msg_nproc();
  void** places = (void**)malloc((size_t)size * sizeof *places);
  ARMCI_Malloc(places, sizeof(double));
  *(double*)places[rank] = 1;
  ARMCI_Barrier();
  double value = rank + 1;
  double one = 1;
  ARMCI_Acc(ARMCI_ACC_DBL, &one, &value, places[0], sizeof value, 0);
  ARMCI_Barrier();
  if (rank == 0)
    printf("%s\n", *(double*)places[0] == 1 + size * (size + 1) / 2.0 ? "right" : "wrong");
  ARMCI_Barrier();
  ARMCI_Free(places[rank]);
  free(places);
  ARMCI_Finalize();
  MPI_Finalize();
  return 0;
}
