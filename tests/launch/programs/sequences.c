/* Random numbers and tokens, drawn while other ranks draw theirs. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char out[2000] = "", text[] = "one two three", own[64];
  size_t used = 0;
  for (int i = 0; i < 4; ++i) {
    used += (size_t)snprintf(out + used, sizeof out - used, "%d %ld %.6f %ld ", rand(), random(),
                             drand48(), lrand48());
    sched_yield();
    if (i == 1) {
      srand(42);
      srand48(42);
    }
    if (i == 2) {
      char* old = initstate(7, own, sizeof own);
      used += (size_t)snprintf(out + used, sizeof out - used, "%ld %ld ", random(), mrand48());
      sched_yield();
      setstate(old);
    }
  }
  for (char* token = strtok(text, " "); token; token = strtok(0, " ")) {
    used += (size_t)snprintf(out + used, sizeof out - used, "%s,", token);
    sched_yield();
  }
  puts(out);
  return 0;
}
