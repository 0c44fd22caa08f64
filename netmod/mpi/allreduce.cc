// Allreduce: recursive doubling, or Rabenseifner's halving and doubling for large vectors.
#include <utility>

#include "netmod/mpi/collectives.h"

namespace netmod {
namespace {

// Up to this size latency counts, above it bandwidth (MPICH's limit).
constexpr std::int64_t short_allreduce = 2048;

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
  int number() const { return in_pair() ? rank_ / 2 : rank_ - extra_; }
  int real(int number) const { return number < extra_ ? number * 2 + 1 : number + extra_; }

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

/// Whole vectors at every step. The sum may end in either buffer.
void double_whole(const Transfer& transfer, const Folded& folded, const Reduction& reduction,
                  Buffers& buffers, std::int64_t count) {
  const std::int64_t bytes = reduction.bytes(count);
  for (int bit = 1; bit < folded.power(); bit *= 2) {
    const int number = folded.number() ^ bit;
    const int partner = folded.real(number);
    transfer.exchange(buffers.sum, bytes, partner, buffers.other, bytes, partner);
    if (number < folded.number()) {
      transfer.call().reduce(reduction, buffers.other, buffers.sum, count);
    } else {
      transfer.call().reduce(reduction, buffers.sum, buffers.other, count);
      std::swap(buffers.sum, buffers.other);
    }
  }
}

/// A range of elements that the caller is responsible for: those of parts [first, first + width)
/// of the vector cut into `parts`.
struct Range {
  std::int64_t begin, end;
};
Range range_of(std::int64_t count, int parts, int first, int width) {
  return {count * first / parts, count * (first + width) / parts};
}

/// Halving: after it the caller has the finished sum of its own part. Doubling collects the parts.
void halve_and_double(const Transfer& transfer, const Folded& folded, const Reduction& reduction,
                      const Buffers& buffers, std::int64_t count) {
  const auto at = [&](std::byte* buffer, std::int64_t element) {
    return buffer + reduction.bytes(element);
  };
  const auto exchange = [&](Range out, std::byte* in_buffer, Range in, int partner) {
    transfer.exchange(at(buffers.sum, out.begin), reduction.bytes(out.end - out.begin), partner,
                      at(in_buffer, in.begin), reduction.bytes(in.end - in.begin), partner);
  };
  const int power = folded.power();
  int first = 0;
  for (int width = power / 2; width > 0; width /= 2) {
    const bool upper = (folded.number() & width) != 0;
    const Range kept = range_of(count, power, first + (upper ? width : 0), width);
    const Range given = range_of(count, power, first + (upper ? 0 : width), width);
    exchange(given, buffers.other, kept, folded.real(folded.number() ^ width));
    transfer.call().reduce(reduction, at(buffers.other, kept.begin), at(buffers.sum, kept.begin),
                           kept.end - kept.begin);
    if (upper) first += width;
  }
  for (int width = 1; width < power; width *= 2) {
    const int base = folded.number() & ~(width - 1);
    const Range mine = range_of(count, power, base, width);
    const Range theirs = range_of(count, power, base ^ width, width);
    exchange(mine, buffers.sum, theirs, folded.real(folded.number() ^ width));
  }
}

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

/// In one level.
void allreduce(const Transfer& transfer, const Reduction& reduction, std::byte* data,
               std::int64_t count) {
  if (transfer.size() == 1) return;
  const Folded folded(transfer);
  const std::int64_t bytes = reduction.bytes(count);
  const Scratch scratch = transfer.call().memory(bytes);
  Buffers buffers{data, scratch.get()};
  fold_in(transfer, folded, reduction, buffers, count);
  if (!folded.folds_away()) {
    const bool large = bytes > short_allreduce && count >= folded.power();
    if (large && reduction.predefined()) {
      halve_and_double(transfer, folded, reduction, buffers, count);
    } else {
      double_whole(transfer, folded, reduction, buffers, count);
    }
  }
  fold_out(transfer, folded, buffers.sum, bytes);
  if (buffers.sum != data) transfer.call().copy(data, buffers.sum, bytes);
}

}  // namespace

void allreduce(const CollectiveCall& call, const Reduction& reduction, std::byte* data,
               std::int64_t count) {
  if (reduction.commutative()) {
    const TwoLevel levels(call.rank, call.comm);
    if (levels.use()) {
      const Transfer node(call, Collective::allreduce, levels.node());
      if (node.size() > 1) reduce(node, reduction, data, data, count, levels.head());
      if (levels.leads()) {
        const Transfer leaders(call, Collective::allreduce, levels.leaders());
        allreduce(leaders, reduction, data, count);
      }
      broadcast(node, data, reduction.bytes(count), levels.head());
      return;
    }
  }
  allreduce(Transfer(call, Collective::allreduce), reduction, data, count);
}

}  // namespace netmod
