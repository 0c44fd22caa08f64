// Rank 1 waits for ARMCI_Put_flag()'s flag by looking at its memory, and then expects the data.
#include <armci.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  void** blocks = malloc((size_t)ranks * sizeof *blocks);
  ARMCI_Malloc(blocks, 8192);
  volatile int* flag = (volatile int*)((char*)blocks[rank] + 4096);
  unsigned char data[1000];
  for (int i = 0; i < 1000; ++i) data[i] = (unsigned char)(i * 31 + 7);
  *flag = 0;
  ARMCI_Barrier();
  if (rank == 0) {
    ARMCI_Put_flag(data, blocks[1], sizeof data, (int*)((char*)blocks[1] + 4096), 9, 1);
  } else {
    int wrong = 0;
    while (*flag == 0) {
    }
    for (int i = 0; i < 1000; ++i) wrong += ((unsigned char*)blocks[1])[i] != data[i];
    printf("flag %d, %d bytes wrong\n", *flag, wrong);
  }
  ARMCI_Barrier();
  ARMCI_Free(blocks[rank]);
  ARMCI_Finalize();
  MPI_Finalize();
  return 0;
}
