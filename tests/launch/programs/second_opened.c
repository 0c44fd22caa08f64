/* Opened after first_opened.c's, of which it uses a function, as of the program. */
#include <stdio.h>
#include <stdlib.h>

int first_call(void);
int program_call(void);
static int calls;

static void at_exit(void) { printf("second's handler %d\n", calls); }
__attribute__((constructor)) static void construct(void) { atexit(at_exit); }

int second_call(void) { return 1000 * ++calls + first_call() + 100000 * program_call(); }
