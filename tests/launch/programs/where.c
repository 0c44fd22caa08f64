/* Waits for ever, in a place that the first argument names: the lines are marked "here: NAME". */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "corespec/include/corespec_team.h"
#include "corespec/include/corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

void wait_in_library(void);

static int rank;
static int word;
static volatile int zero;

static void __attribute__((noipa)) receives(int tag) {
  MPI_Recv(&word, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here: receive */
  word = tag;
}

/* Ranks wait for the same at two lines. */
static void __attribute__((noipa)) groups(void) {
  if (rank % 2 == 0) {
    MPI_Recv(&word, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here: even */
    zero = 1; /* or the compiler makes one call of the two */
  } else {
    MPI_Recv(&word, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here: odd */
    zero = 2;
  }
}

static void region(void* argument, int thread) {
  if (thread == 0) {
    MPI_Recv(&word, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here: region */
  } else {
    sleep(1); /* here: sleep */
  }
  *(int*)argument = thread;
}

static void __attribute__((noipa)) computes(void) {
  while (zero == 0) { /* here: compute */
  }
}

static void __attribute__((noipa)) exchanges(void) {
  for (int i = 0; i < 400000; ++i) {
    MPI_Sendrecv_replace(&word, 1, MPI_INT, /* here: exchange */
                         rank ^ 1, 1, rank ^ 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    corespec_work_ns(100);
  }
}

/* A wrapper, as tools have them. */
#if defined(WRAPPER)
int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status* status) {
  const int code = PMPI_Recv(buffer, count, type, source, tag, comm, status);
  ++word;
  return code;
}
#endif

int main(int argc, char** argv) {
  const char* where = argc > 1 ? argv[1] : "receive";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(where, "receive") == 0) receives(9);
  if (strcmp(where, "groups") == 0) groups();
  if (strcmp(where, "exchange") == 0) exchanges();
  if (strcmp(where, "library") == 0) wait_in_library();
  if (strcmp(where, "compute") == 0 && rank == 0) computes();
  if (strcmp(where, "compute") == 0) receives(9);
  if (strcmp(where, "team") == 0) {
    corespec_team team;
    int numbers = 0;
    if (corespec_team_start(&team, 2)) corespec_team_run(&team, region, &numbers);
  }
  MPI_Finalize();
  return 0;
}
