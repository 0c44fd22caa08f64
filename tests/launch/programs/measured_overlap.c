/* How much of a receive hides behind computing, in a program that knows nothing of Castor. */
/*
 * As overlap benchmarks do: post the receive, compute for about twice the transfer time, wait.
 * Prints "receiver overlap P %": the share of the bare transfer time that the computing covered.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { rounds = 101, data_tag = 5, word_tag = 6 };

static volatile double sink;

/* Honest work: a chain of dependent operations. */
static void compute(long trips) {
  double value = 1.0;
  for (long i = 0; i < trips; ++i) value = value * 1.0000001 + 1e-9;
  sink = value;
}

static int ascending(const void* a, const void* b) {
  const double left = *(const double*)a;
  const double right = *(const double*)b;
  return (left > right) - (left < right);
}

/* Not the least: a busy host's kernel may count too little time, too. */
static double median(double* values) {
  qsort(values, rounds, sizeof *values, ascending);
  return values[rounds / 2];
}

/* Seconds of one receive with `trips` of computing behind its post. The sender waits for a word, so
 * that no delay of the receiver's gives it a start. */
static double transfer(int rank, char* buffer, int bytes, long trips) {
  if (rank == 0) {
    MPI_Recv(NULL, 0, MPI_BYTE, 1, word_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(buffer, bytes, MPI_BYTE, 1, data_tag, MPI_COMM_WORLD);
    return 0;
  }
  MPI_Request request;
  MPI_Irecv(buffer, bytes, MPI_BYTE, 0, data_tag, MPI_COMM_WORLD, &request);
  const double start = MPI_Wtime();
  MPI_Send(NULL, 0, MPI_BYTE, 0, word_tag, MPI_COMM_WORLD);
  compute(trips);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return MPI_Wtime() - start;
}

static double compute_alone(long trips) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  compute(trips);
  return MPI_Wtime() - start;
}

/* Trips of the loop that take `seconds`. */
static long calibrate(double seconds) {
  double times[rounds];
  const long trips = 100000;
  for (int i = 0; i < rounds; ++i) times[i] = compute_alone(trips);
  return (long)((double)trips * seconds / median(times)) + 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = argc > 1 ? atoi(argv[1]) : 1 << 20;
  char* buffer = calloc((size_t)bytes, 1);
  double bare[rounds], overhead[rounds];
  for (int i = 0; i < rounds; ++i) bare[i] = transfer(rank, buffer, bytes, 0);
  double base = median(bare);
  MPI_Bcast(&base, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  const long trips = calibrate(2.0 * base);
  for (int i = 0; i < rounds; ++i) {
    const double alone = compute_alone(trips);
    overhead[i] = transfer(rank, buffer, bytes, trips) - alone;
  }
  if (rank == 1) printf("receiver overlap %.1f %%\n", 100.0 * (1.0 - median(overhead) / base));
  free(buffer);
  MPI_Finalize();
  return 0;
}
