// Broadcast: between nodes and within them, or in one level.
#include "corespec/host/check.h"
#include "netmod/mpi/collectives/algorithms/algorithms.h"

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

void run(const Transfer& transfer, const TwoLevel& levels, std::byte* data, std::int64_t bytes,
         int root) {
  Question question = transfer.question(CollectiveKind::bcast, bytes);
  question.two_levels = levels.use();
  switch (transfer.choose(question)) {
    case Algorithm::two_level:
      return broadcast_two_level(transfer.call(), levels, data, bytes);
    case Algorithm::scatter_ring:
      return algorithm::bcast_scatter_ring(transfer, data, bytes, root);
    case Algorithm::chain:
      return algorithm::bcast_chain(transfer, data, bytes, root);
    case Algorithm::binomial:
      return algorithm::bcast_binomial(transfer, data, bytes, root);
    default:
      CASTOR_NEVER("Bcast does not carry out the algorithm that was chosen");
  }
}

}  // namespace

void broadcast(const Transfer& transfer, std::byte* data, std::int64_t bytes, int root) {
  run(transfer, TwoLevel(), data, bytes, root);
}

void broadcast(const CollectiveCall& call, std::byte* data, std::int64_t bytes, int root) {
  run(Transfer(call, Collective::broadcast), TwoLevel(call.rank, call.comm, root), data, bytes,
      root);
}

}  // namespace netmod
