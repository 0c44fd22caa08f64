// Allreduce by recursive doubling.
#include "netmod/mpi/collectives/algorithms/algorithms.h"
#include "netmod/mpi/collectives/algorithms/halving.h"
#include "netmod/mpi/collectives/algorithms/running_sum.h"

namespace netmod::algorithm {

// Whole vectors at every step; of two partners both have the lower one's sum as first operand.
void allreduce_recursive_doubling(const Transfer& transfer, const Reduction& reduction,
                                  std::byte* data, std::int64_t count) {
  const Folded folded(transfer);
  RunningSum sum(transfer, reduction, data, data, count);
  if (folded.folds_away()) {
    sum.send(transfer.rank() + 1);
  } else {
    if (folded.in_pair()) sum.receive(transfer.rank() - 1, Operand::first);
    for (int bit = 1; bit < folded.power(); bit *= 2) {
      const int number = folded.number() ^ bit;
      sum.exchange(folded.real(number),
                   number < folded.number() ? Operand::first : Operand::second);
    }
    sum.store(data);
  }
  fold_out(transfer, folded, data, reduction.bytes(count));
}

}  // namespace netmod::algorithm
