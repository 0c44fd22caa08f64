/* A modelled program of which some ranks go wrong: the first argument says how, the second which
   ranks ("2" or "1,4"); the others wait in a barrier. `wait` goes on until the file is there that
   the third argument names, `compute` for ever, and so does `block`, in the kernel; "FILE.there"
   says that they have begun. */
#include <fcntl.h>
#include <mpi.h>
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

static int is_bad(const char* ranks) {
  while (*ranks != '\0') {
    char* end;
    if (strtol(ranks, &end, 10) == rank) return 1;
    ranks = *end == ',' ? end + 1 : end;
  }
  return 0;
}

static void say_there(const char* file) {
  char there[4096];
  snprintf(there, sizeof there, "%s.there", file);
  close(open(there, O_CREAT | O_WRONLY, 0600));
}

/* A millisecond, with a call that takes it: declared computing alone is put off. */
static void work(void) {
  int found;
  corespec_work_ns(1e6);
  MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

/* The others have come to the barrier by now. */
static void begin_to_go_on(const char* file) {
  for (int i = 0; i < 3; ++i) work();
  printf("rank %d goes on\n", rank);
  say_there(file);
}

static void compute(const char* file) {
  begin_to_go_on(file);
  for (;;) {
  }
}

static void block(const char* file) {
  int ends[2];
  begin_to_go_on(file);
  if (pipe(ends) == 0) word = read(ends[0], &word, 1) == 1;
}

static void wait_for(const char* file) {
  begin_to_go_on(file);
  while (access(file, F_OK) != 0) work();
}

/* Its frame lies beyond the page below the stack, which nothing touches. */
static void reach_beyond(void) {
  volatile char room[9 << 20];
  room[0] = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  room[0] = (char)size;
}

static void go_wrong(const char* way, const char* file) {
  printf("rank %d goes wrong\n", rank);
  if (strcmp(way, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(way, "leave") == 0) exit(3);
  if (strcmp(way, "leave_well") == 0) exit(0);
  if (strcmp(way, "receive") == 0) {
    MPI_Recv(&word, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(way, "work") == 0) {
    for (;;) work();
  }
  if (strcmp(way, "store") == 0) {
    fputs("about to store", stderr);
    *(volatile int*)NULL = 1;
  }
  if (strcmp(way, "abort_c") == 0) abort();
  if (strcmp(way, "terminate") == 0) raise(SIGTERM);
  if (strcmp(way, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(way, "reach_beyond") == 0) reach_beyond();
  if (strcmp(way, "wait") == 0) wait_for(file);
  if (strcmp(way, "compute") == 0) compute(file);
  if (strcmp(way, "block") == 0) block(file);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int bad = argc > 2 && is_bad(argv[2]);
  printf("rank %d of %d\n", rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  corespec_work_ns(1e5); /* what all have written before is settled */
  if (bad) go_wrong(argv[1], argc > 3 ? argv[3] : "");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) puts("the end");
  MPI_Finalize();
  return bad && strcmp(argv[1], "status") == 0 ? 5 : 0;
}
