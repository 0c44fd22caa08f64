// Doors: looks at what has arrived, waiting for it, counts. Messages and PUTs are in ugni_emu/gni.
#include "ugni_emu/doors/doors.h"
#include "ugni_emu/nic/completion_queue.h"
#include "ugni_emu/nic/domain.h"
#include "ugni_emu/nic/nic.h"

namespace doors {

bool has_event(gni_cq_handle_t cq_handle) {
  return reinterpret_cast<const nic::CompletionQueue*>(cq_handle)->has_event();
}

bool has_message(gni_ep_handle_t ep_handle) {
  return reinterpret_cast<const nic::Endpoint*>(ep_handle)->mailbox.front() != nullptr;
}

bool has_finished_datagram(gni_nic_handle_t nic_handle) {
  return nic::domain_of(nic_handle).has_finished_datagram();
}

corespec::Signal& arrival_signal(gni_nic_handle_t nic_handle) {
  return nic::domain_of(nic_handle).arrival_signal();
}

corespec::Signal& arrival_signal(corespec::Node& node, std::uint32_t instance,
                                 std::uint32_t cookie) {
  return nic::Domain::arrival_signal_of(node, instance, cookie);
}

void keep_places(gni_nic_handle_t nic_handle) { nic::domain_of(nic_handle).keeps_places = true; }

void nobody_waits_for(gni_cq_handle_t cq_handle) {
  reinterpret_cast<nic::CompletionQueue*>(cq_handle)->make_quiet();
}

bool reads_at_once(gni_ep_handle_t ep_handle) {
  const auto& endpoint = *reinterpret_cast<const nic::Endpoint*>(ep_handle);
  return endpoint.domain->nic().wire().reads_at_once(endpoint.remote_address);
}

const NicStatistics& statistics(gni_nic_handle_t nic_handle) {
  return nic::domain_of(nic_handle).statistics();
}

}  // namespace doors
