/* OpenMP in ranks that wait for each other inside of regions, each in another nesting. Results do
   not depend on the number of threads. With an argument it asks for more: clause or call. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, size, failures;
#ifdef THREADPRIVATE
static int own = 5;
#pragma omp threadprivate(own)
#endif

static void check(int holds, const char* what) {
  if (holds) return;
  ++failures;
  printf("rank %d: wrong: %s\n", rank, what);
}

/* With both neighbours of a ring: none goes on before all others are here. */
static void meet(void) {
  int value = rank, got = -1;
  MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size,
               0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(got == (rank + size - 1) % size, "what the neighbour sent");
}

static void meet_in_regions(int depth, int level) {
  if (depth == 0) {
    check(omp_get_level() == level, "level before");
    meet();
    check(omp_get_level() == level, "level after");
    return;
  }
#pragma omp parallel
  {
#pragma omp single
    meet_in_regions(depth - 1, level + 1);
  }
  check(omp_get_level() == level, "level outside");
}

static void test_regions(void) {
  for (int step = 0; step < 12; ++step) meet_in_regions((rank + step) % 4, 0);
}

static void test_exclusion(void) {
  int count = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  {
#pragma omp critical
    ++count;
#pragma omp master
    {
      if (rank % 2 == 0) {
#pragma omp critical
        meet();
        omp_set_lock(&lock);
        meet();
        omp_unset_lock(&lock);
      } else {
#pragma omp critical(other)
        meet();
#pragma omp critical
        meet();
      }
    }
#pragma omp barrier
#pragma omp atomic
    ++count;
  }
  check(count == 2 * omp_get_max_threads(), "count in critical and atomic");
  omp_destroy_lock(&lock);
}

static void test_loops(void) {
  enum { length = 100 };
  long sum = 0;
  int seen[length], last = -1, ordered = 1;
  memset(seen, 0, sizeof seen);
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum)
  for (int i = 0; i < length; ++i) {
    sum += (long)i * (rank + 1);
    ++seen[i];
    if (i == rank % length) meet();
  }
  check(sum == 4950L * (rank + 1), "a reduction");
  for (int i = 0; i < length; ++i) check(seen[i] == 1, "an iteration");
#pragma omp parallel for ordered schedule(guided)
  for (int i = 0; i < length; ++i) {
#pragma omp ordered
    {
      ordered = ordered && i == last + 1;
      last = i;
      if (i == (7 * rank) % length) meet();
    }
  }
  check(ordered && last == length - 1, "the order of iterations");
}

static int fibonacci(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

static void test_tasks(void) {
  int result = 0, chain = 1, given = 0;
#pragma omp parallel firstprivate(given)
  {
#pragma omp single copyprivate(given)
    {
      result = fibonacci(10 + rank % 3);
#pragma omp task depend(out : chain)
      chain += rank;
#pragma omp task depend(inout : chain)
      {
        meet();
        chain *= 2;
      }
#pragma omp taskwait
      given = chain;
    }
    if (given != 2 * (rank + 1)) {
#pragma omp critical
      check(0, "copyprivate");
    }
#pragma omp sections
    {
#pragma omp section
      meet();
#pragma omp section
      result += 1000;
    }
  }
  static const int fibonaccis[] = {55, 89, 144};
  check(result == fibonaccis[rank % 3] + 1000, "tasks");
  check(chain == 2 * (rank + 1), "a task's dependences");
}

static void test_time(void) {
  const double begin = omp_get_wtime();
  usleep(20000);
  const double taken = omp_get_wtime() - begin;
  check(taken >= 0.02 && taken < 10, "omp_get_wtime");
  check(omp_get_wtick() > 0 && omp_get_num_procs() > 0, "what the library knows");
}

#ifdef THREADPRIVATE
static void test_private(void) {
  own = rank;
#pragma omp parallel
  {
#pragma omp master
    meet();
    own += 100;
  }
  meet();
#pragma omp parallel copyin(own)
  {
#pragma omp critical
    check(own == rank + 100, "threadprivate");
  }
}
#endif

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 3; ++round) {
    test_regions();
    test_exclusion();
    test_loops();
    test_tasks();
    test_time();
#ifdef THREADPRIVATE
    test_private();
#endif
  }
  int threads = 0;
  if (argc > 1 && strcmp(argv[1], "call") == 0) omp_set_num_threads(4);
  if (argc > 1 && strcmp(argv[1], "clause") == 0) {
#pragma omp parallel num_threads(4) reduction(+ : threads)
    threads += 1;
  } else {
#pragma omp parallel reduction(+ : threads)
    threads += 1;
  }
  printf("rank %d: failures %d threads %d\n", rank, failures, threads);
  MPI_Finalize();
  return failures != 0;
}
