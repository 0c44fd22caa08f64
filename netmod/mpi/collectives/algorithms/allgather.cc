// Allgather: by the rules for equal parts, a ring for others.
#include "corespec/host/check.h"
#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod {

void allgather(const CollectiveCall& call, std::byte* all, std::int64_t each) {
  const Transfer transfer(call, Collective::allgather);
  const int size = transfer.size();
  if (size == 1) return;
  switch (transfer.choose(transfer.question(CollectiveKind::allgather, each * size))) {
    case Algorithm::recursive_doubling:
      return algorithm::allgather_recursive_doubling(transfer, all, each);
    case Algorithm::bruck:
      return algorithm::allgather_bruck(transfer, all, each);
    case Algorithm::ring:
      return algorithm::allgather_ring(transfer, all, [each](int of) {
        return Piece{each * of, each};
      });
    default:
      CASTOR_NEVER("Allgather does not carry out the algorithm that was chosen");
  }
}

void allgather_pieces(const CollectiveCall& call, std::byte* all, std::span<const Piece> pieces) {
  algorithm::allgather_ring(Transfer(call, Collective::allgather), all,
                            [&](int of) { return pieces[static_cast<std::size_t>(of)]; });
}

}  // namespace netmod
