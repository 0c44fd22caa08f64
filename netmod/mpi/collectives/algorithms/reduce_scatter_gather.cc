// Reduce by Rabenseifner's halving and a gather of the parts.
#include "netmod/mpi/collectives/algorithms/algorithms.h"
#include "netmod/mpi/collectives/algorithms/halving.h"

namespace netmod::algorithm {
namespace {

/// The parts that the numbers of a block of `width` have finished go to `target`'s number: at each
/// width only those are left whose lower bits are the target's.
void gather_parts(const Transfer& transfer, const Folded& folded, const Reduction& reduction,
                  std::byte* sum, std::int64_t count, int target) {
  const int power = folded.power();
  const auto piece_of = [&](int base, int width) {
    const Elements elements = equal_parts(count, power, base, width);
    return Piece{reduction.bytes(elements.begin), reduction.bytes(elements.end - elements.begin)};
  };
  const int number = folded.number();
  for (int width = 1; width < power; width *= 2) {
    const int base = number & ~(width - 1);
    const int partner = folded.real(number ^ width);
    if ((number & width) != (target & width)) {
      const Piece mine = piece_of(base, width);
      transfer.send(sum + mine.offset, mine.bytes, partner);
      return;
    }
    const Piece theirs = piece_of(base ^ width, width);
    transfer.receive(sum + theirs.offset, theirs.bytes, partner);
  }
}

}  // namespace

void reduce_scatter_gather(const Transfer& transfer, const Reduction& reduction,
                           const std::byte* in, std::byte* out, std::int64_t count, int root) {
  const CollectiveCall& call = transfer.call();
  const std::int64_t bytes = reduction.bytes(count);
  const Folded folded(transfer);
  const bool at_root = transfer.rank() == root;
  Scratch sum;
  if (!at_root) sum = call.memory(bytes);
  const Scratch other = call.memory(bytes);
  const Buffers buffers{at_root ? out : sum.get(), other.get()};
  call.copy(buffers.sum, in, bytes);
  call.charge_copy(bytes);
  fold_in(transfer, folded, reduction, buffers, count);
  const int target = folded.number_of(root);
  const int collector = folded.real(target);
  if (!folded.folds_away()) {
    halve(transfer, folded, reduction, buffers,
          [&](int first, int width) { return equal_parts(count, folded.power(), first, width); });
    gather_parts(transfer, folded, reduction, buffers.sum, count, target);
  }
  if (collector == root) return;
  // The root has folded away: its neighbour has collected for it.
  if (transfer.rank() == collector) transfer.send(buffers.sum, bytes, root);
  if (at_root) transfer.receive(buffers.sum, bytes, collector);
}

}  // namespace netmod::algorithm
