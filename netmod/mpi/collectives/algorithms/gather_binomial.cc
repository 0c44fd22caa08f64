// Gather by a binomial tree.
#include "netmod/mpi/collectives/algorithms/algorithms.h"
#include "netmod/mpi/collectives/algorithms/rotated.h"

namespace netmod::algorithm {

void gather_binomial(const Transfer& transfer, const std::byte* mine, std::byte* all,
                     std::int64_t each, int root) {
  const CollectiveCall& call = transfer.call();
  const Rotated ranks(transfer, root);
  const int rank = ranks.rank();
  if (rank % 2 == 1) {  // a leaf
    transfer.send(mine, each, ranks.parent());
    return;
  }
  const int span = ranks.span(rank, ranks.parent_bit());
  const bool direct = rank == 0 && root == 0;
  Scratch scratch;
  if (!direct) scratch = call.memory(each * span);
  std::byte* block = direct ? all : scratch.get();
  call.copy(block, mine, each);
  call.charge_copy(each);
  for (int bit = 1; bit < ranks.parent_bit() && rank + bit < ranks.size(); bit *= 2) {
    const int child = rank + bit;
    transfer.receive(block + each * bit, each * ranks.span(child, bit), ranks.real(child));
  }
  if (rank != 0) {
    transfer.send(block, each * span, ranks.parent());
  } else if (!direct) {  // from rotated order to that of ranks
    const std::int64_t head = each * (ranks.size() - root);
    call.copy(all + each * root, block, head);
    call.copy(all, block + head, each * root);
    call.charge_copy(each * span);
  }
}

}  // namespace netmod::algorithm
