/* Ranks compute behind their last call: rank 0 for 2 ms, others for 5 ms. With an argument
   recording is off by then. Barriers that MPI-3 alone has are told of when a rank comes to
   MPI_Finalize. */
#include <corespec_work.h>
#include <mpi.h>

CORESPEC_MODELLED_PROGRAM;

int main(int argc, char** argv) {
  int rank;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1) MPI_Pcontrol(0);
  corespec_work_ns(rank == 0 ? 2000000 : 5000000);
  return MPI_Finalize();
}
