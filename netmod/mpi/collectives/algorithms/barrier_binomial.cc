// Barrier by a binomial tree: up, and down again.
#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod::algorithm {

void barrier_enter_binomial(const Transfer& transfer) {
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

void barrier_leave_binomial(const Transfer& transfer) { bcast_binomial(transfer, nullptr, 0, 0); }

}  // namespace netmod::algorithm
