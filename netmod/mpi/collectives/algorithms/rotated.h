// Ranks counted from a root on, and the binomial tree over them.
#pragma once

#include <algorithm>

#include "netmod/mpi/collectives/engine/transfer.h"

namespace netmod::algorithm {

/// The root is number 0. A number's parent lacks its lowest set bit; its subtree are the numbers
/// from it on, up to that bit's worth.
class Rotated {
 public:
  Rotated(const Transfer& transfer, int root) : size_(transfer.size()), root_(root) {
    rank_ = (transfer.rank() - root + size_) % size_;
    while (parent_bit_ < size_ && (rank_ & parent_bit_) == 0) parent_bit_ *= 2;
  }
  /// The caller's number.
  int rank() const { return rank_; }
  int size() const { return size_; }
  int root() const { return root_; }
  /// The transfer's rank of a number.
  int real(int rotated) const { return (rotated % size_ + root_) % size_; }
  /// The bit that separates the caller from its parent; at the root the first above all numbers.
  int parent_bit() const { return parent_bit_; }
  int parent() const { return real(rank_ - parent_bit_); }
  /// How many are in the subtree of a number that hangs from its parent at `bit`.
  int span(int rotated, int bit) const { return std::min(bit, size_ - rotated); }

 private:
  int size_;
  int root_;
  int rank_ = 0;
  int parent_bit_ = 1;
};

}  // namespace netmod::algorithm
