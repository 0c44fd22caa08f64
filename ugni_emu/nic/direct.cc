// The NIC and wires that move large data themselves: which memory they may touch.
#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/nic.h"

namespace nic {

using Access = RegionTable::Access;
using ugni::DirectMemory;
using ugni::ResponseStatus;
using ugni::TransactionKind;

DirectMemory Nic::source_memory(const ugni::Transaction& transaction) {
  const Post* post = posts_.find(transaction.initiator_key - 1);
  if (post == nullptr || post->local_handle == 0) return {};
  const bool brings = post->kind == TransactionKind::get;
  const Region* local = local_region(*post, brings ? Access::write : Access::read);
  if (local == nullptr || local->exposed == 0) return {};
  DirectMemory memory = {reinterpret_cast<std::byte*>(post->local_address), local->exposed};
  // Where a flag goes as well, the target looks at both places before it takes either.
  constexpr std::uint8_t not_ahead = transaction_flag::sync_flag | transaction_flag::lost;
  memory.ahead = (transaction.flags & not_ahead) == 0;
  memory.unnoticed = memory.ahead && (transaction.flags & transaction_flag::remote_event) == 0;
  return memory;
}

DirectMemory Nic::target_memory(const ugni::Transaction& transaction) {
  RegionTable* regions = find_regions({transaction.cookie, transaction.ptag});
  const bool lost = (transaction.flags & transaction_flag::lost) != 0;
  if (regions == nullptr || lost) return {};
  const Access access = transaction.kind == TransactionKind::get ? Access::read : Access::write;
  const std::uint64_t handle = transaction.remote_handle.qword1;
  Region* region = nullptr;
  if (regions->check(handle, transaction.remote_address, transaction.length, access, region) !=
          ResponseStatus::ok ||
      region->keeps_payloads) {
    return {};
  }
  if ((transaction.flags & transaction_flag::sync_flag) != 0 &&
      regions->check(handle, transaction.immediate[1], sizeof(std::uint64_t), access, region) !=
          ResponseStatus::ok) {
    return {};
  }
  if (region->exposed == 0) return {};
  return {reinterpret_cast<std::byte*>(transaction.remote_address), region->exposed};
}

}  // namespace nic
