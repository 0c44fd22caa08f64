// Reduce and scatter.
#include <vector>

#include "corespec/host/check.h"
#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod {
namespace {

/// All to rank 0, and from there: keeps the order of ranks.
void reduce_then_scatter(const CollectiveCall& call, const Reduction& reduction,
                         const std::byte* in, std::byte* out, std::int64_t mine,
                         std::span<const std::int64_t> begin) {
  const std::int64_t total = begin.back();
  Scratch result;
  std::vector<Piece> pieces;
  if (call.comm.rank == 0) {
    result = call.memory(reduction.bytes(total));
    for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
      pieces.push_back({reduction.bytes(begin[i]), reduction.bytes(begin[i + 1] - begin[i])});
    }
  }
  reduce(call, reduction, in, result.get(), total, 0);
  scatter_pieces(call, result.get(), pieces, out, reduction.bytes(mine), 0);
}

}  // namespace

void reduce_scatter(const CollectiveCall& call, const Reduction& reduction, const std::byte* in,
                    std::byte* out, std::span<const std::int64_t> begin) {
  const Transfer all(call, Collective::reduce_scatter);
  Question question = all.question(CollectiveKind::reduce_scatter, reduction.bytes(begin.back()));
  question.commutes = reduction.commutative();
  const auto me = static_cast<std::size_t>(call.comm.rank);
  switch (all.choose(question)) {
    case Algorithm::halving:
      return algorithm::reduce_scatter_halving(all, reduction, in, out, begin);
    case Algorithm::pairwise:
      return algorithm::reduce_scatter_pairwise(all, reduction, in, out, begin);
    case Algorithm::reduce_scatterv:
      return reduce_then_scatter(call, reduction, in, out, begin[me + 1] - begin[me], begin);
    default:
      CASTOR_NEVER("Reduce_scatter does not carry out the algorithm that was chosen");
  }
}

}  // namespace netmod
