// A rank that ends badly while the others wait for it: "abort" or "leave". Ranks whose main threads
// end before their others: "threads"; that call MPI before MPI_Init: "early".
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void* end_late(void* nothing) {
  usleep(300000);
  printf("thread has ended\n");
  return nothing;
}

int main(int argc, char** argv) {
  int rank = 0;
  if (argc > 1 && strcmp(argv[1], "early") == 0) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "threads") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, end_late, NULL);
    pthread_detach(thread);
    MPI_Finalize();
    pthread_exit(NULL);
  }
  if (rank == 1 && argc > 1) {
    if (strcmp(argv[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
    exit(0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
