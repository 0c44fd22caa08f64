// Scatter by a binomial tree.
#include "netmod/mpi/collectives/algorithms/algorithms.h"
#include "netmod/mpi/collectives/algorithms/rotated.h"

namespace netmod::algorithm {

void scatter_binomial(const Transfer& transfer, const std::byte* all, std::byte* mine,
                      std::int64_t each, int root) {
  const CollectiveCall& call = transfer.call();
  const Rotated ranks(transfer, root);
  const int rank = ranks.rank();
  if (rank % 2 == 1) {
    transfer.receive(mine, each, ranks.parent());
    return;
  }
  const int span = ranks.span(rank, ranks.parent_bit());
  const bool direct = rank == 0 && root == 0;
  Scratch scratch;
  if (!direct) scratch = call.memory(each * span);
  const std::byte* block = direct ? all : scratch.get();
  if (rank != 0) {
    transfer.receive(scratch.get(), each * span, ranks.parent());
  } else if (!direct) {  // from the order of ranks to the rotated one
    const std::int64_t head = each * (ranks.size() - root);
    call.copy(scratch.get(), all + each * root, head);
    call.copy(scratch.get() + head, all, each * root);
    call.charge_copy(each * span);
  }
  for (int bit = ranks.parent_bit() / 2; bit > 0; bit /= 2) {
    const int child = rank + bit;
    if (child >= ranks.size()) continue;
    transfer.send(block + each * bit, each * ranks.span(child, bit), ranks.real(child));
  }
  call.copy(mine, block, each);
  call.charge_copy(each);
}

}  // namespace netmod::algorithm
