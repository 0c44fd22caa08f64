// Prints a line on every rank; then rank 1 keeps the others waiting until the file exists that the
// second argument names: it polls, computes, or waits in the kernel. The file "<it>.there" says
// that it does.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile int zero = 0;

static void say_there(const char* file) {
  char there[4096];
  snprintf(there, sizeof there, "%s.there", file);
  close(open(there, O_CREAT | O_WRONLY, 0600));
}

int main(int argc, char** argv) {
  int rank, found;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("line of rank %d\n", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    const char* way = argv[1];
    const char* file = argv[2];
    int ends[2];
    char byte;
    say_there(file);
    if (strcmp(way, "poll") == 0) {
      while (access(file, F_OK) != 0) {
        for (int i = 0; i < 1000; ++i) {
          MPI_Iprobe(0, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        }
      }
    } else if (strcmp(way, "compute") == 0) {
      while (zero == 0) {
      }
    } else if (pipe(ends) == 0) {
      found = read(ends[0], &byte, 1) == 1;
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("the end\n");
  MPI_Finalize();
  return 0;
}
