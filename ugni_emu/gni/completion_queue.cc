// GNI_Cq*: making, polling and masking completion queues, and what their errors mean.
#include <cstdio>
#include <cstring>
#include <new>

#include "ugni_emu/gni/gni_caller.h"
#include "ugni_emu/gni/transaction_error.h"
#include "ugni_emu/nic/cq_entry_bits.h"

namespace {

constexpr gni_cq_mode_t known_modes =
    GNI_CQ_BLOCKING | GNI_CQ_PHYS_PAGES | GNI_CQ_UNMANAGED | GNI_CQ_NOAUTOFILL;

const char* text_of(ugni::ResponseStatus status) {
  switch (status) {
    case ugni::ResponseStatus::ok:
      return "no error";
    case ugni::ResponseStatus::no_such_domain:
      return "transaction error: no communication domain with this tag and cookie there";
    case ugni::ResponseStatus::invalid_handle:
      return "transaction error: the memory handle names no registered region";
    case ugni::ResponseStatus::permission:
      return "transaction error: the region does not permit this access";
    case ugni::ResponseStatus::out_of_bounds:
      return "transaction error: address outside the registered region";
    case ugni::ResponseStatus::lost:
      return "transaction error: lost on the network; the same again does no harm";
    case ugni::ResponseStatus::no_such_child:
      return "transaction error: the collective engine is not there or has no such child";
    case ugni::ResponseStatus::other_reduction:
      return "transaction error: the engine's other children take part in another reduction";
    case ugni::ResponseStatus::without_data:
      return "transaction error: memory without data (MPI_Alloc_mem with castor_data=none) on one "
             "side, or where a value is wanted; both sides must have it, or neither";
    case ugni::ResponseStatus::unreachable:
      return "transaction error: no way to the node, or no response from it";
    case ugni::ResponseStatus::event_lost:
      break;  // an entry says it elsewhere
  }
  return nullptr;
}

}  // namespace

gni_return_t GNI_CqCreate(gni_nic_handle_t nic_hndl, uint32_t entry_count, uint32_t delay_count,
                          gni_cq_mode_t mode, void (*handler)(gni_cq_entry_t*, void*),
                          void* context, gni_cq_handle_t* cq_hndl) try {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || entry_count == 0 || cq_hndl == nullptr || (mode & ~known_modes) != 0) {
    return GNI_RC_INVALID_PARAM;
  }
  auto* queue =
      caller.objects().make_queue(*domain, entry_count, delay_count, mode, handler, context);
  if (queue == nullptr) return GNI_RC_ERROR_RESOURCE;
  *cq_hndl = reinterpret_cast<gni_cq_handle_t>(queue);
  return GNI_RC_SUCCESS;
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_RESOURCE;
}

gni_return_t GNI_CqDestroy(gni_cq_handle_t cq_hndl) {
  gni::Caller caller;
  nic::CompletionQueue* queue = caller.find(cq_hndl);
  if (queue == nullptr) return GNI_RC_INVALID_PARAM;
  if (queue->in_use_by_endpoints()) return GNI_RC_ERROR_RESOURCE;
  caller.sync();
  queue->domain().forget(*queue);
  nic::Waiters& waiters = queue->domain().nic().waiters();
  const nic::CompletionChannel* const channel = queue->channel();
  caller.objects().destroy_queue(*queue);
  if (channel != nullptr) waiters.wake(*channel, false);  // it may have been armed
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_CqGetEvent(gni_cq_handle_t cq_hndl, gni_cq_entry_t* event_data) {
  gni::Caller caller;
  nic::CompletionQueue* queue = caller.find(cq_hndl);
  if (queue == nullptr || event_data == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().cq_poll);
  caller.sync_unless(queue->has_event());
  const gni::ErrorEnd end = gni::error_end(*queue);
  const gni_return_t result = queue->pop(*event_data);
  if (result != GNI_RC_NOT_DONE) caller.charge(caller.parameters().cq_event);
  return gni::end_on_error(caller, end, *event_data, result);
}

gni_return_t GNI_CqTestEvent(gni_cq_handle_t cq_hndl) {
  gni::Caller caller;
  const nic::CompletionQueue* queue = caller.find(cq_hndl);
  if (queue == nullptr) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().cq_poll);
  caller.sync();
  if (queue->overrun()) return GNI_RC_ERROR_RESOURCE;
  return queue->has_event() ? GNI_RC_SUCCESS : GNI_RC_NOT_DONE;
}

gni_return_t GNI_CqInterruptMask(gni_cq_handle_t cq_hndl) {
  gni::Caller caller;
  nic::CompletionQueue* queue = caller.find(cq_hndl);
  if (queue == nullptr || !queue->blocking()) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  if (!queue->mask()) return GNI_RC_ERROR_RESOURCE;
  queue->domain().nic().waiters().wake(*queue, false);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_CqInterruptUnmask(gni_cq_handle_t cq_hndl) {
  gni::Caller caller;
  nic::CompletionQueue* queue = caller.find(cq_hndl);
  if (queue == nullptr || !queue->blocking()) return GNI_RC_INVALID_PARAM;
  caller.charge(caller.parameters().system_call);
  caller.sync();
  if (!queue->unmask()) return GNI_RC_NOT_DONE;
  if (queue->tell_channel()) queue->domain().nic().waiters().wake(*queue->channel(), false);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_CqErrorStr(gni_cq_entry_t entry, void* buffer, uint32_t len) {
  const char* text = GNI_CQ_OVERRUN(entry) ? "completion queue overrun: an event was lost"
                                           : text_of(nic::cq_entry::status_in(entry));
  if (buffer == nullptr || len == 0 || text == nullptr) return GNI_RC_INVALID_PARAM;
  const std::size_t needed = std::strlen(text) + 1;
  if (needed > len) return GNI_RC_SIZE_ERROR;
  std::memcpy(buffer, text, needed);
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_CqErrorRecoverable(gni_cq_entry_t entry, uint32_t* recoverable) {
  if (recoverable == nullptr || text_of(nic::cq_entry::status_in(entry)) == nullptr) {
    return GNI_RC_INVALID_PARAM;
  }
  const ugni::ResponseStatus status = nic::cq_entry::status_in(entry);
  if (status == ugni::ResponseStatus::ok && !GNI_CQ_OVERRUN(entry)) return GNI_RC_INVALID_STATE;
  // Where the target refused the same post would be refused again; a lost event does not come back.
  *recoverable = status == ugni::ResponseStatus::lost ? 1 : 0;
  return GNI_RC_SUCCESS;
}
