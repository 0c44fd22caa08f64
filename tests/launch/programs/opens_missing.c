/* Opens the library named by the first argument, which calls a function that no library has, by
   RTLD_NOW and RTLD_LAZY; calls the function if there is a second argument. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW);
  const char* error = dlerror();
  printf("now: %s\n", library != NULL                                ? "opened"
                      : strstr(error, "function_nobody_has") != NULL ? "says why not"
                                                                     : error);
  library = dlopen(argv[1], RTLD_LAZY);
  if (library == NULL) {
    printf("lazy: %s\n", dlerror());
    return 1;
  }
  int (*weakly)(void);
  *(void**)&weakly = dlsym(library, "ask_weakly");
  printf("lazy: weak %d\n", weakly());
  int (*call)(void);
  *(void**)&call = dlsym(library, "ask");
  if (argc > 2) printf("value %d\n", call());
  return 0;
}
