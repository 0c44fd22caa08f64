/* Opens the libraries named on the command line while it runs: each rank must have its own. The
   second needs symbols of the first and of the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int Function(void);

int calls;
int program_call(void) { return ++calls; }
int library_call(void); /* of the library that the program is linked with */

static Function* found(void* handle, const char* name) {
  void* symbol = dlsym(handle, name);
  if (symbol == NULL) printf("%s\n", dlerror());
  return (Function*)symbol;
}

static void try_what_fails(void* first) {
  printf("missing %d", dlopen("./no_such_library.so", RTLD_NOW) != NULL);
  printf(" said %d", strstr(dlerror(), "no_such_library.so: ") != NULL);
  printf(" twice %d", dlerror() != NULL);
  printf(" no symbol %d", dlsym(first, "no_such_symbol") != NULL);
  printf(" said %d", strstr(dlerror(), "no_such_symbol") != NULL);
  printf(" not loaded %d\n", dlopen("libinner_library.so.0", RTLD_NOW | RTLD_NOLOAD) != NULL);
}

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  void* self = dlopen(NULL, RTLD_NOW);
  void* first = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (first == NULL) printf("%s\n", dlerror());
  void* second = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  if (second == NULL) printf("%s\n", dlerror());
  int last = 0;
  for (int i = 0; i < 3; ++i) {
    last = found(second, "second_call")() + found(self, "program_call")();
    sched_yield();
  }
  printf("last %d calls %d variable %d\n", last, calls, *(int*)dlsym(first, "first_variable"));
  printf("default %d", dlsym(RTLD_DEFAULT, "program_call") == dlsym(self, "program_call"));
  printf(" of first %d", dlsym(RTLD_DEFAULT, "first_call") == dlsym(first, "first_call"));
  printf(" again %d", dlopen(argv[1], RTLD_NOW) == first);
  printf(" closed %d", dlclose(first));
  printf(" there %d", dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == first);
  /* The program is linked with it. */
  void* library = dlopen("liblibrary.so", RTLD_NOW);
  printf(" linked %d\n", library != NULL && found(library, "library_call") == library_call);
  setenv("MINE", "own", 1);
  char* (*get)(const char*) = (char* (*)(const char*))dlsym(self, "getenv");
  Dl_info information = {0};
  dladdr((void*)found(first, "first_call"), &information);
  printf("environment %s file %s symbol %s\n", get("MINE"), strrchr(information.dli_fname, '/') + 1,
         information.dli_sname);
  try_what_fails(first);
  return 0;
}
