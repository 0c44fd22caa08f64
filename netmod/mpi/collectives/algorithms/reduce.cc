// Reduce: within nodes and between them, or in one level.
#include "corespec/host/check.h"
#include "netmod/mpi/collectives/algorithms/algorithms.h"
#include "netmod/mpi/collectives/algorithms/halving.h"

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

void run(const Transfer& transfer, const TwoLevel& levels, const Reduction& reduction,
         const std::byte* in, std::byte* out, std::int64_t count, int root) {
  switch (transfer.choose(
      reduction_question(transfer, levels, CollectiveKind::reduce, reduction, count))) {
    case Algorithm::two_level:
      return reduce_two_level(transfer.call(), levels, reduction, in, out, count);
    case Algorithm::scatter_gather:
      return algorithm::reduce_scatter_gather(transfer, reduction, in, out, count, root);
    case Algorithm::binomial:
      if (reduction.commutative() || root == 0) {
        return algorithm::reduce_binomial(transfer, reduction, in, out, count, root);
      }
      return reduce_in_order(transfer, reduction, in, out, count, root);
    default:
      CASTOR_NEVER("Reduce does not carry out the algorithm that was chosen");
  }
}

}  // namespace

Question reduction_question(const Transfer& transfer, const TwoLevel& levels, CollectiveKind kind,
                            const Reduction& reduction, std::int64_t count) {
  Question question = transfer.question(kind, reduction.bytes(count));
  question.two_levels = levels.use();
  question.commutes = reduction.commutative();
  question.splits = reduction.predefined() && count >= algorithm::Folded(transfer).power();
  return question;
}

void reduce(const Transfer& transfer, const Reduction& reduction, const std::byte* in,
            std::byte* out, std::int64_t count, int root) {
  run(transfer, TwoLevel(), reduction, in, out, count, root);
}

void reduce(const CollectiveCall& call, const Reduction& reduction, const std::byte* in,
            std::byte* out, std::int64_t count, int root) {
  run(Transfer(call, Collective::reduce), TwoLevel(call.rank, call.comm, root), reduction, in, out,
      count, root);
}

}  // namespace netmod
