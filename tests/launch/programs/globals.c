/* Globals of its own: counts in steps, letting other ranks run in between. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static int counter = 5;
static int zeroed;
int exported = 7;
const char* table[] = {"a", "b"};

static void first(void) { printf("first handler %d\n", counter); }
static void second(void) { printf("second handler %d\n", counter); }
__attribute__((constructor)) static void construct(void) { ++exported; }
__attribute__((destructor)) static void destruct(void) { printf("destructor %d\n", exported); }

int main(int argc, char** argv) {
  atexit(first);
  atexit(second);
  for (int i = 0; i < 3; ++i) {
    ++counter;
    zeroed += 2;
    ++exported;
    table[1] = argv[0];
    sched_yield();
  }
  printf("counter %d zeroed %d exported %d table %d argc %d %s\n", counter, zeroed, exported,
         table[1] == argv[0], argc, argv[argc - 1]);
  return argc == 2 ? atoi(argv[1]) : 0;
}
