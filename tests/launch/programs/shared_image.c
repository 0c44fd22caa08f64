/* Declares itself free of mutable globals: one copy for all ranks. */
#include <sched.h>
#include <stdio.h>

#include "corespec/include/corespec_work.h"

CORESPEC_SHARED_IMAGE;

int main(int argc, char** argv) {
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    sum += argc;
    corespec_work_ns(100);
    sched_yield();
  }
  printf("%s %d\n", argv[argc - 1], sum);
  return sum;
}
