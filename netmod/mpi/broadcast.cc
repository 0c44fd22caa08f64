// Broadcast: binomial tree, or scatter and ring.
#include <algorithm>

#include "netmod/mpi/collectives.h"

namespace netmod {
namespace {

// Where a scatter and a ring beat a tree (MPICH's limits).
constexpr std::int64_t large_broadcast = 12288;
constexpr int ring_ranks = 8;
// From here on one scatter and ring over all ranks is better than one over leaders followed by one
// within nodes: every byte is copied at once (MPICH's limit).
constexpr std::int64_t one_level_broadcast = 524288;

/// Ranks counted from the root, so that the root is 0.
class Rotated {
 public:
  Rotated(const Transfer& transfer, int root) : size_(transfer.size()), root_(root) {
    rank_ = (transfer.rank() - root + size_) % size_;
  }
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Rank in the communicator.
  int real(int rotated) const { return (rotated % size_ + root_) % size_; }
  /// The bit that separates the caller from its parent; at the root the first above all ranks.
  int parent_bit() const {
    int bit = 1;
    while (bit < size_ && (rank_ & bit) == 0) bit *= 2;
    return bit;
  }

 private:
  int size_;
  int root_;
  int rank_ = 0;
};

void tree(const Transfer& transfer, std::byte* data, std::int64_t bytes, int root) {
  const Rotated ranks(transfer, root);
  int bit = ranks.parent_bit();
  if (ranks.rank() != 0) transfer.receive(data, bytes, ranks.real(ranks.rank() - bit));
  for (bit /= 2; bit > 0; bit /= 2) {
    if (ranks.rank() + bit < ranks.size()) {
      transfer.send(data, bytes, ranks.real(ranks.rank() + bit));
    }
  }
}

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
  int bit = ranks.parent_bit();
  if (ranks.rank() != 0) {
    const int end = std::min(ranks.rank() + bit, ranks.size());
    transfer.receive(data + pieces.begin(ranks.rank()), pieces.between(ranks.rank(), end),
                     ranks.real(ranks.rank() - bit));
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    const int child = ranks.rank() + bit;
    if (child >= ranks.size()) continue;
    const int end = std::min(child + bit, ranks.size());
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

void broadcast(const Transfer& transfer, std::byte* data, std::int64_t bytes, int root) {
  if (bytes < large_broadcast || transfer.size() < ring_ranks) {
    tree(transfer, data, bytes, root);
    return;
  }
  const Rotated ranks(transfer, root);
  const Pieces pieces(bytes, transfer.size());
  scatter_tree(transfer, ranks, pieces, data);
  ring(transfer, ranks, pieces, data);
}

void broadcast(const CollectiveCall& call, std::byte* data, std::int64_t bytes, int root) {
  if (bytes < one_level_broadcast || call.comm.size() < ring_ranks) {
    const TwoLevel levels(call.rank, call.comm, root);
    if (levels.use()) {
      if (levels.leads()) {
        const Transfer leaders(call, Collective::broadcast, levels.leaders());
        broadcast(leaders, data, bytes, levels.root_number());
      }
      const Transfer node(call, Collective::broadcast, levels.node());
      broadcast(node, data, bytes, levels.head());
      return;
    }
  }
  broadcast(Transfer(call, Collective::broadcast), data, bytes, root);
}

}  // namespace netmod
