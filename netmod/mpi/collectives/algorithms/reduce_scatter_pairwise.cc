// Reduce and scatter by pairwise exchange: each rank sums what is its own.
#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod::algorithm {

void reduce_scatter_pairwise(const Transfer& transfer, const Reduction& reduction,
                             const std::byte* in, std::byte* out,
                             std::span<const std::int64_t> begin) {
  const CollectiveCall& call = transfer.call();
  const int size = transfer.size();
  const int rank = transfer.rank();
  const auto piece_of = [&](int of) {
    const auto at = static_cast<std::size_t>(of);
    return Piece{reduction.bytes(begin[at]), reduction.bytes(begin[at + 1] - begin[at])};
  };
  const Piece mine = piece_of(rank);
  const auto own = static_cast<std::size_t>(rank);
  const std::int64_t count = begin[own + 1] - begin[own];
  const Scratch arrived = call.memory(mine.bytes);
  call.copy(out, in + mine.offset, mine.bytes);
  call.charge_copy(mine.bytes);
  for (int step = 1; step < size; ++step) {
    const int to = (rank + step) % size;
    const Piece giving = piece_of(to);
    transfer.exchange(in + giving.offset, giving.bytes, to, arrived.get(), mine.bytes,
                      (rank - step + size) % size);
    call.reduce(reduction, arrived.get(), out, count);
  }
}

}  // namespace netmod::algorithm
