/* Random numbers and tokens, drawn while other ranks draw theirs, and what else functions leave
 * behind in variables. */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* The sign of gamma, of arguments that differ from rank to rank. */
static int right_signs(void) {
  const char* const rank = getenv("ALPS_APP_PE");
  int right = 0;
  for (int step = rank ? atoi(rank) : 0, end = step + 4; step < end; ++step) {
    volatile double x = step % 2 ? -0.5 : 0.5;
    volatile float single = (float)-x;
    lgamma(x);
    sched_yield();
    right += signgam == (step % 2 ? -1 : 1);
    lgammaf(single);
    sched_yield();
    right += signgam == (step % 2 ? 1 : -1);
    lgammal(x);
    sched_yield();
    right += signgam == (step % 2 ? -1 : 1);
  }
  return right;
}

static size_t zone(char* out, size_t room) {
  return (size_t)snprintf(out, room, "%ld %d %s %s ", timezone, daylight, tzname[0], tzname[1]);
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
  used += (size_t)snprintf(out + used, sizeof out - used, "%d ", right_signs());
  const time_t summer = 200 * 86400;
  used += zone(out + used, sizeof out - used);
  const struct tm* local = localtime(&summer);
  used += (size_t)snprintf(out + used, sizeof out - used, "%d ", local->tm_hour);
  zone(out + used, sizeof out - used);
  puts(out);
  return 0;
}
