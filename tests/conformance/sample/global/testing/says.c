// One of the sample's programs, by definition: content, complaining though its exit code is 0,
// crashing, hanging, printing or writing without end, reading its input, not to be compiled, or
// without a verdict.
#include <armci.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int ranks_wanted(void);

#ifdef SAYS_unbuildable
#error not to be compiled
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int first = rank == 0;
  if (first) printf("%d ranks\n", ranks);
#if defined(SAYS_content) || defined(SAYS_unlisted)
  if (first && ranks >= ranks_wanted()) printf("All tests successful\n");
#elif defined(SAYS_alone)
  if (ranks == 1) printf("All tests successful\n");
#elif defined(SAYS_complains)
  if (first) printf("ERROR: a[3]=1, b[3]=2\nAll tests successful\n");
#elif defined(SAYS_crashes)
  abort();
#elif defined(SAYS_expected)
  MPI_Abort(MPI_COMM_WORLD, 3);
#elif defined(SAYS_hangs)
  if (first) MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#elif defined(SAYS_floods)
  while (first) printf("once more\n");
#elif defined(SAYS_fills)
  // A file of 8 GB with a hole, of which nothing is to appear.
  FILE* file = first ? fopen("filled", "w") : NULL;
  if (file != NULL) {
    fseek(file, 8L << 30, SEEK_SET);
    if (fputc(1, file) == EOF || fclose(file) != 0) printf("file too large: failed\n");
  }
#elif defined(SAYS_reads)
  char word[16] = "";
  FILE* file = first ? fopen("says.in", "r") : NULL;
  if (file != NULL && fscanf(file, "%15s", word) == 1) printf("passed: %s\n", word);
#endif
  ARMCI_Finalize();
  MPI_Finalize();
  return 0;
}
