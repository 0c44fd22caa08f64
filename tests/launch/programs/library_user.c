/* Uses a library with state: each rank must have a copy of it. */
#include <sched.h>
#include <stdio.h>

extern int library_variable;
int library_call(void);
int library_reads(void);

int main(void) {
  int last = 0;
  for (int i = 0; i < 3; ++i) {
    last = library_call();
    ++library_variable;
    sched_yield();
  }
  printf("last %d variable %d library %d\n", last, library_variable, library_reads());
  return 0;
}
