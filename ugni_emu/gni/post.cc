// GNI_PostFma, GNI_PostRdma, GNI_PostCqWrite, GNI_GetCompleted.
#include <new>
#include <span>

#include "corespec/host/without_data.h"
#include "ugni_emu/doors/doors.h"
#include "ugni_emu/gni/checked_post.h"
#include "ugni_emu/gni/collective_post.h"
#include "ugni_emu/gni/gni_caller.h"

namespace {

using ugni::TransactionKind;

constexpr std::uint16_t known_rdma_modes =
    GNI_RDMAMODE_PHYS_ADDR | GNI_RDMAMODE_FENCE | GNI_RDMAMODE_GETWC_DIS;

/// `capture(pool)` gives a PUT's bytes. The event brings back `returned`.
template <typename Capture>
gni_return_t post_fma(gni_ep_handle_t ep_hndl, gni_post_descriptor_t* post_descr,
                      gni_post_descriptor_t* returned, const Capture& capture,
                      const char* function = __builtin_FUNCTION()) {
  gni::Caller caller(function);
  TransactionKind kind = TransactionKind::put;
  if (post_descr == nullptr || !gni::fma_kind(post_descr->type, kind)) return GNI_RC_INVALID_PARAM;
  gni::CheckedPost checked;
  gni_return_t result = gni::check_post(caller, ep_hndl, post_descr, kind, checked);
  if (result == GNI_RC_SUCCESS) result = gni::check_fma(checked);
  if (result != GNI_RC_SUCCESS) return result;
  caller.charge(gni::fma_cost(caller.parameters(), post_descr->length));
  nic::Domain& domain = *checked.endpoint->domain;
  ugni::Payload payload;
  try {
    if (kind == TransactionKind::put) payload = capture(domain.nic().wire().payloads());
  } catch (const std::bad_alloc&) {  // of up to 4 GB
    return GNI_RC_ERROR_RESOURCE;
  }
  const nic::Posting posting = domain.nic().begin(caller.thread(), *checked.endpoint, checked.queue,
                                                  kind, gni::events_of(checked));
  if (!posting) return GNI_RC_ERROR_RESOURCE;
  gni::fill(posting, checked, returned);
  posting.submission->payload = std::move(payload);
  caller.thread().defer(*posting.submission);
  ++domain.statistics().fma_descriptors;
  return GNI_RC_SUCCESS;
}

}  // namespace

gni_return_t GNI_PostFma(gni_ep_handle_t ep_hndl, gni_post_descriptor_t* post_descr) {
  if (post_descr != nullptr && post_descr->type == GNI_POST_CE) {
    return gni::post_collective(ep_hndl, *post_descr);
  }
  return post_fma(ep_hndl, post_descr, post_descr, [post_descr](ugni::PayloadPool& pool) {
    const auto* const source = reinterpret_cast<const std::byte*>(post_descr->local_addr);
    if (corespec::without_data::holds(source)) return ugni::Payload();
    return ugni::Payload(pool, std::span(source, post_descr->length));
  });
}

gni_return_t doors::post_fma(gni_ep_handle_t ep_handle, gni_post_descriptor_t* descriptor,
                             std::span<const std::byte> head, std::span<const std::byte> rest,
                             ugni::Loan* loan) {
  if (descriptor == nullptr || descriptor->type != GNI_POST_FMA_PUT ||
      head.size() + rest.size() != descriptor->length) {
    return GNI_RC_INVALID_PARAM;
  }
  return ::post_fma(
      ep_handle, descriptor, nullptr,
      [&](ugni::PayloadPool& pool) { return ugni::Payload(pool, head, rest, loan); },
      "GNI_PostFma");
}

gni_return_t GNI_PostRdma(gni_ep_handle_t ep_hndl, gni_post_descriptor_t* post_descr) {
  gni::Caller caller;
  if (post_descr == nullptr ||
      (post_descr->type != GNI_POST_RDMA_PUT && post_descr->type != GNI_POST_RDMA_GET) ||
      post_descr->length == 0 || (post_descr->rdma_mode & ~known_rdma_modes) != 0) {
    return GNI_RC_INVALID_PARAM;
  }
  if (post_descr->rdma_mode & GNI_RDMAMODE_PHYS_ADDR) return GNI_RC_PERMISSION_ERROR;
  const TransactionKind kind =
      post_descr->type == GNI_POST_RDMA_PUT ? TransactionKind::put : TransactionKind::get;
  gni::CheckedPost checked;
  gni_return_t result = gni::check_post(caller, ep_hndl, post_descr, kind, checked);
  if (result == GNI_RC_SUCCESS) result = gni::check_transfer(checked, true);
  if (result != GNI_RC_SUCCESS) return result;
  caller.charge(caller.parameters().bte_post);
  caller.sync();
  nic::Domain& domain = *checked.endpoint->domain;
  const bool single = (domain.modes() & GNI_CDM_MODE_BTE_SINGLE_CHANNEL) != 0;
  nic::BlockTransferEngine& engine = domain.nic().bte();
  const unsigned channel = single ? domain.bte_channel : engine.pick_channel();
  const nic::Posting posting =
      domain.nic().begin(*checked.endpoint, checked.queue, kind, gni::events_of(checked));
  if (!posting) return GNI_RC_ERROR_RESOURCE;
  gni::fill(posting, checked, post_descr);
  engine.post(channel, posting, (post_descr->rdma_mode & GNI_RDMAMODE_FENCE) != 0);
  ++domain.statistics().bte_descriptors;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_PostCqWrite(gni_ep_handle_t ep_hndl, gni_post_descriptor_t* post_descr) {
  gni::Caller caller;
  if (post_descr == nullptr || post_descr->type != GNI_POST_CQWRITE) return GNI_RC_INVALID_PARAM;
  gni::CheckedPost checked;
  const gni_return_t result =
      gni::check_post(caller, ep_hndl, post_descr, TransactionKind::cq_write, checked);
  if (result != GNI_RC_SUCCESS) return result;
  caller.charge(caller.parameters().fma_post);
  caller.sync();
  nic::Domain& domain = *checked.endpoint->domain;
  const nic::Posting posting = domain.nic().begin(
      *checked.endpoint, checked.queue, TransactionKind::cq_write, gni::events_of(checked));
  if (!posting) return GNI_RC_ERROR_RESOURCE;
  gni::fill(posting, checked, post_descr);
  posting.submission->perform();
  ++domain.statistics().cq_writes;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_GetCompleted(gni_cq_handle_t cq_hndl, gni_cq_entry_t event_data,
                              gni_post_descriptor_t** post_descr) {
  gni::Caller caller;
  nic::CompletionQueue* queue = caller.find(cq_hndl);
  if (queue == nullptr || post_descr == nullptr) return GNI_RC_INVALID_PARAM;
  *post_descr = nullptr;
  if (gni_cq_get_type(event_data) != GNI_CQ_EVENT_TYPE_POST) return GNI_RC_INVALID_PARAM;
  if (gni_cq_get_source(event_data) != 0) return GNI_RC_DESCRIPTOR_ERROR;
  return queue->domain().nic().completed(*queue, event_data, *post_descr);
}
