/* Refers to functions that no library has. Rank 3 does with them what the argument says:
   nothing|call|versioned|moved|pointer|asked_pointer|read. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int ask(void);
int ask_weakly(void);
int ask_by_pointer(void);
int ask_to_read(void);
int shrunk_kept(void);
int shrunk_function(void);
int shrunk_moved(void);
int shrunk_pointed(void);
static int (*volatile pointer)(void) = shrunk_pointed;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d: kept %d weak %d\n", rank, shrunk_kept(), ask_weakly());
  const char* how = argc > 1 ? argv[1] : "nothing";
  if (rank == 3) {
    int value = 0;
    if (strcmp(how, "call") == 0) value = ask();
    if (strcmp(how, "versioned") == 0) value = shrunk_function();
    if (strcmp(how, "moved") == 0) value = shrunk_moved();
    if (strcmp(how, "pointer") == 0) value = pointer();
    if (strcmp(how, "asked_pointer") == 0) value = ask_by_pointer();
    if (strcmp(how, "read") == 0) value = ask_to_read();
    printf("value %d\n", value);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
