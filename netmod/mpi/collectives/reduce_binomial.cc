// Reduce by a binomial tree.
#include <array>

#include "netmod/mpi/collectives/algorithms.h"

namespace netmod::algorithm {

// The tree towards number 0 of ranks rotated by `root`. Parts come in ascending order, each covers
// the ranks after those summed so far, and `sum op part` leaves the new sum in the part's buffer:
// nothing is copied.
void reduce_binomial(const Transfer& transfer, const Reduction& reduction, const std::byte* in,
                     std::byte* out, std::int64_t count, int root) {
  const int size = transfer.size();
  const int rank = (transfer.rank() - root + size) % size;
  const std::int64_t bytes = reduction.bytes(count);
  Scratch scratch[2];
  std::array<std::byte*, 2> buffers{nullptr, rank == 0 ? out : nullptr};
  const std::byte* sum = in;
  std::size_t next = 0;
  for (int bit = 1; bit < size; bit *= 2) {
    if ((rank & bit) != 0) {
      transfer.send(sum, bytes, (rank - bit + root) % size);
      return;
    }
    if (rank + bit >= size) continue;
    if (buffers[next] == nullptr) {
      scratch[next] = transfer.call().memory(bytes);
      buffers[next] = scratch[next].get();
    }
    transfer.receive(buffers[next], bytes, (rank + bit + root) % size);
    transfer.call().reduce(reduction, sum, buffers[next], count);
    sum = buffers[next];
    next = 1 - next;
  }
  // Only rotated rank 0 comes here, and it alone has an `out`.
  if (out != nullptr && sum != out) transfer.call().copy(out, sum, bytes);
}

}  // namespace netmod::algorithm
