// Doors: landing regions.
#include "ugni_emu/doors/doors.h"
#include "ugni_emu/nic/domain.h"
#include "ugni_emu/nic/nic.h"

namespace doors {

bool keep_payloads(gni_nic_handle_t nic_handle, const gni_mem_handle_t& region) {
  nic::Domain& domain = nic::domain_of(nic_handle);
  nic::Region* found = domain.memory().find_local(domain, nic::memory_handle::name_of(region));
  if (found == nullptr || found->domain != &domain) return false;
  found->keeps_payloads = true;
  domain.memory().conceal(*found);  // what it said of the region is no longer true
  domain.memory().expose(*found);
  return true;
}

std::span<const std::byte> landed(gni_nic_handle_t nic_handle, std::uint64_t address) {
  const nic::Message* message = nic::domain_of(nic_handle).landed_at(address);
  if (message == nullptr) return {};
  return message->bytes();
}

ugni::Payload take_landed(gni_nic_handle_t nic_handle, std::uint64_t address) {
  nic::Message* message = nic::domain_of(nic_handle).take_landed(address);
  return message == nullptr ? ugni::Payload() : ugni::Payload(*message);
}

ugni::PayloadPool& payload_pool(gni_nic_handle_t nic_handle) {
  return nic::domain_of(nic_handle).nic().wire().payloads();
}

}  // namespace doors
