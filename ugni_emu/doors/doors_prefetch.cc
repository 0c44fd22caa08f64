// What a door is about to touch, prefetched.
#include "ugni_emu/doors/doors_prefetch.h"

#include "ugni_emu/nic/nic_prefetch.h"

namespace doors {

void prefetch_events(gni_cq_handle_t cq_handle, corespec::LineRequests& lines) {
  nic::Prefetch::events(*reinterpret_cast<const nic::CompletionQueue*>(cq_handle), lines);
}

void prefetch_message(gni_ep_handle_t ep_handle, corespec::LineRequests& lines) {
  if (ep_handle != nullptr) lines.add(&reinterpret_cast<const nic::Endpoint*>(ep_handle)->mailbox);
}

void prefetch_datagrams(gni_nic_handle_t nic_handle, corespec::LineRequests& lines) {
  nic::Prefetch::datagrams(nic::domain_of(nic_handle), lines);
}

}  // namespace doors
