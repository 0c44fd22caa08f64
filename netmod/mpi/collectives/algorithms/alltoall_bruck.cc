// Alltoall by Bruck's algorithm.
#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod::algorithm {

// Block i is on its way to the rank i above its first one: in the round of each bit of i that is
// set it goes as far as the bit says.
void alltoall_bruck(const Transfer& transfer, const std::byte* out, std::byte* in,
                    std::int64_t each) {
  const CollectiveCall& call = transfer.call();
  const int size = transfer.size();
  const int rank = transfer.rank();
  const Scratch blocks = call.memory(each * size);
  const Scratch leaving = call.memory(each * (size / 2));
  const Scratch arriving = call.memory(each * (size / 2));
  call.copy(blocks.get(), out + each * rank, each * (size - rank));
  call.copy(blocks.get() + each * (size - rank), out, each * rank);
  call.charge_copy(each * size);
  for (int bit = 1; bit < size; bit *= 2) {
    int moving = 0;
    for (int i = bit; i < size; ++i) {
      if ((i & bit) != 0) call.copy(leaving.get() + each * moving++, blocks.get() + each * i, each);
    }
    transfer.exchange(leaving.get(), each * moving, (rank + bit) % size, arriving.get(),
                      each * moving, (rank - bit + size) % size);
    int arrived = 0;
    for (int i = bit; i < size; ++i) {
      if ((i & bit) != 0)
        call.copy(blocks.get() + each * i, arriving.get() + each * arrived++, each);
    }
    call.charge_copy(2 * each * moving);
  }
  for (int i = 0; i < size; ++i) {
    call.copy(in + each * ((rank - i + size) % size), blocks.get() + each * i, each);
  }
  call.charge_copy(each * size);
}

}  // namespace netmod::algorithm
