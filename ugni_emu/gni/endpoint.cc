// GNI_Ep*: endpoints (datagrams have a file of their own).
#include <new>

#include "ugni_emu/gni/gni_caller.h"

namespace {

bool idle(const nic::Endpoint& endpoint) {
  nic::Domain& domain = *endpoint.domain;
  return !domain.nic().has_unanswered(endpoint) && !domain.datagrams().pending_on(endpoint);
}

}  // namespace

gni_return_t GNI_EpCreate(gni_nic_handle_t nic_hndl, gni_cq_handle_t src_cq_hndl,
                          gni_ep_handle_t* ep_hndl) try {
  gni::Caller caller;
  nic::Domain* domain = caller.find(nic_hndl);
  if (domain == nullptr || ep_hndl == nullptr) return GNI_RC_INVALID_PARAM;
  nic::CompletionQueue* queue = nullptr;
  if (src_cq_hndl != nullptr) {
    queue = caller.find(src_cq_hndl);
    if (queue == nullptr || &queue->domain() != domain ||
        !queue->can_serve(nic::CompletionQueue::Use::local)) {
      return GNI_RC_INVALID_PARAM;
    }
  }
  auto* endpoint = caller.objects().make<nic::Endpoint>(*domain, queue);
  if (queue != nullptr) {
    queue->serve(nic::CompletionQueue::Use::local);
    queue->add_endpoint();
  }
  *ep_hndl = reinterpret_cast<gni_ep_handle_t>(endpoint);
  return GNI_RC_SUCCESS;
} catch (const std::bad_alloc&) {
  return GNI_RC_ERROR_RESOURCE;
}

gni_return_t GNI_EpSetEventData(gni_ep_handle_t ep_hndl, uint32_t local_event,
                                uint32_t remote_event) {
  gni::Caller caller;
  nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr) return GNI_RC_INVALID_PARAM;
  endpoint->local_event = local_event;
  endpoint->remote_event = remote_event;
  endpoint->words_set = true;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_EpBind(gni_ep_handle_t ep_hndl, uint32_t remote_addr, uint32_t remote_id) {
  gni::Caller caller;
  nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr || endpoint->bound) return GNI_RC_INVALID_PARAM;
  caller.sync();
  // A wildcard datagram still waits for any peer: the endpoint is not free yet.
  if (endpoint->domain->datagrams().pending_on(*endpoint)) return GNI_RC_ERROR_RESOURCE;
  endpoint->remote_address = remote_addr;
  endpoint->remote_instance = remote_id;
  endpoint->bound = true;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_EpUnbind(gni_ep_handle_t ep_hndl) {
  gni::Caller caller;
  nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr) return GNI_RC_INVALID_PARAM;
  caller.sync();
  if (!idle(*endpoint)) return GNI_RC_NOT_DONE;
  endpoint->domain->close_mailbox(*endpoint);
  endpoint->bound = false;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_EpIdle(gni_ep_handle_t ep_hndl) {
  gni::Caller caller;
  const nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr) return GNI_RC_INVALID_PARAM;
  caller.sync();
  return idle(*endpoint) ? GNI_RC_SUCCESS : GNI_RC_NOT_DONE;
}

gni_return_t GNI_EpDestroy(gni_ep_handle_t ep_hndl) {
  gni::Caller caller;
  nic::Endpoint* endpoint = caller.find(ep_hndl);
  if (endpoint == nullptr) return GNI_RC_INVALID_PARAM;
  caller.sync();
  endpoint->domain->forget(*endpoint);
  caller.objects().destroy(*endpoint);
  return GNI_RC_SUCCESS;
}
