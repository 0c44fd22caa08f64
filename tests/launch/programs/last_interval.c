/* Every rank computes for 1 ms, rank 0 for 10 ms more; all meet; then all compute for 5 ms and call
 * nothing. */
#include <corespec_work.h>
#include <mpi.h>

CORESPEC_MODELLED_PROGRAM;

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  corespec_work_ns(1000000);
  if (rank == 0) corespec_work_ns(10000000);
  MPI_Barrier(MPI_COMM_WORLD);
  corespec_work_ns(5000000);
  return MPI_Finalize();
}
