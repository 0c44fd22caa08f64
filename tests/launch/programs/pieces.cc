// Prints lines piece by piece on C++'s streams while other ranks print theirs.
#include <mpi.h>

#include <iostream>

template <typename Stream>
void print_line(Stream& stream, int rank) {
  stream << "rank";
  MPI_Barrier(MPI_COMM_WORLD);
  stream << ' ' << rank;
  MPI_Barrier(MPI_COMM_WORLD);
  stream << "\n" << std::flush;
}

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  print_line(std::cout, rank);
  print_line(std::cerr, rank);
  print_line(std::clog, rank);
  print_line(std::wcerr, rank);
  MPI_Finalize();
  return 0;
}
