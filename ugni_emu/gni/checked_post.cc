// Checks of posted descriptors, and what they become.
#include "ugni_emu/gni/checked_post.h"

#include "ugni_emu/nic/atomic.h"
#include "ugni_emu/nic/cq_entry_bits.h"

namespace gni {
namespace {

using Access = nic::RegionTable::Access;
using ugni::ResponseStatus;
using ugni::TransactionKind;

constexpr std::uint16_t local_events = GNI_CQMODE_DUAL_EVENTS;
constexpr std::uint16_t known_cq_modes = GNI_CQMODE_DUAL_EVENTS | GNI_CQMODE_REMOTE_EVENT;
constexpr std::uint16_t known_delivery_modes = 0x01FF;
constexpr std::uint64_t largest_transfer = 0xFFFFFFFF;
constexpr std::uint64_t get_alignment = 4;
constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);

bool misaligned(std::uint64_t value, std::uint64_t alignment) { return value % alignment != 0; }

gni_return_t local_memory(nic::Domain& domain, const gni_post_descriptor_t& descriptor,
                          Access access) {
  return check_local_memory(domain, descriptor.local_mem_hndl, descriptor.local_addr,
                            descriptor.length, access);
}

}  // namespace

gni_return_t check_local_memory(nic::Domain& domain, const gni_mem_handle_t& handle,
                                std::uint64_t address, std::uint64_t length, Access access) {
  nic::Region* region = nullptr;
  switch (domain.memory().check_local(domain, nic::memory_handle::name_of(handle), address, length,
                                      access, region)) {
    case ResponseStatus::ok:
      return GNI_RC_SUCCESS;
    case ResponseStatus::permission:
      return GNI_RC_PERMISSION_ERROR;
    case ResponseStatus::no_such_domain:
    case ResponseStatus::invalid_handle:
    case ResponseStatus::out_of_bounds:
    case ResponseStatus::lost:
    case ResponseStatus::event_lost:
    case ResponseStatus::no_such_child:
    case ResponseStatus::other_reduction:
    case ResponseStatus::without_data:
    case ResponseStatus::unreachable:
      break;
  }
  return GNI_RC_INVALID_PARAM;
}

gni_return_t check_post(const Caller& caller, gni_ep_handle_t ep_hndl,
                        const gni_post_descriptor_t* descriptor, TransactionKind kind,
                        CheckedPost& checked) {
  nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr || descriptor == nullptr || !endpoint->bound) {
    return GNI_RC_INVALID_PARAM;
  }
  nic::Domain& domain = *endpoint->domain;
  const std::uint16_t mode = descriptor->cq_mode;
  if ((mode & ~known_cq_modes) != 0 || (descriptor->dlvr_mode & ~known_delivery_modes) != 0 ||
      ((mode & local_events) == local_events && !domain.dual_events())) {
    return GNI_RC_INVALID_PARAM;
  }
  nic::CompletionQueue* queue = endpoint->queue;
  if (descriptor->src_cq_hndl != nullptr) {
    queue = caller.find(descriptor->src_cq_hndl);
    if (queue == nullptr || &queue->domain() != &domain ||
        !queue->can_serve(nic::CompletionQueue::Use::local)) {
      return GNI_RC_INVALID_PARAM;
    }
  }
  if ((mode & local_events) != 0 && queue == nullptr) return GNI_RC_INVALID_PARAM;
  checked = {endpoint, queue, descriptor, kind, 0};
  return GNI_RC_SUCCESS;
}

gni_return_t check_transfer(CheckedPost& checked, bool local_registration) {
  const gni_post_descriptor_t& descriptor = *checked.descriptor;
  const bool get = checked.kind == TransactionKind::get;
  // Only in a region of segments is 0 an address.
  const bool nowhere = descriptor.local_addr == 0 && descriptor.length != 0;
  if (descriptor.length > largest_transfer || (nowhere && !local_registration)) {
    return GNI_RC_INVALID_PARAM;
  }
  // An Aries puts what it gets where it is told to.
  const bool any_local = checked.endpoint->domain->nic().is_aries();
  if (get && ((!any_local && misaligned(descriptor.local_addr, get_alignment)) ||
              misaligned(descriptor.remote_addr, get_alignment) ||
              misaligned(descriptor.length, get_alignment))) {
    return GNI_RC_ALIGNMENT_ERROR;
  }
  if (local_registration) {
    const gni_return_t result =
        local_memory(*checked.endpoint->domain, descriptor, get ? Access::write : Access::read);
    if (result != GNI_RC_SUCCESS) return result;
    checked.local_handle = nic::memory_handle::name_of(descriptor.local_mem_hndl);
  }
  return GNI_RC_SUCCESS;
}

