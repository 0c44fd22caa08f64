/* A small MPI program for the launcher's tests: its first argument says what it does. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line per rank, in the order of ranks. */
static void print_in_order(int rank, int size, const char* line) {
  for (int turn = 0; turn < size; ++turn) {
    if (turn == rank) {
      puts(line);
      fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static int hello(int rank, int size) {
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  char line[64];
  snprintf(line, sizeof line, "rank %d of %d, sum %d", rank, size, sum);
  print_in_order(rank, size, line);
  return 0;
}

static int show_environment(int rank, int size, char** names, int count) {
  char line[1024] = "";
  for (int i = 0; i < count; ++i) {
    const char* value = getenv(names[i]);
    const size_t used = strlen(line);
    snprintf(line + used, sizeof line - used, "%s%s=%s", i > 0 ? " " : "", names[i],
             value != NULL ? value : "(unset)");
  }
  print_in_order(rank, size, line);
  return 0;
}

/* Waits for a message that nobody sends. */
static void wait_in_vain(void) {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  int status = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* what = argc > 1 ? argv[1] : "hello";
  const int who = argc > 2 ? atoi(argv[2]) : 0;
  const int code = argc > 3 ? atoi(argv[3]) : 0;
  if (strcmp(what, "hello") == 0) status = hello(rank, size);
  if (strcmp(what, "environment") == 0) {
    status = show_environment(rank, size, argv + 2, argc - 2);
  }
  if (strcmp(what, "exit") == 0 && rank == who) status = code;
  if (strcmp(what, "abort") == 0) {
    if (rank == who) MPI_Abort(MPI_COMM_WORLD, code);
    wait_in_vain();
  }
  if (strcmp(what, "wait") == 0 && rank == who) wait_in_vain();
  MPI_Finalize();
  return status;
}
