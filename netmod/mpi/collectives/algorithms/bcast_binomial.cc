// Broadcast by a binomial tree.
#include "netmod/mpi/collectives/algorithms/algorithms.h"
#include "netmod/mpi/collectives/algorithms/rotated.h"

namespace netmod::algorithm {

void bcast_binomial(const Transfer& transfer, std::byte* data, std::int64_t bytes, int root) {
  const Rotated ranks(transfer, root);
  if (ranks.rank() != 0) transfer.receive(data, bytes, ranks.parent());
  for (int bit = ranks.parent_bit() / 2; bit > 0; bit /= 2) {
    if (ranks.rank() + bit < ranks.size()) {
      transfer.send(data, bytes, ranks.real(ranks.rank() + bit));
    }
  }
}

}  // namespace netmod::algorithm
