// Recursive halving: what Rabenseifner's reductions have in common.
#pragma once

#include <cstddef>
#include <cstdint>

#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/operations/op.h"

namespace netmod::algorithm {

/// The ranks that take part: a power of two. Of the first 2 * extra ranks the even ones fold into
/// their odd neighbours; the others keep their order.
class Folded {
 public:
  explicit Folded(const Transfer& transfer) : rank_(transfer.rank()) {
    while (power_ * 2 <= transfer.size()) power_ *= 2;
    extra_ = transfer.size() - power_;
  }
  int power() const { return power_; }
  bool in_pair() const { return rank_ < 2 * extra_; }
  /// The caller gives its part to rank + 1 and only hears the result.
  bool folds_away() const { return in_pair() && rank_ % 2 == 0; }
  /// The caller's number among those that take part (its neighbour's if it folds away).
  int number() const { return number_of(rank_); }
  int number_of(int rank) const { return rank < 2 * extra_ ? rank / 2 : rank - extra_; }
  int real(int number) const { return number < extra_ ? number * 2 + 1 : number + extra_; }
  /// The first of the ranks that a number stands for: itself, or the one that folded into it.
  int first_rank(int number) const { return number < extra_ ? number * 2 : number + extra_; }

 private:
  int rank_;
  int power_ = 1;
  int extra_ = 0;
};

/// The caller's sum and a second buffer of the same size.
struct Buffers {
  std::byte* sum;
  std::byte* other;
};

/// A range of elements.
struct Elements {
  std::int64_t begin, end;
};

/// Elements of parts [first, first + width) of a vector cut into `parts`.
inline Elements equal_parts(std::int64_t count, int parts, int first, int width) {
  return {count * first / parts, count * (first + width) / parts};
}

/// Sums of pairs; those that fold away are done.
void fold_in(const Transfer& transfer, const Folded& folded, const Reduction& reduction,
             const Buffers& buffers, std::int64_t count);
/// The result for those that folded away.
void fold_out(const Transfer& transfer, const Folded& folded, std::byte* data, std::int64_t bytes);

/// Sends elements `out` of one buffer and receives elements `in` of another, with one partner.
void exchange_elements(const Transfer& transfer, const Reduction& reduction, const std::byte* from,
                       Elements out, std::byte* to, Elements in, int partner);

/// For those that take part, a commutative operation: afterwards each has in `sum` the finished
/// elements `part_of(number, 1)` of its own number. part_of(first, width): the elements of that
/// many numbers.
template <class PartOf>
void halve(const Transfer& transfer, const Folded& folded, const Reduction& reduction,
           const Buffers& buffers, const PartOf& part_of) {
  int first = 0;
  for (int width = folded.power() / 2; width > 0; width /= 2) {
    const bool upper = (folded.number() & width) != 0;
    const Elements kept = part_of(first + (upper ? width : 0), width);
    const Elements given = part_of(first + (upper ? 0 : width), width);
    exchange_elements(transfer, reduction, buffers.sum, given, buffers.other, kept,
                      folded.real(folded.number() ^ width));
    transfer.call().reduce(reduction, buffers.other + reduction.bytes(kept.begin),
                           buffers.sum + reduction.bytes(kept.begin), kept.end - kept.begin);
    if (upper) first += width;
  }
}

}  // namespace netmod::algorithm
