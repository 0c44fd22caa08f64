/* A modelled program whose output and end say in which order ranks have done things: the first
   argument says what they do. */
#include <mpi.h>
#include <pmi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "corespec/include/corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

static int rank;
static int size;
static int word;

/* Differs from rank to rank, by less than a turn may be long. */
static double uneven_ns(void) { return 10.0 * ((rank * 7) % size); }

static void lines(void) {
  for (int round = 0; round < 3; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    printf("round %d, ", round);
    corespec_work_ns(uneven_ns());
    printf("rank %d\n", rank);
    fflush(stdout);
  }
}

/* Text for both, also past stdio, and a line that several ranks leave open. */
static void streams(void) {
  for (int round = 0; round < 3; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    corespec_work_ns(uneven_ns());
    printf("output %d of rank %d\n", round, rank);
    fprintf(stderr, "error %d of ", round);
    MPI_Barrier(MPI_COMM_WORLD);
    fprintf(stderr, "rank %d\n", rank);
    dprintf(STDOUT_FILENO, "written %d by rank %d\n", round, rank);
  }
  fprintf(stderr, "rank %d ends", rank);
}

/* Every third rank gives up, later than its neighbours or earlier; the others go on printing. */
static void aborts(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  corespec_work_ns(2 * uneven_ns());
  printf("rank %d has come here\n", rank);
  if (rank % 3 == 1) MPI_Abort(MPI_COMM_WORLD, 10 + rank);
  for (int step = 0; step < 100; ++step) {
    corespec_work_ns(1000 + uneven_ns());
    printf("rank %d, step %d\n", rank, step);
  }
}

/* Ranks that print ahead of what all of them have come to. */
static void steps(void) {
  for (int step = 0; step < 100; ++step) {
    corespec_work_ns(20000 + uneven_ns());
    printf("rank %d, step %d\n", rank, step);
    if (step % 10 == rank % 10) MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Every third rank ends as a rank must not. */
static void leaves(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  corespec_work_ns(uneven_ns());
  if (rank % 3 == 1) exit(10 + rank);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* One rank crashes where others have text on its way and unfinished. */
static void crashes(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  printf("output of rank %d\n", rank);
  printf("unfinished output of rank %d", rank);
  fprintf(stderr, "error of rank %d\n", rank);
  fprintf(stderr, "unfinished error of rank %d", rank);
  if (rank == size - 1) raise(SIGSEGV);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Each rank with a status of its own, at nearly the same time. */
static void statuses(void) {
  MPI_Finalize();
  corespec_work_ns(uneven_ns());
  exit(rank % 5 == 0 ? 0 : 10 + rank);
}

/* What a rank sees of others' values before it meets them; the last writer's counts. */
static void values(void) {
  char space[256];
  char value[64];
  PMI_KVS_Get_my_name(space, sizeof space);
  snprintf(value, sizeof value, "of rank %d", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  corespec_work_ns(uneven_ns());
  PMI_KVS_Put(space, "common", value);
  PMI_KVS_Commit(space);
  for (int look = 0; look < 6; ++look) {
    corespec_work_ns(50 + uneven_ns());
    if (PMI_KVS_Get(space, "common", value, sizeof value) != PMI_SUCCESS) strcpy(value, "none");
    printf("rank %d, look %d: %s\n", rank, look, value);
  }
  PMI_Barrier();
  PMI_KVS_Get(space, "common", value, sizeof value);
  printf("rank %d, in the end: %s\n", rank, value);
}

/* Rank 1 waits for ever, the others for it; how they wait is the MPI library's affair. */
static void hangs(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  corespec_work_ns(uneven_ns());
  printf("rank %d goes on\n", rank);
  if (rank == 1) {
    MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "lines";
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "lines") == 0) lines();
  if (strcmp(what, "streams") == 0) streams();
  if (strcmp(what, "aborts") == 0) aborts();
  if (strcmp(what, "steps") == 0) steps();
  if (strcmp(what, "leaves") == 0) leaves();
  if (strcmp(what, "crashes") == 0) crashes();
  if (strcmp(what, "statuses") == 0) statuses();
  if (strcmp(what, "values") == 0) values();
  if (strcmp(what, "hangs") == 0) hangs();
  MPI_Finalize();
  return 0;
}
