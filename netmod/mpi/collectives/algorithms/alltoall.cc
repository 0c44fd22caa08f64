// Alltoall, of parts of one size or of any.
#include "corespec/host/check.h"
#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod {
namespace {

void exchange_all_pieces(const Transfer& transfer, Algorithm chosen,
                         const algorithm::Exchange& exchange) {
  switch (chosen) {
    case Algorithm::linear:
      return algorithm::alltoall_linear(transfer, exchange);
    case Algorithm::pairwise:
      return algorithm::alltoall_pairwise(transfer, exchange);
    default:
      CASTOR_NEVER("Alltoall does not carry out the algorithm that was chosen");
  }
}

}  // namespace

void alltoall_pieces(const CollectiveCall& call, const std::byte* out,
                     std::span<const Piece> out_pieces, std::byte* in,
                     std::span<const Piece> in_pieces) {
  const Transfer transfer(call, Collective::alltoall);
  const Algorithm chosen = transfer.choose(transfer.question(CollectiveKind::alltoallv, 0));
  exchange_all_pieces(transfer, chosen, {out, out_pieces, in, in_pieces});
}

void alltoall(const CollectiveCall& call, const std::byte* out, std::byte* in, std::int64_t each) {
  const Transfer transfer(call, Collective::alltoall);
  const Algorithm chosen = transfer.choose(transfer.question(CollectiveKind::alltoall, each));
  if (chosen == Algorithm::bruck) {
    algorithm::alltoall_bruck(transfer, out, in, each);
  } else {
    exchange_all_pieces(transfer, chosen, {out, {}, in, {}, each});
  }
}

}  // namespace netmod
