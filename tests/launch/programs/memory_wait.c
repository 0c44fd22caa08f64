// Ranks of a node pass a turn on by a word in a shared window, and look at it without a call of MPI
// until the turn is theirs. The word is written 20 times by each.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &rank);
  MPI_Comm_size(node, &ranks);
  MPI_Win window;
  volatile int* turn;
  MPI_Aint bytes;
  int unit;
  MPI_Win_allocate_shared(rank == 0 ? sizeof(int) : 0, 1, MPI_INFO_NULL, node, (void*)&turn,
                          &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, (void*)&turn);
  if (rank == 0) *turn = 0;
  MPI_Barrier(node);
  for (int round = 0; round < 20; ++round) {
    while (*turn != round * ranks + rank) {
    }
    *turn = *turn + 1;
  }
  while (*turn != 20 * ranks) {
  }
  MPI_Barrier(node);
  if (rank == 0) printf("%d turns\n", *turn);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
