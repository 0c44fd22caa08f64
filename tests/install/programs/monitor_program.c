/* A program on the Gemini monitor library, as its users build it: prints "right". It has no map of
   tiles, which all ranks are told. */
#include <gemini_monitor.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = 0, right, all = 0;
  gemini_state_t state;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  right = gemini_init_state(MPI_COMM_WORLD, &state) == GEMINI_ERR_MAP &&
          gemini_read_counters(MPI_COMM_WORLD, &state) == GEMINI_ERR_MAP &&
          gemini_print_counters(MPI_COMM_WORLD, &state) == GEMINI_ERR_MAP &&
          gemini_free_state(MPI_COMM_WORLD, &state) == GEMINI_ERR_MAP;
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf(all ? "right\n" : "wrong\n");
  MPI_Finalize();
  return !all;
}
