/* Buffers that come and go: which of them lie where others have lain decides what is registered. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

int main(int argc, char** argv) {
  int rank = 0, size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char* kept[8] = {0};
  for (int step = 0; step < 64; ++step) {
    const int bytes = 10000 + 7001 * (step % 13);
    char* out = malloc((size_t)bytes);
    char* in = malloc((size_t)bytes);
    memset(out, step, (size_t)bytes);
    MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % size, 0, in, bytes, MPI_CHAR,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(out);
    free(kept[step % 8]);
    kept[step % 8] = in;
  }
  for (int i = 0; i < 8; ++i) free(kept[i]);
  MPI_Finalize();
  return 0;
}
