/* Environment, directory and clocks: what a process owns or asks the system for. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "corespec/include/corespec_work.h"

static void print_clock(const char* what) {
  struct timespec now, cpu;
  struct timeval day;
  clock_gettime(CLOCK_MONOTONIC, &now);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  gettimeofday(&day, 0);
  printf("%s %ld.%09ld cpu %ld.%09ld day %ld.%06ld time %ld\n", what, (long)now.tv_sec, now.tv_nsec,
         (long)cpu.tv_sec, cpu.tv_nsec, (long)day.tv_sec, (long)day.tv_usec, (long)time(0));
}

static int environment_size(void) {
  int count = 0;
  for (char** entry = environ; *entry; ++entry) ++count;
  return count;
}

int main(int argc, char** argv, char** envp) {
  char mine[64], room[4096];
  struct timespec bad = {0, 2000000000}, good = {1, 500};
  printf("as the kernel lays them out %d\n",
         argc == 1 && argv[argc] == NULL && envp == argv + argc + 1 && environ == envp);
  printf("%s %s GIVEN %s size %d\n", program_invocation_name == argv[0] ? "own" : "foreign",
         program_invocation_short_name, getenv("GIVEN"), environment_size());
  snprintf(mine, sizeof mine, "%p", (void*)argv);
  setenv("MINE", mine, 1);
  setenv("MINE", "other", 0);
  sched_yield();
  printf("MINE %d size %d\n", !strcmp(getenv("MINE"), mine), environment_size());
  putenv("MINE=put");
  printf("MINE %s bad %d\n", getenv("MINE"), setenv("a=b", "", 1));
  unsetenv("GIVEN");
  printf("GIVEN %s size %d\n", getenv("GIVEN") ? "there" : "gone", environment_size());
  clearenv();
  printf("size %d\n", environment_size());

  print_clock("start");
  corespec_work_ns(1.5e6);
  print_clock("worked");
  usleep(250000);
  sleep(2);
  printf("nanosleep %d", nanosleep(&bad, 0));
  printf(" %d\n", nanosleep(&good, 0));
  print_clock("slept");
  struct tms ticks;
  struct rusage usage;
  const clock_t before = times(&ticks);
  const int sleeps[] = {thrd_sleep(&bad, 0), thrd_sleep(&good, 0), pselect(0, 0, 0, 0, &bad, 0),
                        pselect(0, 0, 0, 0, &good, 0), ppoll(0, 0, &good, 0)};
  corespec_work_ns(7e7);
  const clock_t after = times(&ticks);
  getrusage(RUSAGE_SELF, &usage);
  printf("sleeps %d %d %d %d %d ticks %ld of which user %ld system %ld", sleeps[0], sleeps[1],
         sleeps[2], sleeps[3], sleeps[4], (long)(after - before), (long)ticks.tms_utime,
         (long)ticks.tms_stime);
  printf(" usage %ld.%06ld\n", (long)usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec);

  getcwd(room, sizeof room);
  char directory[] = "/tmp/castor_test_XXXXXX";
  if (!mkdtemp(directory)) return 1;
  printf("chdir %d\n", chdir(directory));
  sched_yield();
  printf("here %d", !strcmp(getcwd(room, sizeof room), directory));
  FILE* file = fopen("file", "w");
  fprintf(file, "text");
  fclose(file);
  struct stat status;
  printf(" file %d", stat("file", &status));
  printf(" size %ld", (long)status.st_size);
  printf(" absent %d gone %d\n", chdir("absent"), unlink("file"));
  chdir("/");
  rmdir(directory);
  return 0;
}
