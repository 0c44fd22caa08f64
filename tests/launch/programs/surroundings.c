/* Environment, directory and clocks: what a process owns or asks the system for. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
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
