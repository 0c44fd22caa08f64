// Broadcast: between nodes and within them, or in one level.
#include <optional>

#include "netmod/mpi/collectives/algorithms.h"

namespace netmod {
namespace {

void broadcast_two_level(const CollectiveCall& call, const TwoLevel& levels, std::byte* data,
                         std::int64_t bytes) {
  if (levels.leads()) {
    const Transfer leaders(call, Collective::broadcast, levels.leaders(), Scope::leaders);
    broadcast(leaders, data, bytes, levels.root_number());
  }
  const Transfer node(call, Collective::broadcast, levels.node(), Scope::node);
  broadcast(node, data, bytes, levels.head());
}

}  // namespace

void broadcast(const Transfer& transfer, std::byte* data, std::int64_t bytes, int root) {
  switch (transfer.choose(CollectiveKind::bcast, bytes, one_level)) {
    case Algorithm::scatter_ring:
      return algorithm::bcast_scatter_ring(transfer, data, bytes, root);
    case Algorithm::chain:
      return algorithm::bcast_chain(transfer, data, bytes, root);
    default:
      return algorithm::bcast_binomial(transfer, data, bytes, root);
  }
}

void broadcast(const CollectiveCall& call, std::byte* data, std::int64_t bytes, int root) {
  const Transfer all(call, Collective::broadcast);
  std::optional<TwoLevel> levels;
  const Algorithm chosen = all.choose(CollectiveKind::bcast, bytes, [&](Algorithm algorithm) {
    if (one_level(algorithm)) return true;
    if (!levels) levels.emplace(call.rank, call.comm, root);
    return levels->use();
  });
  if (chosen == Algorithm::two_level) {
    broadcast_two_level(call, *levels, data, bytes);
  } else {
    broadcast(all, data, bytes, root);
  }
}

}  // namespace netmod
