/* Calls MPI_Barrier as often as a tool (tool.c) has to count: by name, by address, from a library
   that is opened. As a library (-DLIBRARY): the latter. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

#ifdef LIBRARY

void call_from_library(void);
void call_from_library(void) { MPI_Barrier(MPI_COMM_SELF); }

#else

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < rank; ++i) MPI_Barrier(MPI_COMM_SELF);
  int (*volatile by_address)(MPI_Comm) = MPI_Barrier;
  by_address(MPI_COMM_WORLD);
  if (argc > 1) {
    void* library = dlopen(argv[1], RTLD_NOW);
    void (*call)(void) =
        library == NULL ? NULL : (void (*)(void))dlsym(library, "call_from_library");
    if (call == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    call();
  }
  MPI_Finalize();
  return 0;
}

#endif
