// Allreduce around a ring.
#include "netmod/mpi/collectives/algorithms/algorithms.h"
#include "netmod/mpi/collectives/algorithms/halving.h"

namespace netmod::algorithm {

void allreduce_ring(const Transfer& transfer, const Reduction& reduction, std::byte* data,
                    std::int64_t count) {
  const int size = transfer.size();
  const int rank = transfer.rank();
  const auto piece_of = [&](int part) {
    const Elements elements = equal_parts(count, size, part, 1);
    return Piece{reduction.bytes(elements.begin), reduction.bytes(elements.end - elements.begin)};
  };
  const std::int64_t largest = reduction.bytes((count + size - 1) / size);
  const Scratch arrived = transfer.call().memory(largest);
  // A part begins its way at the rank after its own, and is complete there.
  for (int step = 1; step < size; ++step) {
    const int out = (rank - step + size) % size;
    const int in = (rank - step - 1 + size) % size;
    const Piece giving = piece_of(out);
    const Piece taking = piece_of(in);
    transfer.exchange(data + giving.offset, giving.bytes, (rank + 1) % size, arrived.get(),
                      taking.bytes, (rank - 1 + size) % size);
    const Elements elements = equal_parts(count, size, in, 1);
    transfer.call().reduce(reduction, arrived.get(), data + taking.offset,
                           elements.end - elements.begin);
  }
  allgather_ring(transfer, data, piece_of);
}

}  // namespace netmod::algorithm
