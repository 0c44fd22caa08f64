/* Programs of MPI that hang, each in its own way: the first argument says how. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;
static int size;
static char big[1 << 20];
static int word;

/* The last rank waits for a tag that the first has not used. */
static void wrong_tag(void) {
  if (rank == 0) {
    MPI_Send(&word, 1, MPI_INT, size - 1, 7, MPI_COMM_WORLD);
    MPI_Send(big, 100, MPI_CHAR, size - 1, 8, MPI_COMM_WORLD);
  }
  if (rank == size - 1) {
    MPI_Recv(&word, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void many_unexpected(void) {
  if (rank != 0) {
    for (int tag = 0; tag < 7; ++tag) MPI_Send(&word, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
  } else {
    MPI_Probe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Rank 1 does something else meanwhile. */
static void missing_member(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Allreduce(MPI_IN_PLACE, &word, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void other_collective(void) {
  if (rank == 0) {
    MPI_Bcast(&word, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void ring_of_sends(void) {
  MPI_Send(big, sizeof big, MPI_CHAR, (rank + 1) % size, 3, MPI_COMM_WORLD);
  MPI_Recv(big, sizeof big, MPI_CHAR, (rank + size - 1) % size, 3, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
}

/* Of six requests one is complete; of one the message has another tag. */
static void wait_for_all(void) {
  MPI_Request requests[6];
  int words[6];
  if (rank == 0) {
    for (int i = 0; i < 6; ++i) {
      MPI_Irecv(&words[i], 1, MPI_INT, 1, 10 + i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
  }
  if (rank == 1) MPI_Send(&word, 1, MPI_INT, 0, 10, MPI_COMM_WORLD);
}

static void wait_for_barrier(void) {
  MPI_Request request;
  if (rank == 2) return;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void named(void) {
  MPI_Comm rows;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &rows);
  MPI_Comm_set_name(rows, rank % 2 == 0 ? "even ranks" : "odd ranks");
  if (rank == 2) {
    MPI_Recv(&word, 1, MPI_INT, 0, 4, rows, MPI_STATUS_IGNORE);
  } else if (rank == 0) {
    MPI_Barrier(rows);
  }
}

static void unnamed(void) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  if (rank == 3) MPI_Recv(&word, 1, MPI_INT, 0, MPI_ANY_TAG, half, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Comm_dup(half, &half);
}

/* Rank 0 has the lock and waits for rank 1, which wants it. */
static void window_lock(void) {
  MPI_Win window;
  MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_set_name(window, "table");
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
  }
}

static void window_post(void) {
  MPI_Win window;
  MPI_Group all;
  MPI_Group others;
  const int zero = 0;
  MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_excl(all, 1, &zero, &others);
  if (rank == 0) {
    MPI_Win_post(others, 0, window);
    MPI_Win_wait(window);
  }
}

static void on_quit(int number) {
  static const char text[] = "the program's own handler\n";
  if (number == SIGQUIT && write(STDOUT_FILENO, text, sizeof text - 1) < 0) _exit(1);
}

static void wait_for_self(void) {
  puts("ready");
  fflush(stdout);
  MPI_Recv(&word, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void own_handler(void) {
  signal(SIGQUIT, on_quit);
  wait_for_self();
}

static const struct {
  const char* name;
  void (*run)(void);
} ways[] = {{"wrong_tag", wrong_tag},
            {"many_unexpected", many_unexpected},
            {"missing_member", missing_member},
            {"other_collective", other_collective},
            {"ring_of_sends", ring_of_sends},
            {"wait_for_all", wait_for_all},
            {"wait_for_barrier", wait_for_barrier},
            {"named", named},
            {"unnamed", unnamed},
            {"window_lock", window_lock},
            {"window_post", window_post},
            {"wait_for_self", wait_for_self},
            {"own_handler", own_handler}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
    if (argc > 1 && strcmp(argv[1], ways[i].name) == 0) ways[i].run();
  }
  MPI_Finalize();
  return 0;
}
