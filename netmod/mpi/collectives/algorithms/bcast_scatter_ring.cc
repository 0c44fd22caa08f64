// Broadcast by a scatter and a ring.
#include <algorithm>

#include "netmod/mpi/collectives/algorithms/algorithms.h"
#include "netmod/mpi/collectives/algorithms/rotated.h"

namespace netmod::algorithm {
namespace {

/// Piece of a rotated rank: the data cut into size equal pieces, the last ones shorter.
class Pieces {
 public:
  Pieces(std::int64_t bytes, int size) : bytes_(bytes), each_((bytes + size - 1) / size) {}
  std::int64_t begin(int rank) const { return std::min(bytes_, each_ * rank); }
  std::int64_t between(int first, int end) const { return begin(end) - begin(first); }

 private:
  std::int64_t bytes_;
  std::int64_t each_;
};

/// Every rotated rank receives its own piece and those of its subtree.
void scatter_tree(const Transfer& transfer, const Rotated& ranks, const Pieces& pieces,
                  std::byte* data) {
  const int rank = ranks.rank();
  if (rank != 0) {
    const int end = rank + ranks.span(rank, ranks.parent_bit());
    transfer.receive(data + pieces.begin(rank), pieces.between(rank, end), ranks.parent());
  }
  for (int bit = ranks.parent_bit() / 2; bit > 0; bit /= 2) {
    const int child = rank + bit;
    if (child >= ranks.size()) continue;
    const int end = child + ranks.span(child, bit);
    transfer.send(data + pieces.begin(child), pieces.between(child, end), ranks.real(child));
  }
}

void ring(const Transfer& transfer, const Rotated& ranks, const Pieces& pieces, std::byte* data) {
  const int size = ranks.size();
  for (int step = 0; step < size - 1; ++step) {
    const int out = (ranks.rank() - step + size) % size;
    const int in = (ranks.rank() - step - 1 + size) % size;
    transfer.exchange(data + pieces.begin(out), pieces.between(out, out + 1),
                      ranks.real(ranks.rank() + 1), data + pieces.begin(in),
                      pieces.between(in, in + 1), ranks.real(ranks.rank() - 1 + size));
  }
}

}  // namespace

void bcast_scatter_ring(const Transfer& transfer, std::byte* data, std::int64_t bytes, int root) {
  const Rotated ranks(transfer, root);
  const Pieces pieces(bytes, transfer.size());
  scatter_tree(transfer, ranks, pieces, data);
  ring(transfer, ranks, pieces, data);
}

}  // namespace netmod::algorithm
