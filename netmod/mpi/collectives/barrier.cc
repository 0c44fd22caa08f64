// Barrier: between nodes by their leaders, or in one level.
#include "netmod/mpi/collectives/algorithms.h"

namespace netmod {
namespace {

/// Ranks of a node tell their leader; the leaders meet; the leader tells its node.
void barrier_two_level(const CollectiveCall& call, const TwoLevel& levels) {
  const Transfer node(call, Collective::barrier, levels.node(), Scope::node);
  algorithm::barrier_enter_binomial(node);
  if (levels.leads()) {
    barrier(Transfer(call, Collective::barrier, levels.leaders(), Scope::leaders));
  }
  algorithm::barrier_leave_binomial(node);
}

}  // namespace

void barrier(const Transfer& transfer) {
  if (transfer.choose(CollectiveKind::barrier, 0, one_level) == Algorithm::binomial) {
    algorithm::barrier_enter_binomial(transfer);
    algorithm::barrier_leave_binomial(transfer);
  } else {
    algorithm::barrier_dissemination(transfer);
  }
}

void barrier(const CollectiveCall& call) {
  const TwoLevel levels(call.rank, call.comm);
  const Transfer all(call, Collective::barrier);
  const Algorithm chosen = all.choose(CollectiveKind::barrier, 0, [&](Algorithm algorithm) {
    return one_level(algorithm) || levels.use();
  });
  if (chosen == Algorithm::two_level) {
    barrier_two_level(call, levels);
  } else {
    barrier(all);
  }
}

}  // namespace netmod
