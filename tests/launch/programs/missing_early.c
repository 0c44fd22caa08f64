/* Calls a function that no library has before MPI_Init. */
#include <mpi.h>

int ask(void);

int main(int argc, char** argv) {
  ask();
  MPI_Init(&argc, &argv);
  return MPI_Finalize();
}
