// Reduce and scatter by recursive halving.
#include "netmod/mpi/collectives/algorithms/algorithms.h"
#include "netmod/mpi/collectives/algorithms/halving.h"

namespace netmod::algorithm {

void reduce_scatter_halving(const Transfer& transfer, const Reduction& reduction,
                            const std::byte* in, std::byte* out,
                            std::span<const std::int64_t> begin) {
  const CollectiveCall& call = transfer.call();
  const std::int64_t count = begin.back();
  const std::int64_t bytes = reduction.bytes(count);
  const Folded folded(transfer);
  const Scratch sum = call.memory(bytes);
  const Scratch other = call.memory(bytes);
  const Buffers buffers{sum.get(), other.get()};
  call.copy(buffers.sum, in, bytes);
  call.charge_copy(bytes);
  const auto elements_of = [&](int rank) {
    const auto at = static_cast<std::size_t>(rank);
    return Elements{begin[at], begin[at + 1]};
  };
  const Elements mine = elements_of(transfer.rank());
  const std::int64_t my_bytes = reduction.bytes(mine.end - mine.begin);
  fold_in(transfer, folded, reduction, buffers, count);
  if (folded.folds_away()) {
    transfer.receive(out, my_bytes, transfer.rank() + 1);
    return;
  }
  // A number finishes the parts of all ranks that it stands for.
  const auto first_element = [&](int number) {
    const int rank = number < folded.power() ? folded.first_rank(number) : transfer.size();
    return begin[static_cast<std::size_t>(rank)];
  };
  halve(transfer, folded, reduction, buffers, [&](int first, int width) {
    return Elements{first_element(first), first_element(first + width)};
  });
  if (folded.in_pair()) {
    const Elements theirs = elements_of(transfer.rank() - 1);
    transfer.send(buffers.sum + reduction.bytes(theirs.begin),
                  reduction.bytes(theirs.end - theirs.begin), transfer.rank() - 1);
  }
  call.copy(out, buffers.sum + reduction.bytes(mine.begin), my_bytes);
  call.charge_copy(my_bytes);
}

}  // namespace netmod::algorithm
