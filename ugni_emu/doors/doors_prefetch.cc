// What a door is about to touch.
#include "ugni_emu/doors/doors_prefetch.h"

#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/domain.h"

namespace doors {

void prefetch_events(gni_cq_handle_t cq_handle, corespec::LineRequests& lines) {
  reinterpret_cast<const nic::CompletionQueue*>(cq_handle)->prefetch_events(lines);
}

void prefetch_message(gni_ep_handle_t ep_handle, corespec::LineRequests& lines) {
  if (ep_handle != nullptr) lines.add(&reinterpret_cast<const nic::Endpoint*>(ep_handle)->mailbox);
}

void prefetch_datagrams(gni_nic_handle_t nic_handle, corespec::LineRequests& lines) {
  nic::domain_of(nic_handle).prefetch_finished_datagram(lines);
}

}  // namespace doors
