// Barrier by dissemination, between nodes by their leaders.
#include "netmod/mpi/collectives.h"

namespace netmod {
namespace {

void disseminate(const Transfer& transfer) {
  const std::int64_t size = transfer.size();
  for (std::int64_t distance = 1; distance < size; distance *= 2) {
    const auto to = static_cast<int>((transfer.rank() + distance) % size);
    const auto from = static_cast<int>((transfer.rank() - distance + size) % size);
    transfer.exchange(nullptr, 0, to, nullptr, 0, from);
  }
}

/// Everybody has entered, number 0 hears: empty messages up a binomial tree.
void gather_entries(const Transfer& transfer) {
  for (int bit = 1; bit < transfer.size(); bit *= 2) {
    if ((transfer.rank() & bit) != 0) {
      transfer.send(nullptr, 0, transfer.rank() - bit);
      return;
    }
    if (transfer.rank() + bit < transfer.size()) {
      transfer.receive(nullptr, 0, transfer.rank() + bit);
    }
  }
}

}  // namespace

void barrier(const CollectiveCall& call) {
  const TwoLevel levels(call.rank, call.comm);
  if (!levels.use()) {
    disseminate(Transfer(call, Collective::barrier));
    return;
  }
  const Transfer node(call, Collective::barrier, levels.node());
  gather_entries(node);
  if (levels.leads()) {
    disseminate(Transfer(call, Collective::barrier, levels.leaders()));
  }
  broadcast(node, nullptr, 0, levels.head());
}

}  // namespace netmod
