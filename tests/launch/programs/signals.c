// What a process has of its own of signals: each rank checks that it has, too. Every check that
// fails is a line; a rank whose checks hold prints "rank N: right".
#include <errno.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks, wrong;
static volatile sig_atomic_t own, others, last;
static sigjmp_buf before;

#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) {                                                 \
      printf("rank %d, line %d: not %s\n", rank, __LINE__, #condition); \
      ++wrong;                                                          \
    }                                                                   \
  } while (0)

static void count(int number) {
  ++own;
  last = number;
}
static void count_others(int number) {
  (void)number;
  ++others;
}
static void jump(int number) {
  (void)number;
  siglongjmp(before, 1);
}
static void raise_again(int number) {
  if (++own < 3) raise(number); /* blocked while the handler runs */
}

static void act(int number, void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(number, &action, NULL);
}

static void check_actions(void) {
  struct sigaction now;
  signal(SIGUSR1, rank % 2 == 0 ? count : count_others);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i <= rank; ++i) raise(SIGUSR1);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(own == (rank % 2 == 0 ? rank + 1 : 0));
  CHECK(others == (rank % 2 == 0 ? 0 : rank + 1));
  sigaction(SIGUSR1, NULL, &now);
  CHECK(now.sa_handler == (rank % 2 == 0 ? count : count_others));
  signal(SIGUSR1, SIG_IGN);
  CHECK(raise(SIGUSR1) == 0);
  act(SIGUSR1, count, SA_RESETHAND);
  own = 0;
  kill(getpid(), SIGUSR1);
  sigaction(SIGUSR1, NULL, &now);
  CHECK(own == 1 && now.sa_handler == SIG_DFL);
  CHECK(sigaction(SIGKILL, &now, NULL) == -1 && errno == EINVAL);
  CHECK(kill(getpid(), 0) == 0);
  act(SIGUSR1, raise_again, 0);
  own = 0;
  raise(SIGUSR1);
  CHECK(own == 3);
}

static void check_masks(void) {
  sigset_t set, earlier, pending;
  own = 0;
  act(SIGUSR2, count, 0);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  CHECK(sigprocmask(SIG_BLOCK, &set, &earlier) == 0 && !sigismember(&earlier, SIGUSR2));
  if (rank != 1) raise(SIGUSR2);
  if (rank != 1) raise(SIGUSR2);
  sigpending(&pending);
  CHECK(own == 0 && sigismember(&pending, SIGUSR2) == (rank != 1));
  sigprocmask(SIG_SETMASK, &earlier, NULL);
  CHECK(own == (rank != 1));
  /* A real-time signal waits as often as it is sent. */
  const int number = SIGRTMIN + 2;
  const union sigval value = {.sival_int = rank};
  siginfo_t info;
  act(number, count, 0);
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, NULL);
  own = 0;
  sigqueue(getpid(), number, value);
  sigqueue(getpid(), number, value);
  CHECK(sigwaitinfo(&set, &info) == number && info.si_value.sival_int == rank);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  CHECK(own == 1);
}

static void check_jumps(void) {
  signal(SIGSEGV, jump);
  for (volatile int i = 0; i < 3; ++i) {
    if (sigsetjmp(before, 1) == 0) *(volatile int*)8 = 1;
  }
  signal(SIGUSR1, jump);
  for (volatile int i = 0; i < 3; ++i) {
    if (sigsetjmp(before, 1) == 0) {
      raise(SIGUSR1);
      CHECK(!"come back");
    }
  }
  signal(SIGSEGV, SIG_DFL);
}

static void check_timers(void) {
  struct itimerval timer, earlier;
  struct timespec pause_time = {5, 0}, left;
  double began = MPI_Wtime();
  act(SIGALRM, count, 0);
  own = 0;
  CHECK(alarm(100) == 0);
  CHECK(alarm((unsigned)rank + 1) == 100);
  errno = 0;
  CHECK(pause() == -1 && errno == EINTR && own == 1 && last == SIGALRM);
  double passed = MPI_Wtime() - began;
  CHECK(passed > rank + 0.999 && passed < rank + 1.1);

  began = MPI_Wtime();
  memset(&timer, 0, sizeof timer);
  timer.it_value.tv_usec = timer.it_interval.tv_usec = 250000;
  setitimer(ITIMER_REAL, &timer, NULL);
  CHECK(nanosleep(&pause_time, &left) == -1 && errno == EINTR);
  CHECK(left.tv_sec == 4 && left.tv_nsec > 700000000);
  CHECK(sleep(5) == 5);
  memset(&timer, 0, sizeof timer);
  setitimer(ITIMER_REAL, &timer, &earlier);
  CHECK(own == 3 && earlier.it_interval.tv_usec == 250000);
  passed = MPI_Wtime() - began;
  CHECK(passed > 0.499 && passed < 0.6);

  /* In a call that waits the handler runs while it waits. */
  MPI_Barrier(MPI_COMM_WORLD);
  own = 0;
  if (rank == 0) {
    sleep(3);
    MPI_Send(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else if (rank == 1) {
    int got = -1;
    alarm(1);
    MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(own == 1 && got == 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);

  timer_t made;
  struct sigevent event;
  struct itimerspec spec;
  memset(&event, 0, sizeof event);
  memset(&spec, 0, sizeof spec);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR2;
  CHECK(timer_create(CLOCK_REALTIME, &event, &made) == 0);
  clock_gettime(CLOCK_REALTIME, &spec.it_value);
  spec.it_value.tv_sec += 2;
  began = MPI_Wtime();
  own = 0;
  CHECK(timer_settime(made, TIMER_ABSTIME, &spec, NULL) == 0);
  timer_gettime(made, &spec);
  CHECK(spec.it_value.tv_sec == 1 || (spec.it_value.tv_sec == 2 && spec.it_value.tv_nsec == 0));
  sigset_t none;
  sigemptyset(&none);
  CHECK(sigsuspend(&none) == -1 && errno == EINTR && last == SIGUSR2);
  passed = MPI_Wtime() - began;
  CHECK(passed > 1.99 && passed < 2.1);
  CHECK(timer_delete(made) == 0 && timer_delete(made) == -1 && errno == EINVAL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check_actions();
  check_masks();
  check_jumps();
  check_timers();
  alarm(1000); /* ends with the rank */
  MPI_Finalize();
  if (wrong == 0) printf("rank %d: right\n", rank);
  return wrong;
}
