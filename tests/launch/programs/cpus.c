/* Prints what a rank is told of its node's CPUs, before and after it asks for others. */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static void say(const char* when, int rank) {
  cpu_set_t mask;
  unsigned cpu = 999, numa_node = 999;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) abort();
  if (getcpu(&cpu, &numa_node) != 0 || (int)cpu != sched_getcpu()) abort();
  printf("%d %s: on %u of NUMA node %u, allowed", rank, when, cpu, numa_node);
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &mask)) printf(" %d", i);
  }
  printf("\n");
}

int main(int argc, char** argv) {
  int rank = 0;
  cpu_set_t mask;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long all = sysconf(_SC_NPROCESSORS_ONLN);
  if (all != sysconf(_SC_NPROCESSORS_CONF) || all != get_nprocs() || all != get_nprocs_conf())
    abort();
  printf("%d: %ld CPUs\n", rank, all);
  say("at first", rank);
  CPU_ZERO(&mask);
  CPU_SET(7, &mask);
  CPU_SET(1000, &mask); /* no node has it */
  if (sched_setaffinity(0, sizeof mask, &mask) != 0) abort();
  say("then", rank);
  CPU_CLR(7, &mask);
  errno = 0;
  const int bound = sched_setaffinity(getpid(), sizeof mask, &mask);
  printf("%d: %d %d", rank, bound, errno == EINVAL);
  printf(" %d", pthread_setaffinity_np(pthread_self(), sizeof mask, &mask) == EINVAL);
  printf(" %d", pthread_getaffinity_np(pthread_self(), 2, &mask) == EINVAL);
  printf(" %s\n", getenv("HWLOC_SYNTHETIC"));
  MPI_Finalize();
  return 0;
}
