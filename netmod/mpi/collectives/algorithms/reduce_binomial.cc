// Reduce by a binomial tree.
#include "netmod/mpi/collectives/algorithms/algorithms.h"
#include "netmod/mpi/collectives/algorithms/running_sum.h"

namespace netmod::algorithm {

// The tree towards number 0 of ranks rotated by `root`. Sums come in ascending order, each covers
// the ranks after those summed so far.
void reduce_binomial(const Transfer& transfer, const Reduction& reduction, const std::byte* in,
                     std::byte* out, std::int64_t count, int root) {
  const int size = transfer.size();
  const int rank = (transfer.rank() - root + size) % size;
  RunningSum sum(transfer, reduction, in, out, count);
  for (int bit = 1; bit < size; bit *= 2) {
    if ((rank & bit) != 0) return sum.send((rank - bit + root) % size);
    if (rank + bit < size) sum.receive((rank + bit + root) % size, Operand::second);
  }
  sum.store(out);  // only rotated rank 0 comes here
}

}  // namespace netmod::algorithm
