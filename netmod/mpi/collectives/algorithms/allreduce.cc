// Allreduce: within nodes and between them, or in one level.
#include "corespec/host/check.h"
#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod {
namespace {

void run(const Transfer& transfer, const TwoLevel& levels, const Reduction& reduction,
         std::byte* data, std::int64_t count);

void allreduce_two_level(const CollectiveCall& call, const TwoLevel& levels,
                         const Reduction& reduction, std::byte* data, std::int64_t count) {
  const Transfer node(call, Collective::allreduce, levels.node(), Scope::node);
  if (node.size() > 1) reduce(node, reduction, data, data, count, levels.head());
  if (levels.leads()) {
    const Transfer leaders(call, Collective::allreduce, levels.leaders(), Scope::leaders);
    run(leaders, TwoLevel(), reduction, data, count);
  }
  broadcast(node, data, reduction.bytes(count), levels.head());
}

void run(const Transfer& transfer, const TwoLevel& levels, const Reduction& reduction,
         std::byte* data, std::int64_t count) {
  if (transfer.size() == 1) return;
  switch (transfer.choose(
      reduction_question(transfer, levels, CollectiveKind::allreduce, reduction, count))) {
    case Algorithm::two_level:
      return allreduce_two_level(transfer.call(), levels, reduction, data, count);
    case Algorithm::halving_doubling:
      return algorithm::allreduce_halving_doubling(transfer, reduction, data, count);
    case Algorithm::ring:
      return algorithm::allreduce_ring(transfer, reduction, data, count);
    case Algorithm::recursive_doubling:
      return algorithm::allreduce_recursive_doubling(transfer, reduction, data, count);
    default:
      CASTOR_NEVER("Allreduce does not carry out the algorithm that was chosen");
  }
}

}  // namespace

void allreduce(const CollectiveCall& call, const Reduction& reduction, std::byte* data,
               std::int64_t count) {
  run(Transfer(call, Collective::allreduce), TwoLevel(call.rank, call.comm), reduction, data,
      count);
}

}  // namespace netmod
