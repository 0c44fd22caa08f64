// Loaded before Debian's MPICH: gives the CPU away when its network has nothing for it. MPICH polls
// without ever yielding, and four ranks on two CPUs then wait for each other's time slices.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <time.h>

typedef unsigned (*progress_function)(void*);

unsigned ucp_worker_progress(void* worker) {
  static progress_function real;
  static int empty;
  if (real == NULL) real = (progress_function)dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned progressed = real(worker);
  if (progressed != 0) {
    empty = 0;
  } else if (++empty > 100) {
    // Not sched_yield(), after which the same process may come first again.
    const struct timespec shortly = {0, 1000};
    nanosleep(&shortly, NULL);
  }
  return progressed;
}
