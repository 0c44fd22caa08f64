// Barrier: between nodes by their leaders, or in one level.
#include "corespec/host/check.h"
#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod {
namespace {

void run(const Transfer& transfer, const TwoLevel& levels);

/// Ranks of a node tell their leader; the leaders meet; the leader tells its node.
void barrier_two_level(const CollectiveCall& call, const TwoLevel& levels) {
  const Transfer node(call, Collective::barrier, levels.node(), Scope::node);
  algorithm::barrier_enter_binomial(node);
  if (levels.leads()) {
    run(Transfer(call, Collective::barrier, levels.leaders(), Scope::leaders), TwoLevel());
  }
  algorithm::barrier_leave_binomial(node);
}

void run(const Transfer& transfer, const TwoLevel& levels) {
  Question question = transfer.question(CollectiveKind::barrier, 0);
  question.two_levels = levels.use();
  switch (transfer.choose(question)) {
    case Algorithm::two_level:
      return barrier_two_level(transfer.call(), levels);
    case Algorithm::binomial:
      algorithm::barrier_enter_binomial(transfer);
      return algorithm::barrier_leave_binomial(transfer);
    case Algorithm::dissemination:
      return algorithm::barrier_dissemination(transfer);
    default:
      CASTOR_NEVER("Barrier does not carry out the algorithm that was chosen");
  }
}

}  // namespace

void barrier(const CollectiveCall& call) {
  run(Transfer(call, Collective::barrier), TwoLevel(call.rank, call.comm));
}

}  // namespace netmod
