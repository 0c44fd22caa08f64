/* Clocks and sleeps of libc in a program that knows nothing of Castor.
 *
 * "clocks read CLOCK": prints "CLOCK ok" if CLOCK, and a loop that waits for it, move with what the
 * rank computes. "clocks sleep HOW": rank 0 sleeps while the others compute, and prints "HOW ok" if
 * that took no longer than it should.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;

static void compute(long trips) {
  double value = 1.0;
  for (long i = 0; i < trips; ++i) value = value * 1.0000001 + 1e-9;
  sink = value;
}

static double seconds(struct timespec time) { return (double)time.tv_sec + 1e-9 * time.tv_nsec; }

static double clock_seconds(clockid_t clock) {
  struct timespec now = {0, 0};
  clock_gettime(clock, &now);
  return seconds(now);
}

static double cpu_seconds(const struct rusage* usage) {
  return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
         1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

static double read_clock(const char* which) {
  struct timespec precise;
  struct rusage usage;
  struct tms ticks;
  struct timeval day;
  if (!strcmp(which, "monotonic")) return clock_seconds(CLOCK_MONOTONIC);
  if (!strcmp(which, "realtime")) return clock_seconds(CLOCK_REALTIME);
  if (!strcmp(which, "process")) return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  if (!strcmp(which, "thread")) return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  if (!strcmp(which, "timespec_get") && timespec_get(&precise, TIME_UTC)) return seconds(precise);
  if (!strcmp(which, "gettimeofday") && !gettimeofday(&day, 0)) {
    return (double)day.tv_sec + 1e-6 * (double)day.tv_usec;
  }
  if (!strcmp(which, "time")) return (double)time(0);
  if (!strcmp(which, "times")) return (double)times(&ticks) / (double)sysconf(_SC_CLK_TCK);
  if (!strcmp(which, "user_ticks") && times(&ticks) >= 0) {
    return (double)(ticks.tms_utime + ticks.tms_stime) / (double)sysconf(_SC_CLK_TCK);
  }
  if (!strcmp(which, "getrusage") && !getrusage(RUSAGE_SELF, &usage)) return cpu_seconds(&usage);
  if (!strcmp(which, "thread_usage") && !getrusage(RUSAGE_THREAD, &usage)) {
    return cpu_seconds(&usage);
  }
  if (!strcmp(which, "clock")) return (double)clock() / CLOCKS_PER_SEC;
  return -1;
}

/* The smallest step of a clock, and what the sums above lose. */
static double step(const char* which) {
  if (!strcmp(which, "time")) return 1;
  if (!strcmp(which, "times") || !strcmp(which, "user_ticks")) return 1e-2;
  return 2e-6;
}

static int moves(const char* which) {
  const double outer = MPI_Wtime();
  const double start = read_clock(which);
  const double inner = MPI_Wtime();
  compute(20000000);
  const double shortest = MPI_Wtime() - inner - step(which);
  const double passed = read_clock(which) - start;
  const double longest = MPI_Wtime() - outer + step(which);
  if (!(shortest > 0 && passed >= shortest && passed <= longest)) {
    printf("%s: %g s, not %g to %g s\n", which, passed, shortest, longest);
    return 0;
  }
  const double again = read_clock(which);
  while (read_clock(which) - again < 1e-3) {
  }
  return 1;
}

/* Returns how long it should take. */
static double doze(const char* how) {
  struct timespec time = {0, 1000000};
  struct timeval wait = {0, 1000};
  if (!strcmp(how, "nanosleep") && !nanosleep(&time, 0)) return 1e-3;
  if (!strcmp(how, "clock_nanosleep") && !clock_nanosleep(CLOCK_MONOTONIC, 0, &time, 0)) {
    return 1e-3;
  }
  if (!strcmp(how, "usleep") && !usleep(1000)) return 1e-3;
  if (!strcmp(how, "sleep") && !sleep(1)) return 1;
  if (!strcmp(how, "select") && !select(0, 0, 0, 0, &wait)) return 1e-3;
  if (!strcmp(how, "thrd_sleep") && !thrd_sleep(&time, 0)) return 1e-3;
  if (!strcmp(how, "pselect") && !pselect(0, 0, 0, 0, &time, 0)) return 1e-3;
  if (!strcmp(how, "ppoll") && !ppoll(0, 0, &time, 0)) return 1e-3;
  if (!strcmp(how, "poll") && !poll(0, 0, 1)) return 1e-3;
  if (!strcmp(how, "sched_yield") && !sched_yield()) return 0;
  if (!strcmp(how, "until")) {
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += 1;
    if (!clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, 0)) return 1;
  }
  return -1;
}

static int sleeps(const char* how, int rank) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (rank != 0) {
    compute(20000000);
    return 0;
  }
  const double wanted = doze(how);
  const double took = MPI_Wtime() - start;
  if (wanted >= 0 && took >= wanted && took < wanted + 5e-3) return 1;
  printf("%s: %g s in place of %g s\n", how, took, wanted);
  return 0;
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 2) {
    const int ok = !strcmp(argv[1], "read") ? moves(argv[2]) : sleeps(argv[2], rank);
    if (ok) printf("%s ok\n", argv[2]);
  }
  MPI_Finalize();
  return 0;
}
