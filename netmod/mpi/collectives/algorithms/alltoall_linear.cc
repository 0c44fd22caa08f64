// Alltoall with many messages under way at a time.
#include <algorithm>
#include <vector>

#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod::algorithm {

// How many of each direction: enough to fill the network, few enough to be matched fast (MPICH's).
constexpr int at_a_time = 32;

void alltoall_linear(const Transfer& transfer, const Exchange& exchange) {
  copy_own_piece(transfer, exchange);
  const int size = transfer.size();
  const int rank = transfer.rank();
  int wrong = -1;
  std::vector<Request*> receives, sends;
  for (int first = 1; first < size; first += at_a_time) {
    const int end = std::min(first + at_a_time, size);
    receives.clear();
    sends.clear();
    for (int step = first; step < end; ++step) {
      const int from = (rank - step + size) % size;
      const Piece piece = exchange.in_piece(from);
      receives.push_back(transfer.start_receive(exchange.in + piece.offset, piece.bytes, from));
    }
    for (int step = first; step < end; ++step) {
      const int to = (rank + step) % size;
      const Piece piece = exchange.out_piece(to);
      sends.push_back(transfer.start_send(exchange.out + piece.offset, piece.bytes, to));
    }
    for (int step = first; step < end; ++step) {
      const int from = (rank - step + size) % size;
      const auto at = static_cast<std::size_t>(step - first);
      if (!transfer.finish(receives[at], exchange.in_piece(from).bytes)) wrong = from;
    }
    for (Request* send : sends) transfer.finish_send(send);
  }
  if (wrong >= 0) transfer.fail_size(exchange.in_piece(wrong).bytes, wrong);
}

}  // namespace netmod::algorithm
