// One of the sample's programs, by definition: content, complaining though its exit code is 0,
// crashing, hanging, not to be compiled, or without a verdict.
#include <ga.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef UNBUILDABLE
#error not to be compiled
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  const int first = GA_Nodeid() == 0;
  if (first) printf("%d ranks\n", GA_Nnodes());
#if defined(CONTENT)
  if (first) printf("All tests successful\n");
#elif defined(COMPLAINT)
  if (first) printf("ERROR: a[3]=1, b[3]=2\nAll tests successful\n");
#elif defined(CRASHES)
  abort();
#elif defined(HANGS)
  if (first) MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
