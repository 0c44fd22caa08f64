/* Random numbers and tokens, drawn while other ranks draw theirs. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The 48-bit generator with seeds and constants of the program's. */
static size_t draw48(int step, char* out, size_t room) {
  unsigned short seed[3] = {1, 2, (unsigned short)step}, own[3] = {7, 8, 9};
  unsigned short constants[7] = {3, 2, 1, 0x1235, 0xdeec, 5, 0xd};
  const unsigned short* old = seed48(seed);
  sched_yield();
  const double first = drand48();
  if (step == 1) lcong48(constants);
  sched_yield();
  const double second = drand48();
  const long third = nrand48(own), fourth = jrand48(own);
  sched_yield();
  const double fifth = erand48(own);
  return (size_t)snprintf(out, room, "%u %u %u %.6f %.6f %ld %ld %.6f ", old[0], old[1], old[2],
                          first, second, third, fourth, fifth);
}

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
  for (int step = 0; step < 3; ++step) used += draw48(step, out + used, sizeof out - used);
  puts(out);
  return 0;
}
