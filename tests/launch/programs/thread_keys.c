/* Makes keys of threads: as many as 30 ranks could not have in common. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

enum { count = 60 };
static pthread_key_t keys[count], never_made = 1020;
static int values[count], destroyed, given_again;

static void destroy(void* value) {
  destroyed += *(int*)value;
  if (!given_again) given_again = pthread_setspecific(keys[0], &values[1]) == 0;
}

static void at_end(void) { printf("destroyed %d\n", destroyed); }

int main(int argc, char** argv) {
  int failed = 0;
  for (int i = 0; i < count; ++i) {
    values[i] = i;
    failed += pthread_key_create(&keys[i], i < 10 ? destroy : NULL) != 0;
    failed += pthread_getspecific(keys[i]) != NULL;
    failed += pthread_setspecific(keys[i], &values[i]) != 0;
    sched_yield();
  }
  for (int i = 0; i < count; ++i) failed += pthread_getspecific(keys[i]) != &values[i];
  failed += pthread_key_delete(keys[9]) != 0;
  failed += pthread_key_delete(keys[9]) == 0 || pthread_setspecific(keys[9], argv) == 0;
  failed += pthread_getspecific(keys[9]) != NULL || pthread_setspecific(never_made, argv) == 0;
  tss_t other;
  failed += tss_create(&other, NULL) != thrd_success || tss_get(other) != NULL;
  failed += tss_set(other, &other) != thrd_success || tss_get(other) != &other;
  tss_delete(other);
  printf("failed %d\n", failed);
  fflush(stdout);
  if (argc > 1) {
    atexit(at_end);
    pthread_exit(NULL);
  }
  return 0;
}