namespace {

gni_return_t check_atomic(CheckedPost& checked) {
  const gni_post_descriptor_t& descriptor = *checked.descriptor;
  const bool known = checked.endpoint->domain->nic().is_aries()
                         ? nic::is_aries_atomic(descriptor.amo_cmd)
                         : nic::is_gemini_atomic(descriptor.amo_cmd);
  if (!known) return GNI_RC_INVALID_PARAM;
  // Of commands with two operands some programs give the operands' length, not the word's.
  const std::size_t bytes = nic::word_bytes(descriptor.amo_cmd);
  const bool of_operands =
      descriptor.length == 2 * bytes && nic::has_two_operands(descriptor.amo_cmd);
  if (descriptor.length != bytes && !of_operands) return GNI_RC_INVALID_PARAM;
  const bool fetch = nic::fetches(descriptor.amo_cmd);
  if (misaligned(descriptor.remote_addr, bytes) ||
      (fetch && misaligned(descriptor.local_addr, bytes))) {
    return GNI_RC_ALIGNMENT_ERROR;
  }
  if (fetch) {
    if (local_memory(*checked.endpoint->domain, descriptor, Access::write) != GNI_RC_SUCCESS) {
      return GNI_RC_INVALID_PARAM;
    }
    checked.local_handle = nic::memory_handle::name_of(descriptor.local_mem_hndl);
  }
  return GNI_RC_SUCCESS;
}

}  // namespace

gni_return_t check_fma(CheckedPost& checked) {
  const gni_post_descriptor_t& descriptor = *checked.descriptor;
  if (checked.kind == TransactionKind::atomic) return check_atomic(checked);
  const bool get = checked.kind == TransactionKind::get;
  if (get && descriptor.length == 0) return GNI_RC_INVALID_PARAM;
  const gni_return_t result = check_transfer(checked, get);
  if (result == GNI_RC_PERMISSION_ERROR) return GNI_RC_INVALID_PARAM;
  if (result == GNI_RC_SUCCESS && descriptor.type == GNI_POST_FMA_PUT_W_SYNCFLAG &&
      misaligned(descriptor.sync_flag_addr, word_bytes)) {
    return GNI_RC_ALIGNMENT_ERROR;
  }
  return result;
}

std::uint8_t events_of(const CheckedPost& checked) {
  return static_cast<std::uint8_t>(checked.descriptor->cq_mode & local_events);
}

/// All but telemetry's part.
static void fill_in(const nic::Posting& posting, const CheckedPost& checked,
                    gni_post_descriptor_t* returned) {
  const gni_post_descriptor_t& descriptor = *checked.descriptor;
  nic::Post& post = *posting.post;
  if (checked.queue != nullptr) checked.queue->serve(nic::CompletionQueue::Use::local);
  post.descriptor = returned;
  ugni::Transaction& transaction = posting.transaction();
  transaction.delivery_mode = descriptor.dlvr_mode;
  transaction.remote_handle = {nic::memory_handle::name_of(descriptor.remote_mem_hndl),
                               descriptor.remote_mem_hndl.qword2};
  if (descriptor.cq_mode & GNI_CQMODE_REMOTE_EVENT) {
    transaction.flags |= nic::transaction_flag::remote_event;
  }
  if (checked.kind == TransactionKind::cq_write) {
    transaction.immediate[0] = descriptor.cqwrite_value & nic::cq_entry::data_mask;
    return;
  }
  const bool atomic = checked.kind == TransactionKind::atomic;
  // An AMO that fetches nothing has no place for it.
  if (!atomic || checked.local_handle != 0) post.local_address = descriptor.local_addr;
  post.local_handle = checked.local_handle;
  const std::uint64_t length = atomic ? nic::word_bytes(descriptor.amo_cmd) : descriptor.length;
  post.length = static_cast<std::uint32_t>(length);
  transaction.length = length;
  transaction.remote_address = descriptor.remote_addr;
  if (atomic) {
    transaction.subkind = static_cast<std::uint16_t>(descriptor.amo_cmd);
    transaction.immediate = {descriptor.first_operand, descriptor.second_operand};
  } else if (descriptor.type == GNI_POST_FMA_PUT_W_SYNCFLAG) {
    transaction.flags |= nic::transaction_flag::sync_flag;
    transaction.immediate = {descriptor.sync_flag_value, descriptor.sync_flag_addr};
  }
}

void fill(const nic::Posting& posting, const CheckedPost& checked,
          gni_post_descriptor_t* returned) {
  fill_in(posting, checked, returned);
  checked.endpoint->domain->nic().track(posting);
}

bool fma_kind(gni_post_type_t type, TransactionKind& kind) {
  switch (type) {
    case GNI_POST_FMA_PUT:
    case GNI_POST_FMA_PUT_W_SYNCFLAG:
      kind = TransactionKind::put;
      return true;
    case GNI_POST_FMA_GET:
      kind = TransactionKind::get;
      return true;
    case GNI_POST_AMO:
      kind = TransactionKind::atomic;
      return true;
    default:  // the other FMA types are Aries'
      return false;
  }
}

corespec::Time fma_cost(const corespec::Parameters& parameters, std::uint64_t bytes) {
  const auto window = static_cast<std::uint64_t>(parameters.packet_payload);
  return parameters.fma_post +
         parameters.fma_store * static_cast<std::int64_t>((bytes + window - 1) / window);
}

}  // namespace gni
