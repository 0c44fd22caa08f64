// Barrier by dissemination.
#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod::algorithm {

void barrier_dissemination(const Transfer& transfer) {
  const std::int64_t size = transfer.size();
  for (std::int64_t distance = 1; distance < size; distance *= 2) {
    const auto to = static_cast<int>((transfer.rank() + distance) % size);
    const auto from = static_cast<int>((transfer.rank() - distance + size) % size);
    transfer.exchange(nullptr, 0, to, nullptr, 0, from);
  }
}

}  // namespace netmod::algorithm
