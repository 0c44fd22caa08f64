// Allgather by recursive doubling.
#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod::algorithm {

void allgather_recursive_doubling(const Transfer& transfer, std::byte* all, std::int64_t each) {
  for (int have = 1; have < transfer.size(); have *= 2) {
    const int first = transfer.rank() & ~(have - 1);  // of the aligned block that is here
    const int partner = transfer.rank() ^ have;
    transfer.exchange(all + each * first, each * have, partner, all + each * (first ^ have),
                      each * have, partner);
  }
}

}  // namespace netmod::algorithm
