// The NIC and wires that move large data themselves: which memory they may touch.
#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/nic.h"

namespace nic {

using Access = RegionTable::Access;
using ugni::DirectMemory;
using ugni::ResponseStatus;
using ugni::TransactionKind;

void Nic::expose(const Domain& domain, const Region& region) {
  const ugni::ExposedRegion exposed = {
      reinterpret_cast<std::byte*>(region.address),
      region.length,
      ugni::DomainName{domain.id().instance, domain.id().cookie, domain.id().ptag},
      region.address >> memory_handle::page_shift | std::uint64_t{region.mdh} << 52,
      (region.flags & GNI_MEM_READ_ONLY) == 0 && !region.keeps_payloads,
      !region.keeps_payloads,
      region.queue != nullptr && region.queue->blocking()};
  const std::uint64_t registration = wire_->expose(exposed);
  if (registration != 0) exposed_[{&domain, region.mdh}] = registration;
}

void Nic::conceal(const Domain& domain, const Region& region) {
  const auto found = exposed_.find({&domain, region.mdh});
  if (found == exposed_.end()) return;
  wire_->conceal(found->second);
  exposed_.erase(found);
}

void Nic::conceal_all(const Domain& domain) {
  auto at = exposed_.lower_bound({&domain, 0});
  while (at != exposed_.end() && at->first.first == &domain) {
    wire_->conceal(at->second);
    at = exposed_.erase(at);
  }
}

DirectMemory Nic::direct(const Domain& domain, std::uint64_t address, std::uint64_t handle) const {
  const auto mdh = static_cast<std::uint16_t>(memory_handle::mdh_of(handle));
  const auto found = exposed_.find({&domain, mdh});
  if (found == exposed_.end()) return {};
  return {reinterpret_cast<std::byte*>(address), found->second};
}

DirectMemory Nic::source_memory(const ugni::Transaction& transaction) {
  const Post* post = posts_.find(transaction.initiator_key - 1);
  if (post == nullptr || post->local_handle == 0) return {};
  const bool brings = post->kind == TransactionKind::get;
  if (!local_memory_registered(*post, brings ? Access::write : Access::read)) return {};
  DirectMemory memory = direct(*post->domain, post->local_address, post->local_handle);
  // Where a flag goes as well, the target looks at both places before it takes either.
  memory.ahead = (transaction.flags & transaction_flag::sync_flag) == 0;
  memory.unnoticed = memory.ahead && (transaction.flags & transaction_flag::remote_event) == 0;
  return memory;
}

DirectMemory Nic::target_memory(const ugni::Transaction& transaction) {
  Domain* domain = find_domain({transaction.target_instance, transaction.cookie, transaction.ptag});
  if (domain == nullptr) return {};
  const Access access = transaction.kind == TransactionKind::get ? Access::read : Access::write;
  const std::uint64_t handle = transaction.remote_handle.qword1;
  Region* region = nullptr;
  if (domain->memory().check(handle, transaction.remote_address, transaction.length, access,
                             region) != ResponseStatus::ok ||
      region->keeps_payloads) {
    return {};
  }
  if ((transaction.flags & transaction_flag::sync_flag) != 0 &&
      domain->memory().check(handle, transaction.immediate[1], sizeof(std::uint64_t), access,
                             region) != ResponseStatus::ok) {
    return {};
  }
  return direct(*domain, transaction.remote_address, handle);
}

}  // namespace nic
