// Recursive halving: folding to a power of two, exchange of ranges.
#include "netmod/mpi/collectives/algorithms/halving.h"

namespace netmod::algorithm {

void fold_in(const Transfer& transfer, const Folded& folded, const Reduction& reduction,
             const Buffers& buffers, std::int64_t count) {
  if (!folded.in_pair()) return;
  const std::int64_t bytes = reduction.bytes(count);
  if (folded.folds_away()) {
    transfer.send(buffers.sum, bytes, transfer.rank() + 1);
  } else {
    transfer.receive(buffers.other, bytes, transfer.rank() - 1);
    transfer.call().reduce(reduction, buffers.other, buffers.sum, count);
  }
}

void fold_out(const Transfer& transfer, const Folded& folded, std::byte* data, std::int64_t bytes) {
  if (!folded.in_pair()) return;
  if (folded.folds_away()) {
    transfer.receive(data, bytes, transfer.rank() + 1);
  } else {
    transfer.send(data, bytes, transfer.rank() - 1);
  }
}

void exchange_elements(const Transfer& transfer, const Reduction& reduction, const std::byte* from,
                       Elements out, std::byte* to, Elements in, int partner) {
  transfer.exchange(from + reduction.bytes(out.begin), reduction.bytes(out.end - out.begin),
                    partner, to + reduction.bytes(in.begin), reduction.bytes(in.end - in.begin),
                    partner);
}

}  // namespace netmod::algorithm
