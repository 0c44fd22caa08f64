/* Opens the library named by the argument, which uses OpenMP, and prints what it sums up and the
   tunables of glibc. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* tunables = getenv("GLIBC_TUNABLES");
  printf("tunables %s\n", tunables == NULL ? "unset" : tunables);
  if (argc < 2) return 0;
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == NULL) {
    printf("%s\n", dlerror());
    return 0;
  }
  int (*sum)(int);
  *(void**)&sum = dlsym(library, "openmp_sum");
  printf("sum %d\n", sum(10));
  return 0;
}
