// Reduce by a binomial tree that keeps the order of ranks; scan by recursive doubling.
#include <array>
#include <utility>

#include "netmod/mpi/collectives.h"

namespace netmod {
namespace {

/// Within nodes to their leaders, then between these.
void reduce_two_level(const CollectiveCall& call, const TwoLevel& levels,
                      const Reduction& reduction, const std::byte* in, std::byte* out,
                      std::int64_t count) {
  Scratch partial;
  if (levels.node().size() > 1) {
    const Transfer node(call, Collective::reduce, levels.node());
    if (levels.leads()) partial = call.memory(reduction.bytes(count));
    reduce(node, reduction, in, partial.get(), count, levels.head());
    in = partial.get();
  }
  if (!levels.leads()) return;
  const Transfer leaders(call, Collective::reduce, levels.leaders());
  reduce(leaders, reduction, in, out, count, levels.root_number());
}

}  // namespace

// The tree towards rank 0 of ranks rotated by `root`. Parts come in ascending order, each covers
// the ranks after those summed so far, and `sum op part` leaves the new sum in the part's buffer:
// nothing is copied.
void reduce(const Transfer& transfer, const Reduction& reduction, const std::byte* in,
            std::byte* out, std::int64_t count, int root) {
  const int size = transfer.size();
  const int rank = (transfer.rank() - root + size) % size;
  const std::int64_t bytes = reduction.bytes(count);
  Scratch scratch[2];
  std::array<std::byte*, 2> buffers{nullptr, rank == 0 ? out : nullptr};
  const std::byte* sum = in;
  std::size_t next = 0;
  for (int bit = 1; bit < size; bit *= 2) {
    if ((rank & bit) != 0) {
      transfer.send(sum, bytes, (rank - bit + root) % size);
      return;
    }
    if (rank + bit >= size) continue;
    if (buffers[next] == nullptr) {
      scratch[next] = transfer.call().memory(bytes);
      buffers[next] = scratch[next].get();
    }
    transfer.receive(buffers[next], bytes, (rank + bit + root) % size);
    transfer.call().reduce(reduction, sum, buffers[next], count);
    sum = buffers[next];
    next = 1 - next;
  }
  // Only rotated rank 0 comes here, and it alone has an `out`.
  if (out != nullptr && sum != out) transfer.call().copy(out, sum, bytes);
}

void reduce(const CollectiveCall& call, const Reduction& reduction, const std::byte* in,
            std::byte* out, std::int64_t count, int root) {
  if (reduction.commutative()) {
    const TwoLevel levels(call.rank, call.comm, root);
    if (levels.use()) {
      reduce_two_level(call, levels, reduction, in, out, count);
      return;
    }
  }
  const Transfer transfer(call, Collective::reduce);
  if (reduction.commutative() || root == 0) {
    reduce(transfer, reduction, in, out, count, root);
    return;
  }
  // The order of ranks starts at 0, so the tree must too.
  const std::int64_t bytes = reduction.bytes(count);
  if (call.comm.rank == 0) {
    const Scratch result = call.memory(bytes);
    reduce(transfer, reduction, in, result.get(), count, 0);
    transfer.send(result.get(), bytes, root);
    return;
  }
  reduce(transfer, reduction, in, nullptr, count, 0);
  if (call.comm.rank == root) transfer.receive(out, bytes, 0);
}

void scan(const CollectiveCall& call, const Reduction& reduction, std::byte* data,
          std::byte* before, std::int64_t count) {
  const Transfer transfer(call, Collective::scan);
  const std::int64_t bytes = reduction.bytes(count);
  Scratch block = call.memory(bytes);  // reduction over the caller's aligned block of ranks
  Scratch other = call.memory(bytes);
  call.copy(block.get(), data, bytes);
  call.charge_copy(bytes);
  bool have_before = false;
  for (int bit = 1; bit < transfer.size(); bit *= 2) {
    const int partner = transfer.rank() ^ bit;
    if (partner >= transfer.size()) continue;
    transfer.exchange(block.get(), bytes, partner, other.get(), bytes, partner);
    if (partner > transfer.rank()) {
      call.reduce(reduction, block.get(), other.get(), count);
      std::swap(block, other);
      continue;
    }
    call.reduce(reduction, other.get(), data, count);
    if (before != nullptr && have_before) call.reduce(reduction, other.get(), before, count);
    if (before != nullptr && !have_before) call.copy(before, other.get(), bytes);
    have_before = true;
    call.reduce(reduction, other.get(), block.get(), count);
  }
}

}  // namespace netmod
