/* A library with state, brought along by a program. */
#include <stdio.h>

int library_variable = 11;
static int calls;
extern int inner_count(void);

__attribute__((constructor)) static void construct(void) { library_variable += 100; }
__attribute__((destructor)) static void destruct(void) { printf("library gone %d\n", calls); }

int library_call(void) { return ++calls + 10 * inner_count(); }
int library_reads(void) { return library_variable; }
