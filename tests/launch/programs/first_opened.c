/* A library with state that a program opens while it runs; it needs one that the program has. */
#include <stdio.h>

int first_variable = 11;
static int first_calls;
extern int inner_count(void);

__attribute__((constructor)) static void construct(int argc) { first_variable += 100 * argc; }
__attribute__((destructor)) static void destruct(void) { printf("first gone %d\n", first_calls); }

int first_call(void) {
  ++first_calls;
  return ++first_variable + inner_count();
}
