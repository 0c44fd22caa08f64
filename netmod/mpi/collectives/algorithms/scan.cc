// Scan by recursive doubling.
#include <utility>

#include "netmod/mpi/collectives/algorithms/collectives.h"

namespace netmod {

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
