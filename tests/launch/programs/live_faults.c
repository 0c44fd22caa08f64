/* Faults of rank 1 of a live job beside handlers of the program's own, made before MPI_Init. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf before;
static volatile sig_atomic_t argument_seen;

static void jump_back(int number) { siglongjmp(before, number); }

static void say_and_pass_on(int number) {
  static const char line[] = "own handler\n";
  if (write(1, line, sizeof line - 1) < 0) _exit(1);
  signal(number, SIG_DFL);
  raise(number);
}

/* With all three arguments, on whatever stack the program has asked for. */
static void look_and_pass_on(int number, siginfo_t* information, void* context) {
  argument_seen =
      information->si_signo == number && context != NULL && information->si_addr == (void*)4096;
  say_and_pass_on(argument_seen ? number : SIGABRT);
}

static void store(volatile int* where) { *where = 1; }

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int rank = 0;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  if (strcmp(how, "survive") == 0) signal(SIGSEGV, jump_back);
  if (strcmp(how, "pass_on") == 0) signal(SIGSEGV, say_and_pass_on);
  if (strcmp(how, "look") == 0) {
    action.sa_sigaction = look_and_pass_on;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
  }
  if (strcmp(how, "ignore") == 0) signal(SIGABRT, SIG_IGN);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && strcmp(how, "survive") == 0) {
    if (sigsetjmp(before, 1) == 0) store(NULL);
    puts("survived");
    fflush(stdout);
    signal(SIGSEGV, SIG_DFL);
    kill(getpid(), SIGSEGV);
  } else if (rank == 1 && strcmp(how, "ignore") == 0) {
    raise(SIGABRT);
    puts("survived");
  } else if (rank == 1 && strcmp(how, "wait") == 0) {
    puts("waiting");
    fflush(stdout);
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Send((void*)4096, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
