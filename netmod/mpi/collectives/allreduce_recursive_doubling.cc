// Allreduce by recursive doubling.
#include <utility>

#include "netmod/mpi/collectives/algorithms.h"
#include "netmod/mpi/collectives/halving.h"

namespace netmod::algorithm {
namespace {

/// Whole vectors at every step. The sum may end in either buffer.
void double_whole(const Transfer& transfer, const Folded& folded, const Reduction& reduction,
                  Buffers& buffers, std::int64_t count) {
  const std::int64_t bytes = reduction.bytes(count);
  for (int bit = 1; bit < folded.power(); bit *= 2) {
    const int number = folded.number() ^ bit;
    const int partner = folded.real(number);
    transfer.exchange(buffers.sum, bytes, partner, buffers.other, bytes, partner);
    if (number < folded.number()) {
      transfer.call().reduce(reduction, buffers.other, buffers.sum, count);
    } else {
      transfer.call().reduce(reduction, buffers.sum, buffers.other, count);
      std::swap(buffers.sum, buffers.other);
    }
  }
}

}  // namespace

void allreduce_recursive_doubling(const Transfer& transfer, const Reduction& reduction,
                                  std::byte* data, std::int64_t count) {
  const Folded folded(transfer);
  const std::int64_t bytes = reduction.bytes(count);
  const Scratch scratch = transfer.call().memory(bytes);
  Buffers buffers{data, scratch.get()};
  fold_in(transfer, folded, reduction, buffers, count);
  if (!folded.folds_away()) double_whole(transfer, folded, reduction, buffers, count);
  fold_out(transfer, folded, buffers.sum, bytes);
  if (buffers.sum != data) transfer.call().copy(data, buffers.sum, bytes);
}

}  // namespace netmod::algorithm
