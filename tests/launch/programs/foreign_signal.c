// Ranks 0 and 2 count SIGUSR1, the others have no handler; each that has one waits until it has
// come.
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t come;
static void count(int number) {
  (void)number;
  ++come;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank % 2 == 0) signal(SIGUSR1, count);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    close(open(argv[1], O_CREAT | O_WRONLY, 0600));
    for (int found = 0; come == 0;) MPI_Iprobe(1, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD); /* rank 2 waits here */
  printf("rank %d: %d\n", rank, (int)come);
  MPI_Finalize();
  return 0;
}
