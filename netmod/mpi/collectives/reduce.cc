// Reduce: within nodes and between them, or in one level.
#include "netmod/mpi/collectives/algorithms.h"
#include "netmod/mpi/collectives/halving.h"

namespace netmod {
namespace {

/// Within nodes to their leaders, then between these.
void reduce_two_level(const CollectiveCall& call, const TwoLevel& levels,
                      const Reduction& reduction, const std::byte* in, std::byte* out,
                      std::int64_t count) {
  Scratch partial;
  if (levels.node().size() > 1) {
    const Transfer node(call, Collective::reduce, levels.node(), Scope::node);
    if (levels.leads()) partial = call.memory(reduction.bytes(count));
    reduce(node, reduction, in, partial.get(), count, levels.head());
    in = partial.get();
  }
  if (!levels.leads()) return;
  const Transfer leaders(call, Collective::reduce, levels.leaders(), Scope::leaders);
  reduce(leaders, reduction, in, out, count, levels.root_number());
}

/// The order of ranks starts at 0, so the tree must too.
void reduce_in_order(const Transfer& transfer, const Reduction& reduction, const std::byte* in,
                     std::byte* out, std::int64_t count, int root) {
  const std::int64_t bytes = reduction.bytes(count);
  if (transfer.rank() == 0) {
    const Scratch result = transfer.call().memory(bytes);
    algorithm::reduce_binomial(transfer, reduction, in, result.get(), count, 0);
    transfer.send(result.get(), bytes, root);
    return;
  }
  algorithm::reduce_binomial(transfer, reduction, in, nullptr, count, 0);
  if (transfer.rank() == root) transfer.receive(out, bytes, 0);
}

}  // namespace

bool splits(const Transfer& transfer, const Reduction& reduction, std::int64_t count) {
  return reduction.predefined() && count >= algorithm::Folded(transfer).power();
}

void reduce(const Transfer& transfer, const Reduction& reduction, const std::byte* in,
            std::byte* out, std::int64_t count, int root) {
  const auto applies = [&](Algorithm algorithm) {
    if (algorithm == Algorithm::scatter_gather) return splits(transfer, reduction, count);
    return algorithm != Algorithm::two_level;
  };
  const std::int64_t bytes = reduction.bytes(count);
  if (transfer.choose(CollectiveKind::reduce, bytes, applies) == Algorithm::scatter_gather) {
    algorithm::reduce_scatter_gather(transfer, reduction, in, out, count, root);
  } else if (reduction.commutative() || root == 0) {
    algorithm::reduce_binomial(transfer, reduction, in, out, count, root);
  } else {
    reduce_in_order(transfer, reduction, in, out, count, root);
  }
}

void reduce(const CollectiveCall& call, const Reduction& reduction, const std::byte* in,
            std::byte* out, std::int64_t count, int root) {
  const TwoLevel levels(call.rank, call.comm, root);
  const Transfer all(call, Collective::reduce);
  const auto applies = [&](Algorithm algorithm) {
    return algorithm != Algorithm::two_level || (levels.use() && reduction.commutative());
  };
  const std::int64_t bytes = reduction.bytes(count);
  if (all.choose(CollectiveKind::reduce, bytes, applies) == Algorithm::two_level) {
    reduce_two_level(call, levels, reduction, in, out, count);
  } else {
    reduce(all, reduction, in, out, count, root);
  }
}

}  // namespace netmod
