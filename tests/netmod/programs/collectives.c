/* Collectives of many sizes against results computed by each rank alone. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int value(int rank, int index) {
  return (int)(((unsigned)rank * 7919u + (unsigned)index * 104729u) % 1000u);
}

static long check_count(int rank, int size, int count) {
  long wrong = 0;
  int* mine = malloc(((size_t)count + 1) * sizeof(int));
  int* all = malloc(((size_t)count * (size_t)size + 1) * sizeof(int));
  int* result = malloc(((size_t)count + 1) * sizeof(int));
  for (int i = 0; i < count; ++i) mine[i] = value(rank, i);
  for (int root = 0; root < size; ++root) {
    for (int i = 0; i < count; ++i) result[i] = rank == root ? value(root, i) : -1;
    MPI_Bcast(result, count, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) wrong += result[i] != value(root, i);
    MPI_Reduce(mine, result, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    for (int i = 0; i < count && rank == root; ++i) {
      int sum = 0;
      for (int r = 0; r < size; ++r) sum += value(r, i);
      wrong += result[i] != sum;
    }
    MPI_Gather(mine, count, MPI_INT, all, count, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < count * size && rank == root; ++i) {
      wrong += all[i] != value(i / count, i % count);
    }
    MPI_Scatter(all, count, MPI_INT, result, count, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) wrong += result[i] != mine[i];
  }
  MPI_Allreduce(mine, result, count, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    int most = 0;
    for (int r = 0; r < size; ++r) most = value(r, i) > most ? value(r, i) : most;
    wrong += result[i] != most;
  }
  MPI_Allgather(mine, count, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < count * size; ++i) wrong += all[i] != value(i / count, i % count);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, all, count, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < count * size; ++i) wrong += all[i] != value(rank, i % count);
  MPI_Scan(mine, result, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    int sum = 0;
    for (int r = 0; r <= rank; ++r) sum += value(r, i);
    wrong += result[i] != sum;
  }
  free(mine);
  free(all);
  free(result);
  return wrong;
}

int main(int argc, char** argv) {
  static const int counts[] = {0, 1, 17, 512, 513, 4000, 30000};
  int rank, size;
  long wrong = 0, all_wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    wrong += check_count(rank, size, counts[i]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("collectives: %ld errors\n", all_wrong);
  MPI_Finalize();
  return all_wrong == 0 ? 0 : 1;
}
