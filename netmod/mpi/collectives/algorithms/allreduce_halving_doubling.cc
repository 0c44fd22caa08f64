// Allreduce by Rabenseifner's halving and doubling.
#include "netmod/mpi/collectives/algorithms/algorithms.h"
#include "netmod/mpi/collectives/algorithms/halving.h"

namespace netmod::algorithm {
namespace {

/// Collects the finished parts.
void double_parts(const Transfer& transfer, const Folded& folded, const Reduction& reduction,
                  std::byte* sum, std::int64_t count) {
  const int power = folded.power();
  for (int width = 1; width < power; width *= 2) {
    const int base = folded.number() & ~(width - 1);
    exchange_elements(transfer, reduction, sum, equal_parts(count, power, base, width), sum,
                      equal_parts(count, power, base ^ width, width),
                      folded.real(folded.number() ^ width));
  }
}

}  // namespace

void allreduce_halving_doubling(const Transfer& transfer, const Reduction& reduction,
                                std::byte* data, std::int64_t count) {
  const Folded folded(transfer);
  const std::int64_t bytes = reduction.bytes(count);
  const Scratch scratch = transfer.call().memory(bytes);
  const Buffers buffers{data, scratch.get()};
  fold_in(transfer, folded, reduction, buffers, count);
  if (!folded.folds_away()) {
    halve(transfer, folded, reduction, buffers,
          [&](int first, int width) { return equal_parts(count, folded.power(), first, width); });
    double_parts(transfer, folded, reduction, data, count);
  }
  fold_out(transfer, folded, data, bytes);
}

}  // namespace netmod::algorithm
