// A region of an MPI program, and what it sends over which link: each rank has 1 MB for its right
// neighbour. Prints what the Geminis have counted.
#include <gemini_monitor.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  const int bytes = 1 << 20;
  int rank, ranks, failed;
  gemini_state_t state;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* const out = malloc(bytes);
  char* const in = malloc(bytes);
  memset(out, rank + 1, bytes);

  failed = gemini_init_state(MPI_COMM_WORLD, &state);
  if (!failed) {
    MPI_Barrier(MPI_COMM_WORLD);  // every rank is here
    gemini_read_counters(MPI_COMM_WORLD, &state);
    MPI_Barrier(MPI_COMM_WORLD);  // all have read

    MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % ranks, 0, in, bytes, MPI_CHAR,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    MPI_Barrier(MPI_COMM_WORLD);
    gemini_read_counters(MPI_COMM_WORLD, &state);
    failed = gemini_print_counters(MPI_COMM_WORLD, &state);
    gemini_free_state(MPI_COMM_WORLD, &state);
  }
  free(out);
  free(in);
  MPI_Finalize();
  return failed;
}
