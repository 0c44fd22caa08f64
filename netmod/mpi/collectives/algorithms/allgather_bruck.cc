// Allgather by Bruck's algorithm.
#include <algorithm>

#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod::algorithm {

// Blocks collect in order from the caller's own on; a last rotation puts them in rank order.
void allgather_bruck(const Transfer& transfer, std::byte* all, std::int64_t each) {
  const int size = transfer.size();
  const int rank = transfer.rank();
  const CollectiveCall& call = transfer.call();
  const Scratch blocks = call.memory(each * size);
  call.copy(blocks.get(), all + each * rank, each);
  for (int have = 1; have < size; have *= 2) {
    const int now = std::min(have, size - have);
    transfer.exchange(blocks.get(), each * now, (rank - have + size) % size,
                      blocks.get() + each * have, each * now, (rank + have) % size);
  }
  call.copy(all + each * rank, blocks.get(), each * (size - rank));
  call.copy(all, blocks.get() + each * (size - rank), each * rank);
  call.charge_copy(each * (size + 1));
}

}  // namespace netmod::algorithm
