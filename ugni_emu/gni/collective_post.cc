// GNI_PostFma of type GNI_POST_CE: a participant's contribution to a reduction.
#include "ugni_emu/gni/collective_post.h"

#include <cstddef>
#include <limits>

#include "ugni_emu/gni/checked_post.h"
#include "ugni_emu/nic/collective.h"

namespace gni {
namespace {

constexpr std::uint32_t known_ce_modes = GNI_CEMODE_TWO_OP | GNI_CEMODE_FPE_OP_INVAL |
                                         GNI_CEMODE_FPE_OFLOW | GNI_CEMODE_FPE_UFLOW |
                                         GNI_CEMODE_FPE_PRECISION;
// The modes that tell of an exception are its bits, moved by one.
constexpr unsigned exceptions_in_mode = 1;
constexpr std::uint64_t largest_reduction_id = std::numeric_limits<std::uint32_t>::max();

gni_return_t check_collective(const CheckedPost& checked, const nic::CollectiveRole* role) {
  const gni_post_descriptor_t& descriptor = *checked.descriptor;
  if (role == nullptr || role->type != GNI_CE_CHILD_PE ||
      !nic::is_collective_command(static_cast<unsigned>(descriptor.ce_cmd)) ||
      (descriptor.ce_mode & ~known_ce_modes) != 0 || descriptor.ce_red_id > largest_reduction_id ||
      (descriptor.cq_mode & GNI_CQMODE_REMOTE_EVENT) != 0) {
    return GNI_RC_INVALID_PARAM;
  }
  if (descriptor.local_addr % alignof(gni_ce_result_t) != 0) return GNI_RC_ALIGNMENT_ERROR;
  const gni_return_t result = check_local_memory(
      *checked.endpoint->domain, descriptor.local_mem_hndl, descriptor.local_addr,
      sizeof(gni_ce_result_t), nic::RegionTable::Access::write);
  return result == GNI_RC_PERMISSION_ERROR ? GNI_RC_INVALID_PARAM : result;
}

void fill_collective(const nic::Posting& posting, const CheckedPost& checked,
                     const nic::CollectiveRole& role, gni_post_descriptor_t& descriptor) {
  if (checked.queue != nullptr) checked.queue->serve(nic::CompletionQueue::Use::local);
  posting.post->descriptor = &descriptor;
  const nic::CollectiveOperation operation{static_cast<std::uint8_t>(descriptor.ce_cmd),
                                           (descriptor.ce_mode & GNI_CEMODE_TWO_OP) != 0};
  ugni::Transaction& transaction = posting.transaction();
  transaction.delivery_mode = descriptor.dlvr_mode | ugni::in_order;  // see CollectiveEngine
  transaction.target_instance = role.engine;
  transaction.subkind = nic::collective_bits::contribution(
      operation, role.child, (descriptor.ce_mode & ~GNI_CEMODE_TWO_OP) >> exceptions_in_mode);
  transaction.remote_event = static_cast<std::uint32_t>(descriptor.ce_red_id);
  transaction.immediate = {descriptor.first_operand, descriptor.second_operand};
  // Where the engine puts the result.
  transaction.remote_address = descriptor.local_addr;
  transaction.remote_handle = {nic::memory_handle::name_of(descriptor.local_mem_hndl),
                               descriptor.local_mem_hndl.qword2};
}

}  // namespace

gni_return_t post_collective(gni_ep_handle_t ep_hndl, gni_post_descriptor_t& descriptor) {
  const Caller caller("GNI_PostFma");
  const nic::Endpoint* const endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr || !endpoint->domain->nic().is_aries()) return GNI_RC_INVALID_PARAM;
  constexpr auto kind = ugni::TransactionKind::collective;
  CheckedPost checked;
  gni_return_t result = check_post(caller, ep_hndl, &descriptor, kind, checked);
  if (result != GNI_RC_SUCCESS) return result;
  nic::Domain& domain = *checked.endpoint->domain;
  const nic::CollectiveRole* const role = domain.nic().engines().role(*checked.endpoint);
  result = check_collective(checked, role);
  if (result != GNI_RC_SUCCESS) return result;
  caller.charge(fma_cost(caller.parameters(), sizeof(gni_ce_result_t)));
  const nic::Posting posting = domain.nic().begin(caller.thread(), *checked.endpoint, checked.queue,
                                                  kind, events_of(checked));
  if (!posting) return GNI_RC_ERROR_RESOURCE;
  fill_collective(posting, checked, *role, descriptor);
  domain.nic().track(posting);
  // There is no result yet, whatever the memory was used for before.
  reinterpret_cast<gni_ce_result_t*>(descriptor.local_addr)->control = 0;
  caller.thread().defer(*posting.submission);
  ++domain.statistics().fma_descriptors;
  return GNI_RC_SUCCESS;
}

}  // namespace gni
