/* Makes every call that a trace can hold, with sizes that a number draws, and writes down what the
   trace of it has to say: every_call FOLDER SEED, with 4 ranks. A line of FOLDER/RANK is a call
   with its arguments; statuses are {bytes source cancelled error tag}. */
#include <corespec_work.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CORESPEC_MODELLED_PROGRAM;

enum { ranks = 4, most = 600, arrays = 4 };

static FILE* expected;
static int rank, right, left;
static uint32_t state;
static double data[arrays][ranks * most];

static void say(const char* format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(expected, format, arguments);
  va_end(arguments);
  fputc('\n', expected);
}

/* The same on all ranks. */
static int drawn(void) {
  state = state * 1664525u + 1013904223u;
  corespec_work_ns(state >> 20);
  return (int)(state >> 16) % most;
}

static void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  say("MPI_Barrier 2");
}

static void start(int* argc, char*** argv, int threads) {
  int provided = 0;
  if (threads) {
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  } else {
    MPI_Init(argc, argv);
  }
  state = (uint32_t)atoi((*argv)[2]);
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % ranks;
  left = (rank + ranks - 1) % ranks;
  char path[1000];
  snprintf(path, sizeof path, "%s/%d", (*argv)[1], rank);
  expected = fopen(path, "w");
  if (expected == NULL || size != ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  fprintf(expected, "%s [", threads ? "MPI_Init_thread" : "MPI_Init");
  for (int i = 0; i < *argc; ++i) fprintf(expected, i == 0 ? "%s" : " %s", (*argv)[i]);
  say(threads ? "] 2 %d" : "]", provided + 1);
  say("MPI_Comm_rank 2 %d", rank);
  say("MPI_Comm_size 2 %d", ranks);
}

typedef int (*blocking)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef int (*requested)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static void send_and_wait(blocking send, const char* name, MPI_Datatype type, int number) {
  const int n = drawn();
  const int tag = drawn();
  int size = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Type_size(type, &size);
  MPI_Irecv(data[0], n, type, left, tag, MPI_COMM_WORLD, &request);
  say("MPI_Irecv %d %d %d %d 2 2", n, number, left, tag);
  barrier();
  send(data[1], n, type, right, tag, MPI_COMM_WORLD);
  say("%s %d %d %d %d 2", name, n, number, right, tag);
  MPI_Wait(&request, &status);
  say("MPI_Wait 2 [{%d %d 0 0 %d}]", n * size, left, tag);
}

static void request_and_wait(requested send, const char* name) {
  const int n = drawn();
  MPI_Request all[2];
  MPI_Irecv(data[0], n, MPI_FLOAT, left, 7, MPI_COMM_WORLD, &all[0]);
  say("MPI_Irecv %d 13 %d 7 2 2", n, left);
  barrier();
  send(data[1], n, MPI_FLOAT, right, 7, MPI_COMM_WORLD, &all[1]);
  say("%s %d 13 %d 7 2 3", name, n, right);
  MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
  say("MPI_Waitall 2 [2 3] []");
}

static void isend(int n, int tag, int number) {
  MPI_Request request;
  MPI_Isend(data[1], n, MPI_INT, right, tag, MPI_COMM_WORLD, &request);
  say("MPI_Isend %d 9 %d %d 2 %d", n, right, tag, number);
  MPI_Request_free(&request);
  say("MPI_Request_free %d", number);
}

static void receive_blocking(void) {
  const int n = drawn();
  MPI_Status status;
  isend(n, 3, 2);
  MPI_Recv(data[0], most, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  say("MPI_Recv %d 9 -1 -1 2 [{%d %d 0 0 3}]", most, 4 * n, left);
  barrier();
  isend(n, 4, 2);
  MPI_Probe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  say("MPI_Probe %d -1 2 [{%d %d 0 0 4}]", left, 4 * n, left);
  int flag = 0;
  while (!flag) MPI_Iprobe(left, 4, MPI_COMM_WORLD, &flag, &status);
  say("MPI_Iprobe %d 4 2 1 [{%d %d 0 0 4}]", left, 4 * n, left);
  MPI_Recv(data[0], n, MPI_INT, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("MPI_Recv %d 9 %d 4 2 []", n, left);
  MPI_Send(data[1], n, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
  say("MPI_Send %d 9 -3 5 2", n);
  MPI_Recv(data[0], n, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &status);
  say("MPI_Recv %d 9 -3 5 2 [{0 -3 0 0 -1}]", n);
}

static int post(MPI_Request all[3], int n) {
  for (int i = 0; i < 3; ++i) {
    MPI_Irecv(data[i], n + i, MPI_LONG, left, i, MPI_COMM_WORLD, &all[i]);
    say("MPI_Irecv %d 11 %d %d 2 %d", n + i, left, i, i + 2);
  }
  barrier();
  return n;
}

static void send_long(int n, int tag) {
  MPI_Send(data[3], n + tag, MPI_LONG, right, tag, MPI_COMM_WORLD);
  say("MPI_Send %d 11 %d %d 2", n + tag, right, tag);
}

/* Which of the requests is done, the order of the messages says. */
static void wait_and_test(void) {
  MPI_Request all[3];
  MPI_Status given[3];
  int index = 0;
  int flag = 0;
  int n = post(all, drawn());
  send_long(n, 1);
  MPI_Waitany(3, all, &index, &given[0]);
  say("MPI_Waitany 3 [2 3 4] 1 [{%d %d 0 0 1}]", 8 * (n + 1), left);
  barrier();
  send_long(n, 0);
  while (!flag) MPI_Testany(3, all, &index, &flag, &given[0]);
  say("MPI_Testany 3 [2 1 4] 0 1 [{%d %d 0 0 0}]", 8 * n, left);
  barrier();
  send_long(n, 2);
  for (flag = 0; !flag;) MPI_Test(&all[2], &flag, &given[0]);
  say("MPI_Test 4 1 [{%d %d 0 0 2}]", 8 * (n + 2), left);

  n = post(all, drawn());
  send_long(n, 2);
  MPI_Waitsome(3, all, &index, (int[3]){0}, given);
  say("MPI_Waitsome 3 [2 3 4] 1 [2] [{%d %d 0 0 2}]", 8 * (n + 2), left);
  barrier();
  send_long(n, 1);
  for (index = 0; index == 0;) MPI_Testsome(3, all, &index, (int[3]){0}, MPI_STATUSES_IGNORE);
  say("MPI_Testsome 3 [2 3 1] 1 [1] []");
  barrier();
  send_long(n, 0);
  for (flag = 0; !flag;) MPI_Testall(1, all, &flag, given);
  say("MPI_Testall 1 [2] 1 [{%d %d 0 0 0}]", 8 * n, left);
  MPI_Wait(&all[1], &given[0]);
  say("MPI_Wait 1 [{0 -1 0 0 -1}]");
  MPI_Waitsome(3, all, &index, (int[3]){0}, given);
  say("MPI_Waitsome 3 [1 1 1] -32766 [] []");

  n = post(all, drawn());
  for (int i = 2; i >= 0; --i) send_long(n, i);
  MPI_Waitall(3, all, given);
  say("MPI_Waitall 3 [2 3 4] [{%d %d 0 0 0} {%d %d 0 0 1} {%d %d 0 0 2}]", 8 * n, left, 8 * (n + 1),
      left, 8 * (n + 2), left);
}

/* A persistent request keeps its number until it is freed. */
static void persistent(void) {
  static const struct {
    requested make;
    const char* name;
  } sends[] = {{MPI_Send_init, "MPI_Send_init"},
               {MPI_Bsend_init, "MPI_Bsend_init"},
               {MPI_Ssend_init, "MPI_Ssend_init"},
               {MPI_Rsend_init, "MPI_Rsend_init"}};
  const int n = drawn();
  MPI_Request all[5];
  MPI_Recv_init(data[0], n, MPI_SHORT, left, 9, MPI_COMM_WORLD, &all[0]);
  say("MPI_Recv_init %d 7 %d 9 2 2", n, left);
  for (int i = 0; i < 4; ++i) {
    sends[i].make(data[1], n, MPI_SHORT, right, 9, MPI_COMM_WORLD, &all[i + 1]);
    say("%s %d 7 %d 9 2 %d", sends[i].name, n, right, i + 3);
  }
  for (int i = 1; i < 5; ++i) {
    MPI_Start(&all[0]);
    say("MPI_Start 2");
    barrier();
    MPI_Startall(1, &all[i]);
    say("MPI_Startall 1 [%d]", i + 2);
    MPI_Waitall(5, all, MPI_STATUSES_IGNORE);
    say("MPI_Waitall 5 [2 3 4 5 6] []");
  }
  for (int i = 0; i < 5; ++i) {
    MPI_Request_free(&all[i]);
    say("MPI_Request_free %d", i + 2);
  }
}

static void both_ways(void) {
  const int n = drawn();
  MPI_Status status;
  MPI_Sendrecv(data[0], n, MPI_CHAR, right, 1, data[1], most, MPI_BYTE, left, 1, MPI_COMM_WORLD,
               &status);
  say("MPI_Sendrecv %d 2 %d 1 %d 5 %d 1 2 [{%d %d 0 0 1}]", n, right, most, left, n, left);
  MPI_Sendrecv_replace(data[0], n, MPI_UNSIGNED, left, 2, right, 2, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  say("MPI_Sendrecv_replace %d 10 %d 2 %d 2 2 []", n, left, right);
}

static void one_root(void) {
  const int root = drawn() % ranks;
  const int n = drawn();
  int counts[ranks];
  int places[ranks];
  for (int i = 0; i < ranks; ++i) {
    counts[i] = n / (i + 1);
    places[i] = i * most;
  }
  char lists[200];
  snprintf(lists, sizeof lists, "[%d %d %d %d] [%d %d %d %d]", counts[0], counts[1], counts[2],
           counts[3], places[0], places[1], places[2], places[3]);
  const int is_root = rank == root;
  MPI_Bcast(data[0], n, MPI_LONG_LONG_INT, root, MPI_COMM_WORLD);
  say("MPI_Bcast %d 16 %d 2", n, root);
  MPI_Gather(data[0], n, MPI_UNSIGNED_LONG, data[1], n, is_root ? MPI_UNSIGNED_LONG : -5, root,
             MPI_COMM_WORLD);
  say(is_root ? "MPI_Gather %d %d 12 %d 2 %d 12" : "MPI_Gather %d %d 12 %d 2 - -", rank, n, root,
      n);
  MPI_Gatherv(data[0], counts[rank], MPI_DOUBLE, data[1], is_root ? counts : NULL,
              is_root ? places : NULL, MPI_DOUBLE, root, MPI_COMM_WORLD);
  say("MPI_Gatherv %d 4 %d 14 %d 2 %s 14", rank, counts[rank], root, is_root ? lists : "- -");
  MPI_Scatter(data[0], n, MPI_UNSIGNED_SHORT, data[1], n, MPI_UNSIGNED_SHORT, root, MPI_COMM_WORLD);
  say(is_root ? "MPI_Scatter %d %d 8 %d 2 %d 8" : "MPI_Scatter %d %d 8 %d 2 - -", rank, n, root, n);
  MPI_Scatterv(data[0], is_root ? counts : NULL, is_root ? places : NULL, MPI_DOUBLE, data[1],
               counts[rank], MPI_DOUBLE, root, MPI_COMM_WORLD);
  say("MPI_Scatterv %d 4 14 %d 14 %d 2 %s", rank, counts[rank], root, is_root ? lists : "- -");
  MPI_Reduce(data[0], data[1], n, MPI_DOUBLE, MPI_MAX, root, MPI_COMM_WORLD);
  say("MPI_Reduce %d 14 1 %d 2", n, root);
  MPI_Allgatherv(data[0], counts[rank], MPI_DOUBLE, data[1], counts, places, MPI_DOUBLE,
                 MPI_COMM_WORLD);
  say("MPI_Allgatherv 4 %d 14 %s 14 2", counts[rank], lists);
}

static void no_root(void) {
  const int n = drawn();
  int counts[ranks];
  int places[ranks];
  for (int i = 0; i < ranks; ++i) {
    counts[i] = n / 2 + rank + i;
    places[i] = i * most;
  }
  MPI_Allgather(data[0], n, MPI_INT32_T, data[1], n, MPI_INT32_T, MPI_COMM_WORLD);
  say("MPI_Allgather %d 9 %d 9 2", n, n);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data[1], n, MPI_INT, MPI_COMM_WORLD);
  say("MPI_Allgather 0 1 %d 9 2", n);
  MPI_Alltoall(data[0], n, MPI_BYTE, data[1], n, MPI_BYTE, MPI_COMM_WORLD);
  say("MPI_Alltoall %d 5 %d 5 2", n, n);
  MPI_Alltoallv(data[0], counts, places, MPI_FLOAT, data[1], counts, places, MPI_FLOAT,
                MPI_COMM_WORLD);
  char lists[200];
  snprintf(lists, sizeof lists, "[%d %d %d %d] [%d %d %d %d]", counts[0], counts[1], counts[2],
           counts[3], places[0], places[1], places[2], places[3]);
  say("MPI_Alltoallv 4 %s 13 %s 13 2", lists, lists);
  MPI_Allreduce(data[0], data[1], n, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
  say("MPI_Allreduce %d 9 8 2", n);
  MPI_Reduce_scatter(data[0], data[1], (int[ranks]){n, 1, 2, 3}, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("MPI_Reduce_scatter 4 [%d 1 2 3] 9 3 2", n);
  MPI_Scan(data[0], data[1], n, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  say("MPI_Scan %d 9 2 2", n);
  MPI_Exscan(data[0], data[1], n, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  say("MPI_Exscan %d 9 2 2", n);
  /* Of neighbours alone; of what has no count the type means nothing. */
  int some[ranks] = {0};
  MPI_Datatype types[ranks];
  for (int i = 0; i < ranks; ++i)
    types[i] = i == right || i == left ? MPI_FLOAT : MPI_DATATYPE_NULL;
  some[right] = some[left] = n / 2;
  for (int i = 0; i < ranks; ++i) places[i] *= 4;
  MPI_Alltoallw(data[0], some, places, types, data[1], some, places, types, MPI_COMM_WORLD);
  char numbers[100];
  snprintf(lists, sizeof lists, "[%d %d %d %d] [%d %d %d %d]", some[0], some[1], some[2], some[3],
           places[0], places[1], places[2], places[3]);
  snprintf(numbers, sizeof numbers, "[%d %d %d %d]", some[0] ? 13 : 1, some[1] ? 13 : 1,
           some[2] ? 13 : 1, some[3] ? 13 : 1);
  say("MPI_Alltoallw 4 %s %s %s %s 2", lists, numbers, lists, numbers);
}

static void communicators(void) {
  MPI_Group all;
  MPI_Group some;
  MPI_Group others;
  MPI_Comm made[4];
  const int member = rank < 2;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  say("MPI_Comm_group 2 3");
  MPI_Group_incl(all, 2, (int[2]){0, 1}, &some);
  say("MPI_Group_incl 3 2 [0 1] 4");
  MPI_Group_free(&all);
  say("MPI_Group_free 3");
  MPI_Group_excl(some, 1, (int[1]){0}, &others);
  say("MPI_Group_excl 4 1 [0] 3");
  MPI_Comm_create(MPI_COMM_WORLD, some, &made[0]);
  int next = 4;
  say("MPI_Comm_create 2 4 %d", member ? next++ : 1);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &made[1]);
  say("MPI_Comm_split 2 %d %d %d", rank % 2, -rank, next++);
  MPI_Comm_dup(made[1], &made[2]);
  say("MPI_Comm_dup %d %d", next - 1, next);
  MPI_Cart_create(MPI_COMM_WORLD, 2, (int[2]){2, 2}, (int[2]){1, 0}, 0, &made[3]);
  say("MPI_Cart_create 2 2 [2 2] [1 0] 0 %d", ++next);
  MPI_Barrier(made[3]);
  say("MPI_Barrier %d", next);
  MPI_Group_free(&some);
  say("MPI_Group_free 4");
  MPI_Group_free(&others);
  say("MPI_Group_free 3");
  for (int i = 3; i > 0; --i) {
    MPI_Comm_free(&made[i]);
    say("MPI_Comm_free %d", next--);
  }
  if (!member) return;
  MPI_Comm_free(&made[0]);
  say("MPI_Comm_free 4");
}

static void more_groups(void) {
  MPI_Group all, odd, even, made;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  say("MPI_Comm_group 2 3");
  MPI_Group_range_incl(all, 1, (int[1][3]){{1, 3, 2}}, &odd);
  say("MPI_Group_range_incl 3 1 [1 3 2] 4");
  MPI_Group_range_excl(all, 2, (int[2][3]){{1, 1, 1}, {3, 3, 1}}, &even);
  say("MPI_Group_range_excl 3 2 [1 1 1 3 3 1] 5");
  MPI_Group_union(odd, even, &made);
  say("MPI_Group_union 4 5 6");
  MPI_Group_free(&made);
  say("MPI_Group_free 6");
  MPI_Group_intersection(odd, even, &made);
  say("MPI_Group_intersection 4 5 2");
  MPI_Group_difference(all, even, &made);
  say("MPI_Group_difference 3 5 6");
  for (int i = 0; i < 4; ++i) {
    MPI_Group_free((MPI_Group*[]){&all, &odd, &even, &made}[i]);
    say("MPI_Group_free %d", i + 3);
  }
}

/* The first communicators of these have the number `next`. */
static void more_communicators(int next) {
  MPI_Comm cart, row, graph, half, between, both;
  MPI_Group far;
  MPI_Cart_create(MPI_COMM_WORLD, 2, (int[2]){2, 2}, (int[2]){0, 0}, 0, &cart);
  say("MPI_Cart_create 2 2 [2 2] [0 0] 0 %d", next);
  MPI_Cart_sub(cart, (int[2]){0, 1}, &row);
  say("MPI_Cart_sub 2 %d [0 1] %d", next, next + 1);
  MPI_Graph_create(MPI_COMM_WORLD, ranks, (int[4]){1, 2, 3, 4}, (int[4]){1, 0, 3, 2}, 0, &graph);
  say("MPI_Graph_create 4 2 4 [1 2 3 4] [1 0 3 2] 0 %d", next + 2);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
  say("MPI_Comm_split 2 %d 0 %d", rank / 2, next + 3);
  const int leads = rank % 2 == 0;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 7, &between);
  say("MPI_Intercomm_create %d 0 %d %d 7 %d", next + 3, leads ? 2 : 1, leads && rank < 2 ? 2 : 0,
      next + 4);
  MPI_Comm_remote_group(between, &far);
  say("MPI_Comm_remote_group %d 3", next + 4);
  MPI_Group_free(&far);
  say("MPI_Group_free 3");
  MPI_Intercomm_merge(between, rank < 2, &both);
  say("MPI_Intercomm_merge %d %d %d", next + 4, rank < 2, next + 5);
  MPI_Barrier(both);
  say("MPI_Barrier %d", next + 5);
  for (int i = 0; i < 6; ++i) {
    MPI_Comm_disconnect((MPI_Comm*[]){&cart, &row, &graph, &half, &between, &both}[i]);
    say("MPI_Comm_disconnect %d", next + i);
  }
}

static void cancelled(void) {
  MPI_Request request;
  MPI_Irecv(data[0], 1, MPI_INT, left, 88, MPI_COMM_WORLD, &request);
  say("MPI_Irecv 1 9 %d 88 2 2", left);
  MPI_Cancel(&request);
  say("MPI_Cancel 2");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say("MPI_Wait 2 []");
}

static void sum(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)in, (void)inout, (void)length, (void)type;
}

/* Types of the program's own: 28 and 29 of 24 and 40 bytes; a third one takes 28 over. */
static void own_types(void) {
  MPI_Datatype types[2];
  MPI_Op op;
  MPI_Type_contiguous(3, MPI_DOUBLE, &types[0]);
  MPI_Type_vector(5, 2, 4, MPI_INT, &types[1]);
  for (int i = 0; i < 2; ++i) MPI_Type_commit(&types[i]);
  send_and_wait(MPI_Send, "MPI_Send", types[1], 29);
  send_and_wait(MPI_Send, "MPI_Send", types[0], 28);
  MPI_Type_free(&types[0]);
  MPI_Type_contiguous(6, MPI_INT, &types[0]);
  MPI_Type_commit(&types[0]);
  send_and_wait(MPI_Send, "MPI_Send", types[0], 28);
  for (int i = 0; i < 2; ++i) MPI_Type_free(&types[i]);
  MPI_Op_create(sum, 1, &op);
  MPI_Allreduce(data[0], data[1], 3, MPI_2INT, op, MPI_COMM_WORLD);
  say("MPI_Allreduce 3 26 15 2");
  MPI_Op_free(&op);
}

static void windows(void) {
  MPI_Win win;
  const int n = drawn() / 2;
  MPI_Win_create(data[3], sizeof data[3], 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  say("MPI_Win_create %d 8 0 2 1", (int)sizeof data[3]);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  say("MPI_Win_fence 8 1");
  MPI_Put(data[0], n, MPI_DOUBLE, right, 10, n, MPI_DOUBLE, win);
  say("MPI_Put %d 14 %d 10 %d 14 1", n, right, n);
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, win);
  say("MPI_Win_fence 18 1");
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, left, MPI_MODE_NOCHECK, win);
  say("MPI_Win_lock 2 %d 1 1", left);
  MPI_Get(data[1], n, MPI_DOUBLE, left, 5, n, MPI_DOUBLE, win);
  say("MPI_Get %d 14 %d 5 %d 14 1", n, left, n);
  MPI_Win_unlock(left, win);
  say("MPI_Win_unlock %d 1", left);
  MPI_Win_lock(MPI_LOCK_SHARED, left, 0, win);
  say("MPI_Win_lock 1 %d 0 1", left);
  MPI_Accumulate(data[1], n, MPI_INT, left, 6, n, MPI_INT, MPI_REPLACE, win);
  say("MPI_Accumulate %d 9 %d 6 %d 9 13 1", n, left, n);
  MPI_Win_unlock(left, win);
  say("MPI_Win_unlock %d 1", left);
  MPI_Group all, from, to;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  say("MPI_Comm_group 2 3");
  MPI_Group_incl(all, 1, &left, &from);
  say("MPI_Group_incl 3 1 [%d] 4", left);
  MPI_Group_incl(all, 1, &right, &to);
  say("MPI_Group_incl 3 1 [%d] 5", right);
  for (int round = 0; round < 2; ++round) {
    MPI_Win_post(from, MPI_MODE_NOSTORE, win);
    say("MPI_Win_post 4 2 1");
    MPI_Win_start(to, 0, win);
    say("MPI_Win_start 5 0 1");
    MPI_Put(data[0], n, MPI_DOUBLE, right, 10, n, MPI_DOUBLE, win);
    say("MPI_Put %d 14 %d 10 %d 14 1", n, right, n);
    MPI_Win_complete(win);
    say("MPI_Win_complete 1");
    if (round == 0) {
      MPI_Win_wait(win);
      say("MPI_Win_wait 1");
    } else {
      for (int done = 0; !done;) MPI_Win_test(win, &done);
      say("MPI_Win_test 1 1");
    }
  }
  for (int i = 0; i < 3; ++i) {
    MPI_Group_free((MPI_Group*[]){&all, &from, &to}[i]);
    say("MPI_Group_free %d", i + 3);
  }
  MPI_Win_free(&win);
  say("MPI_Win_free 1");
}

/* The format has no such requests: they are null. */
static void without_place(void) {
  MPI_Request all[2];
  MPI_Ibarrier(MPI_COMM_WORLD, &all[0]);
  MPI_Irecv(data[0], 1, MPI_INT, left, 0, MPI_COMM_WORLD, &all[1]);
  say("MPI_Irecv 1 9 %d 0 2 2", left);
  MPI_Send(data[1], 1, MPI_INT, right, 0, MPI_COMM_WORLD);
  say("MPI_Send 1 9 %d 0 2", right);
  MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
  say("MPI_Waitall 2 [1 2] []");
  if (rank > 1) {
    MPI_Request_free(
        &(MPI_Request){(MPI_Send_init(NULL, 0, MPI_INT, 0, 0, MPI_COMM_SELF, &all[0]), all[0])});
    say("MPI_Send_init 0 9 0 0 3 2");
    say("MPI_Request_free 2");
  }
}

/* What is between is not recorded; what is made there has a number nevertheless. */
static void window_of_time(void) {
  MPI_Request request;
  MPI_Pcontrol(0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Irecv(data[0], 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request);
  MPI_Pcontrol(1);
  MPI_Send(data[1], 1, MPI_INT, right, 0, MPI_COMM_WORLD);
  say("MPI_Send 1 9 %d 0 2", right);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say("MPI_Wait 2 []");
}

int main(int argc, char** argv) {
  start(&argc, &argv, atoi(argv[2]) % 2);
  static char room[100000];
  MPI_Buffer_attach(room, sizeof room);
  send_and_wait(MPI_Send, "MPI_Send", MPI_DOUBLE, 14);
  send_and_wait(MPI_Bsend, "MPI_Bsend", MPI_SIGNED_CHAR, 3);
  send_and_wait(MPI_Ssend, "MPI_Ssend", MPI_UNSIGNED_CHAR, 4);
  send_and_wait(MPI_Rsend, "MPI_Rsend", MPI_UNSIGNED_LONG_LONG, 17);
  request_and_wait(MPI_Isend, "MPI_Isend");
  request_and_wait(MPI_Ibsend, "MPI_Ibsend");
  request_and_wait(MPI_Issend, "MPI_Issend");
  request_and_wait(MPI_Irsend, "MPI_Irsend");
  receive_blocking();
  wait_and_test();
  persistent();
  both_ways();
  one_root();
  no_root();
  communicators();
  more_groups();
  more_communicators(rank < 2 ? 8 : 7);
  cancelled();
  own_types();
  windows();
  without_place();
  window_of_time();
  MPI_Wtime();
  say("MPI_Wtime");
  MPI_Wtick();
  say("MPI_Wtick");
  MPI_Buffer_detach(&(void*){NULL}, &(int){0});
  MPI_Finalize();
  say("MPI_Finalize");
  return fclose(expected) == 0 ? 0 : 1;
}
