// Applying an operation to a run of elements, and what that costs.
#include "netmod/mpi/operations/op.h"

#include <algorithm>
#include <memory>

#include "corespec/config/parameters.h"
#include "corespec/threads/node.h"
#include "corespec/threads/rank_memory.h"
#include "corespec/threads/thread.h"

namespace netmod {

void Reduction::charge(std::int64_t count) const {
  if (count == 0 || type_.size == 0) return;
  if (corespec::Thread* thread = corespec::this_thread_or_null()) {
    thread->charge(thread->node().parameters().reduce_element * basic_elements(count));
  }
}

void Reduction::apply(const std::byte* in, std::byte* inout, std::int64_t count) const {
  if (count == 0 || type_.size == 0) return;
  charge(count);
  if (predefined()) {
    combine(in, Operand::first, inout, count);
    return;
  }
  // The program's function is given the number of elements as an int.
  constexpr std::int64_t most = INT32_MAX;
  for (; count > most; count -= most, in += bytes(most), inout += bytes(most)) {
    apply_user(in, inout, static_cast<int>(most));
  }
  apply_user(in, inout, static_cast<int>(count));
}

// A user's function sees its elements where its datatype puts them.
void Reduction::apply_user(const std::byte* in, std::byte* inout, int count) const {
  const corespec::RankMemory own;
  int length = count;
  MPI_Datatype handle = type_.handle;
  auto* packed_in = const_cast<std::byte*>(in);  // MPI_User_function has no const
  if (type_.contiguous()) {
    user_.function(packed_in, inout, &length, &handle);
    return;
  }
  const Datatype& layout = *type_.layout;
  const std::int64_t span = (std::int64_t{count} - 1) * layout.extent();
  const std::int64_t lowest = layout.true_lb + std::min<std::int64_t>(0, span);
  const std::int64_t highest = layout.true_ub + std::max<std::int64_t>(0, span);
  const auto bytes = static_cast<std::size_t>(highest - lowest);
  const auto first = std::make_unique<std::byte[]>(bytes);
  const auto second = std::make_unique<std::byte[]>(bytes);
  unpack(type_, in, type_.size * count, first.get() - lowest);
  unpack(type_, inout, type_.size * count, second.get() - lowest);
  user_.function(first.get() - lowest, second.get() - lowest, &length, &handle);
  pack(type_, second.get() - lowest, count, inout);
}

}  // namespace netmod
