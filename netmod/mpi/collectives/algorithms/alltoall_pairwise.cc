// Alltoall by pairwise exchange.
#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod::algorithm {

void copy_own_piece(const Transfer& transfer, const Exchange& exchange) {
  const Piece out = exchange.out_piece(transfer.rank());
  const Piece in = exchange.in_piece(transfer.rank());
  if (out.bytes > in.bytes) return transfer.fail_size(in.bytes, transfer.rank());
  transfer.call().copy(exchange.in + in.offset, exchange.out + out.offset, out.bytes);
  transfer.call().charge_copy(out.bytes);
}

void alltoall_pairwise(const Transfer& transfer, const Exchange& exchange) {
  copy_own_piece(transfer, exchange);
  const int size = transfer.size();
  const int rank = transfer.rank();
  for (int step = 1; step < size; ++step) {
    const int to = (rank + step) % size;
    const int from = (rank - step + size) % size;
    const Piece giving = exchange.out_piece(to);
    const Piece taking = exchange.in_piece(from);
    transfer.exchange(exchange.out + giving.offset, giving.bytes, to, exchange.in + taking.offset,
                      taking.bytes, from);
  }
}

}  // namespace netmod::algorithm
