/* A rank that ends badly while helper threads hold requests: its own and the others'. */
/* usage: armci_ends SITUATION END [RANK]: what all ranks do without end, how RANK ends after a
   while (never: it does not), in the middle of it. */
#include <armci.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 64, bytes = 1 << 20, mutex_owner = 1, turns = 5 };

static void* blocks[most];
static double own[bytes / sizeof(double)];

static void end(const char* how) {
  if (strcmp(how, "exit") == 0) exit(3);
  if (strcmp(how, "leave") == 0) exit(0);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "error") == 0) {
    char text[] = "given up";
    ARMCI_Error(text, 7);
  }
}

int main(int argc, char** argv) {
  int rank = -1;
  int size = 0;
  const char* what = argc > 1 ? argv[1] : "";
  const char* how = argc > 2 ? argv[2] : "never";
  const int ends = argc > 3 ? atoi(argv[3]) : -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ARMCI_Init();
  ARMCI_Malloc(blocks, (armci_size_t)size * bytes);
  ARMCI_Create_mutexes(1);
  if (rank == 0) {
    printf("begins\n");
    fflush(stdout);
  }
  for (int turn = 0;; ++turn) {
    const int last = rank == ends && turn == turns;
    const int to = (rank + 1 + turn % (size - 1)) % size;
    double one = 1;
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    if (strcmp(what, "lock") == 0) {
      ARMCI_Lock(0, mutex_owner);
      if (last) end(how);
      ARMCI_Unlock(0, mutex_owner);
    }
    char* part = (char*)blocks[to] + (size_t)rank * bytes; /* what is put is put by one rank only */
    if (strcmp(what, "put") == 0) ARMCI_NbPut(own, part, bytes, to, &handle);
    if (strcmp(what, "get") == 0) ARMCI_NbGet(blocks[to], own, bytes, to, &handle);
    if (strcmp(what, "acc") == 0) {
      ARMCI_NbAcc(ARMCI_ACC_DBL, &one, own, blocks[to], bytes, to, &handle);
    }
    if (strcmp(what, "small") == 0) ARMCI_NbPut(own, part, 512, to, &handle);
    if (last) end(how);
    ARMCI_Wait(&handle);
  }
}
