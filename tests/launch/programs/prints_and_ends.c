/* Every rank prints a line and the beginning of another one; then the job ends as the argument
 * says, from within or from outside, and no rank has flushed what it printed. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void compute_for_ever(void) {
  for (volatile long i = 0;; ++i) {
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  const char* way = argc > 1 ? argv[1] : "";
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("line of rank %d\n", rank);
  printf("rest of rank %d", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && strcmp(way, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (rank == 1 && strcmp(way, "crash") == 0) *(volatile int*)0 = 1;
  if (rank == 1 && strcmp(way, "killed") == 0) raise(SIGKILL);
  if (rank == 1 && strcmp(way, "exit") == 0) exit(4); /* without MPI_Finalize */
  if (strcmp(way, "return") == 0) return MPI_Finalize();
  if (strcmp(way, "loop") != 0 && strcmp(way, "poll") != 0) { /* or all are stuck */
    MPI_Recv(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (argc > 2) { /* for who wants to end the job now */
    MPI_Barrier(MPI_COMM_WORLD);
    FILE* there = rank == 0 ? fopen(argv[2], "w") : NULL;
    if (there != NULL) fclose(there);
  }
  for (int found = 0; strcmp(way, "poll") == 0;) {
    MPI_Iprobe(1, 7, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  }
  compute_for_ever();
}
