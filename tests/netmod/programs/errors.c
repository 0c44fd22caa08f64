/* Errors that a program asked to have returned, and communicators of part of the ranks. */
#include <mpi.h>
#include <stdio.h>

static int failures = 0;

static void expect_class(int code, int expected, const char* what) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  if (error_class == expected) return;
  ++failures;
  printf("errors: %s gave class %d, not %d\n", what, error_class, expected);
}

int main(int argc, char** argv) {
  int rank, size, data[4] = {1, 2, 3, 4}, sum = 0, in[2] = {0, 0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  expect_class(MPI_Send(data, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT, "count");
  expect_class(MPI_Send(data, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK, "rank");
  expect_class(MPI_Send(data, 1, MPI_INT, 0, -5, MPI_COMM_WORLD), MPI_ERR_TAG, "tag");
  expect_class(MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE, "type");
  expect_class(MPI_Bcast(data, 1, MPI_INT, size, MPI_COMM_WORLD), MPI_ERR_ROOT, "root");
  MPI_Request request;
  MPI_Isend(data, 4, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);
  expect_class(MPI_Recv(in, 2, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
               MPI_ERR_TRUNCATE, "truncation");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
  for (int r = rank % 2; r < size; r += 2) sum -= r;
  if (sum != 0) ++failures;
  MPI_Comm_free(&half);
  MPI_Reduce(&failures, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("errors: %d failures\n", sum);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
