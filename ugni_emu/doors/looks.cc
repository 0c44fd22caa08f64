// Looks at what has arrived.
#include "ugni_emu/doors/looks.h"

#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/domain.h"

namespace nic {

bool has_event(gni_cq_handle_t cq_handle) {
  return reinterpret_cast<const CompletionQueue*>(cq_handle)->has_event();
}

void prefetch_events(gni_cq_handle_t cq_handle, corespec::LineRequests& lines) {
  reinterpret_cast<const CompletionQueue*>(cq_handle)->prefetch_events(lines);
}

bool has_message(gni_ep_handle_t ep_handle) {
  return reinterpret_cast<const Endpoint*>(ep_handle)->mailbox.front() != nullptr;
}

void prefetch_message(gni_ep_handle_t ep_handle, corespec::LineRequests& lines) {
  if (ep_handle != nullptr) lines.add(&reinterpret_cast<const Endpoint*>(ep_handle)->mailbox);
}

void nobody_waits_for(gni_cq_handle_t cq_handle) {
  reinterpret_cast<CompletionQueue*>(cq_handle)->make_quiet();
}

void prefetch_datagrams(gni_nic_handle_t nic_handle, corespec::LineRequests& lines) {
  domain_of(nic_handle).prefetch_finished_datagram(lines);
}

bool has_finished_datagram(gni_nic_handle_t nic_handle) {
  return domain_of(nic_handle).has_finished_datagram();
}

}  // namespace nic
