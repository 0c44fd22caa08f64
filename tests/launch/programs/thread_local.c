/* Thread-local variables: an ordinary executable with them is refused, the other form runs. */
#include <sched.h>
#include <stdio.h>

static _Thread_local int counter = 3;
_Thread_local int zeroed;

int main(void) {
  for (int i = 0; i < 3; ++i) {
    ++counter;
    ++zeroed;
    sched_yield();
  }
  printf("counter %d zeroed %d\n", counter, zeroed);
  return 0;
}
