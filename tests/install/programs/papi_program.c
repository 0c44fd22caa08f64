/* PAPI counts a Gemini's events; rank 0 says whether it could. */
#include <mpi.h>
#include <papi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  long long value = -1;
  int rank = 0, set = PAPI_NULL, right = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  right = PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT &&
          PAPI_create_eventset(&set) == PAPI_OK &&
          PAPI_add_named_event(set, "sde:::GEMINI::GM_TILE_PERF_VC0_PHIT_CNT:HH") == PAPI_OK &&
          PAPI_start(set) == PAPI_OK;
  MPI_Barrier(MPI_COMM_WORLD);
  /* Nodes 0 and 1 share a Gemini: nothing comes to its tiles. */
  right = right && PAPI_stop(set, &value) == PAPI_OK && value == 0;
  if (rank == 0) puts(right ? "right" : "wrong");
  MPI_Finalize();
  return right ? 0 : 1;
}
