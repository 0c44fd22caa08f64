/* The environment of ranks that share an image: what they have in common, and each rank's own. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corespec/include/corespec_work.h"

CORESPEC_SHARED_IMAGE;

static const char* in(char** list, const char* name) {
  const size_t length = strlen(name);
  for (; *list; ++list) {
    if (!strncmp(*list, name, length) && (*list)[length] == '=') return *list + length + 1;
  }
  return "none";
}

int main(int argc, char** argv, char** envp) {
  char mine[16];
  const char* rank = getenv("ALPS_APP_PE");
  printf("rank %s GIVEN %s listed %s own %s arguments %d %s\n", rank, getenv("GIVEN"),
         in(envp, "GIVEN"), in(envp, "ALPS_APP_PE"), argc, argv[argc] == NULL ? argv[1] : "?");
  snprintf(mine, sizeof mine, "of %s", rank);
  setenv("MINE", mine, 1);
  setenv("GIVEN", "changed", 1);
  sched_yield();
  corespec_work_ns(100);
  printf("rank %s MINE %s GIVEN %s\n", getenv("ALPS_APP_PE"), getenv("MINE"), getenv("GIVEN"));
  unsetenv("ALPS_APP_PE");
  return getenv("ALPS_APP_PE") != NULL;
}
