// A C++ MPI program: static objects, the standard library and exceptions, on every rank its own.
#include <mpi.h>

#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::map<int, std::string> words{{0, "zero"}, {1, "one"}, {2, "two"}};

std::string word(int number) {
  const auto found = words.find(number);
  if (found == words.end()) throw std::out_of_range("no word for " + std::to_string(number));
  return found->second;
}

std::string word_or_message(int number) {
  try {
    return word(number);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  words[2] += " of rank " + std::to_string(rank);
  std::vector<int> all(static_cast<std::size_t>(size));
  MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (int turn : all) {
    if (turn == rank) {
      std::cout << rank << ": " << word_or_message(rank) << "; " << word(2) << std::endl;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
