/* Ends in the way its argument says. */
#define _GNU_SOURCE
#include <assert.h>
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static void handler(void) { printf("handler\n"); }
static void quick(void) {
  printf("quick handler\n");
  fflush(stdout);
}
static void again(void) {
  printf("again\n");
  atexit(handler);
  exit(9);
}
static void with_status(int status, void* argument) { printf("%s %d\n", (char*)argument, status); }
static void* nothing(void* argument) { return argument; }

static void deep(int depth, int status) {
  volatile char room[64];
  room[0] = (char)depth;
  if (depth == 0) exit(status);
  deep(depth - 1, status);
  room[1] = room[0];
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  pthread_t thread;
  atexit(handler);
  at_quick_exit(quick);
  if (!strcmp(way, "exit")) deep(100, 3);
  if (!strcmp(way, "again")) {
    atexit(again);
    exit(1);
  }
  if (!strcmp(way, "on_exit")) {
    on_exit(with_status, "status");
    exit(300);
  }
  if (!strcmp(way, "_exit")) _exit(4);
  if (!strcmp(way, "_Exit")) _Exit(5);
  if (!strcmp(way, "quick_exit")) quick_exit(6);
  if (!strcmp(way, "abort")) abort();
  if (!strcmp(way, "assert")) assert(argc == 0);
  if (!strcmp(way, "errx")) errx(7, "no %s", "luck");
  if (!strcmp(way, "pthread_exit")) pthread_exit(0);
  if (!strcmp(way, "thread")) pthread_create(&thread, 0, nothing, 0);
  if (!strcmp(way, "fork") && fork() == 0) return 1;
  if (!strcmp(way, "system")) return system("true");
  if (!strcmp(way, "exec")) execl("/bin/true", "true", (char*)0);
  char* arguments[] = {"true", 0};
  if (!strcmp(way, "execle")) execle("/bin/true", "true", (char*)0, environ);
  if (!strcmp(way, "fexecve")) fexecve(open("/bin/true", O_RDONLY), arguments, environ);
  if (!strcmp(way, "execveat")) execveat(AT_FDCWD, "/bin/true", arguments, environ, 0);
  if (!strcmp(way, "posix_spawn")) {
    pid_t process;
    posix_spawn(&process, "/bin/true", 0, 0, arguments, environ);
  }
  if (!strcmp(way, "popen")) popen("true", "r");
  printf("end\n");
  return -1;
}
