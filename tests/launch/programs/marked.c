/* Sends messages of every protocol to a rank of another node: the lines are marked "here: NAME". */
#include <mpi.h>
#include <stdlib.h>

#include "corespec/include/corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

enum { small = 64, middle = 4096, large = 100000, huge = 2000000 };

static char *out, *in;

static void __attribute__((noipa)) sends(int bytes, MPI_Request* request) {
  MPI_Isend(out, bytes, MPI_CHAR, 1, bytes, MPI_COMM_WORLD, request); /* here: send */
}

static void __attribute__((noipa)) receives(int bytes, MPI_Request* request) {
  MPI_Irecv(in, bytes, MPI_CHAR, 0, bytes, MPI_COMM_WORLD, request); /* here: receive */
}

static void __attribute__((noipa)) waits(MPI_Request* request) {
  corespec_work_ns(20000);
  MPI_Wait(request, MPI_STATUS_IGNORE); /* here: wait */
  *request = MPI_REQUEST_NULL;          /* or the call would be a jump */
}

int main(int argc, char** argv) {
  static const int sizes[] = {small, middle, large, huge};
  int rank;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  out = calloc(1, huge);
  in = calloc(1, huge);
  for (int i = 0; i < 4; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 1) continue;
    if (rank == 0) sends(sizes[i], &request);
    if (rank == 1) receives(sizes[i], &request);
    waits(&request);
  }
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
