// Allreduce: within nodes and between them, or in one level.
#include "netmod/mpi/collectives/algorithms.h"

namespace netmod {
namespace {

void allreduce(const Transfer& transfer, const Reduction& reduction, std::byte* data,
               std::int64_t count) {
  if (transfer.size() == 1) return;
  const auto applies = [&](Algorithm algorithm) {
    if (algorithm == Algorithm::recursive_doubling) return true;
    return algorithm != Algorithm::two_level && splits(transfer, reduction, count);
  };
  switch (transfer.choose(CollectiveKind::allreduce, reduction.bytes(count), applies)) {
    case Algorithm::halving_doubling:
      return algorithm::allreduce_halving_doubling(transfer, reduction, data, count);
    case Algorithm::ring:
      return algorithm::allreduce_ring(transfer, reduction, data, count);
    default:
      return algorithm::allreduce_recursive_doubling(transfer, reduction, data, count);
  }
}

void allreduce_two_level(const CollectiveCall& call, const TwoLevel& levels,
                         const Reduction& reduction, std::byte* data, std::int64_t count) {
  const Transfer node(call, Collective::allreduce, levels.node(), Scope::node);
  if (node.size() > 1) reduce(node, reduction, data, data, count, levels.head());
  if (levels.leads()) {
    const Transfer leaders(call, Collective::allreduce, levels.leaders(), Scope::leaders);
    allreduce(leaders, reduction, data, count);
  }
  broadcast(node, data, reduction.bytes(count), levels.head());
}

}  // namespace

void allreduce(const CollectiveCall& call, const Reduction& reduction, std::byte* data,
               std::int64_t count) {
  const TwoLevel levels(call.rank, call.comm);
  const Transfer all(call, Collective::allreduce);
  const auto applies = [&](Algorithm algorithm) {
    return algorithm != Algorithm::two_level || (levels.use() && reduction.commutative());
  };
  const std::int64_t bytes = reduction.bytes(count);
  if (all.choose(CollectiveKind::allreduce, bytes, applies) == Algorithm::two_level) {
    allreduce_two_level(call, levels, reduction, data, count);
  } else {
    allreduce(all, reduction, data, count);
  }
}

}  // namespace netmod
