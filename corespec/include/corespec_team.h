/* Threads of a rank, for programs that run with Castor and, unchanged, without it. */
#pragma once

#include <pthread.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Castor's side, in virtual time, where programs can start no threads of their own. Absent (null)
 * otherwise. `castor_team_start` returns null if there is no memory, or the caller is no rank. */
void* castor_team_start(int threads) __attribute__((weak));
void castor_team_run(void* team, void (*body)(void* argument, int thread), void* argument)
    __attribute__((weak));
void castor_team_end(void* team) __attribute__((weak));

/* A team: the thread that starts it is its thread 0 and the only one that uses it. */
typedef struct {
  int threads;
  void* castor; /* null outside virtual time: each region starts threads of the system's */
} corespec_team;

/* A team of `threads` (1 to 1024) threads. Modelled ones run on the CPUs that aprun gave the rank
 * (-d threads -cc depth) and poll between regions. Returns 0 if it cannot be had. */
static inline int corespec_team_start(corespec_team* team, int threads) {
  team->threads = threads;
  team->castor = NULL;
  if (threads < 1 || threads > 1024) return 0;
  if (castor_team_start) team->castor = castor_team_start(threads);
  return !castor_team_start || team->castor != NULL;
}

typedef struct {
  void (*body)(void* argument, int thread);
  void* argument;
  int number;
  pthread_t thread;
} corespec_team_member;

static inline void* corespec_team_member_main(void* self) {
  corespec_team_member* member = (corespec_team_member*)self;
  member->body(member->argument, member->number);
  return NULL;
}

/* A parallel region: body(argument, i) on each thread i of the team; returns when all have. The
 * bodies must not wait for each other, and only thread 0 may call MPI. Returns 0 if the system
 * gives no threads (some bodies have run then). */
static inline int corespec_team_run(corespec_team* team, void (*body)(void* argument, int thread),
                                    void* argument) {
  if (team->castor != NULL) {
    castor_team_run(team->castor, body, argument);
    return 1;
  }
  const int others = team->threads - 1;
  corespec_team_member* members =
      (corespec_team_member*)calloc((size_t)others + 1, sizeof(corespec_team_member));
  int started = 0;
  int ok = members != NULL;
  for (; ok && started < others; ++started) {
    corespec_team_member* member = &members[started];
    member->body = body;
    member->argument = argument;
    member->number = started + 1;
    if (pthread_create(&member->thread, NULL, corespec_team_member_main, member) != 0) {
      ok = 0;
      break;
    }
  }
  if (ok) body(argument, 0);
  for (int i = 0; i < started; ++i) pthread_join(members[i].thread, NULL);
  free(members);
  return ok;
}

static inline void corespec_team_end(corespec_team* team) {
  if (team->castor != NULL) castor_team_end(team->castor);
  team->castor = NULL;
}

#ifdef __cplusplus
}
#endif
