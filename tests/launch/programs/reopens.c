/* Opens the library named on the command line twice, and closes it in between. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  for (int i = 0; i < 2; ++i) {
    void* library = dlopen(argv[1], RTLD_NOW);
    if (library == NULL) {
      puts(dlerror());
      return 1;
    }
    printf("%s: variable %d\n", i == 0 ? "opened" : "again",
           *(int*)dlsym(library, "first_variable"));
    ((int (*)(void))dlsym(library, "first_call"))();
    if (i == 1) continue;
    const int closed = dlclose(library);
    printf("closed %d there %d\n", closed, dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL);
  }
  return 0;
}
