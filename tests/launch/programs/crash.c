/* The rank that its second argument names crashes in the way of the first; the others wait. With a
   third, it sends or receives so many bytes in memory that is not there. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static sigjmp_buf before;

static void jump_back(int number) { siglongjmp(before, number); }

static void say(int number) {
  static const char line[] = "own handler\n";
  (void)number;
  if (write(1, line, sizeof line - 1) < 0) _exit(1);
}

/* What Fortran's run-time library does after its backtrace. */
static void say_and_pass_on(int number) {
  say(number);
  signal(number, SIG_DFL);
  raise(number);
}

static void pass_on_by_action(int number, siginfo_t* information, void* context) {
  (void)information;
  (void)context;
  say(number);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  sigaction(number, &action, NULL);
  if (number != SIGSEGV) raise(number); /* a fault comes again by itself */
}

static void end_by(int number) {
  if (number == SIGSEGV) *(volatile int*)8 = 1;
  if (number == SIGABRT) abort();
  raise(number);
}

static void pass_on(int number, int by_action) {
  struct sigaction action, earlier;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = pass_on_by_action;
  action.sa_flags = SA_SIGINFO;
  if (!by_action) {
    earlier.sa_handler = signal(number, say_and_pass_on);
  } else if (sigaction(number, &action, &earlier) != 0) {
    return;
  }
  if (earlier.sa_handler == SIG_DFL) end_by(number);
}

static int descend(volatile int* depth) {
  volatile char room[1024];
  room[0] = (char)*depth;
  ++*depth;
  return *depth == 0 ? 0 : descend(depth) + room[0];
}

/* The call's frame lies beyond the page below the stack, which nothing touches. */
static void reach_beyond(void) {
  volatile char room[9 << 20];
  int size = 0;
  room[0] = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  room[0] = (char)size;
}

static void store(volatile int* where) { *where = 1; }

/* As `kill` in a shell: the sender is another process. Ranks cannot start one by fork(). */
static void signal_from_outside(int number) {
  if (syscall(SYS_fork) == 0) {
    kill(getppid(), number);
    syscall(SYS_exit_group, 0);
  }
  for (;;) sleep(1);
}

static void write_to_nobody(void) {
  int ends[2];
  if (pipe(ends) != 0) return;
  close(ends[0]);
  if (write(ends[1], "", 1) < 0) return;
}

static void write_for_ever(void) {
  while (write(1, "line\n", 5) == 5) {
  }
}

/* What malloc knows of the rest of the heap lies behind the newest block. */
static void ruin_heap(void) {
  volatile char* block = malloc(24);
  for (int i = 0; i < 65536; ++i) block[i] = 0x41;
}

/* All of it, Castor's records of its ranks among them. */
static void ruin_all(void) {
  char line[256];
  unsigned long begin = 0, end = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, "[heap]") != NULL) sscanf(line, "%lx-%lx", &begin, &end);
  }
  for (volatile char* at = (volatile char*)begin; at < (volatile char*)end; ++at) *at = 0x41;
  store(NULL);
}

static void ring(void) {
  alarm(1);
  for (;;) pause();
}

/* Nobody's memory: the lowest pages. */
static void* nowhere(void) { return (void*)4096; }

static void operate(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)inout;
  (void)count;
  (void)type;
  if (*(int*)in == 0) abort();
  store((int*)NULL);
}

/* A function of the program's own, which the library calls. */
static void reduce(int value) {
  int sum = value;
  MPI_Op op;
  MPI_Op_create(operate, 1, &op);
  MPI_Reduce_local(&value, &sum, 1, MPI_INT, op);
}

/* The crashing rank's own memory is not there, of so many bytes from or to rank 3. */
static void exchange(const char* way, int rank, int crashing, int bytes) {
  char* own = rank == crashing ? nowhere() : calloc((size_t)bytes, 1);
  if (rank == (strncmp(way, "send", 4) == 0 ? crashing : 3)) {
    MPI_Send(own, bytes, MPI_BYTE, rank == 3 ? crashing : 3, 0, MPI_COMM_WORLD);
  } else if (rank == 3 || rank == crashing) {
    MPI_Recv(own, bytes, MPI_BYTE, rank == 3 ? crashing : 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Memory that has addresses only. */
static void look_at_no_data(const char* way) {
  int* memory = NULL;
  int sum = 0;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "castor_data", "none");
  MPI_Alloc_mem(1 << 20, info, &memory);
  MPI_Info_free(&info);
  if (strcmp(way, "no_data") == 0) store(memory + 1000);
  MPI_Reduce_local(memory, &sum, 1, MPI_INT, MPI_SUM);
}

static void crash(const char* way) {
  volatile int zero = 0;
  int depth = 1;
  if (strcmp(way, "speak") == 0) fputs("about to store", stderr);
  if (strcmp(way, "null") == 0 || strcmp(way, "speak") == 0) store((int*)NULL);
  if (strcmp(way, "nowhere") == 0) store((int*)0x4141414141414141);
  if (strcmp(way, "overflow") == 0) descend(&depth);
  if (strcmp(way, "beyond") == 0) reach_beyond();
  if (strcmp(way, "divide") == 0) zero = 100 / zero;
  if (strcmp(way, "illegal") == 0) __builtin_trap();
  if (strcmp(way, "bus") == 0) raise(SIGBUS);
  if (strcmp(way, "term") == 0) raise(SIGTERM);
  if (strcmp(way, "kill") == 0) kill(getpid(), SIGHUP);
  if (strcmp(way, "heap") == 0) ruin_heap();
  if (strcmp(way, "all") == 0) ruin_all();
  if (strcmp(way, "kill_9") == 0) kill(getpid(), SIGKILL);
  if (strcmp(way, "outside") == 0) signal_from_outside(SIGTERM);
  if (strcmp(way, "pipe") == 0) write_to_nobody();
  if (strcmp(way, "output") == 0) write_for_ever();
  if (strcmp(way, "alarm") == 0) ring();
  if (strncmp(way, "no_data", 7) == 0) look_at_no_data(way);
  if (strcmp(way, "reduce") == 0) reduce(1);
  if (strcmp(way, "reduce_abort") == 0) reduce(0);
  if (strcmp(way, "own_term") == 0) {
    signal(SIGTERM, say);
    raise(SIGTERM);
  }
  if (strncmp(way, "pass_on_", 8) == 0) pass_on(atoi(way + 8), 0);
  if (strncmp(way, "act_on_", 7) == 0) pass_on(atoi(way + 7), 1);
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "own_abort") == 0) {
    signal(SIGABRT, say);
    abort();
  }
  if (strcmp(way, "own") == 0) {
    signal(SIGSEGV, jump_back);
    if (sigsetjmp(before, 1) == 0) store((int*)NULL);
    puts("survived");
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 3) exchange(argv[1], rank, atoi(argv[2]), atoi(argv[3]));
  if (argc > 2 && rank == atoi(argv[2])) crash(argv[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
