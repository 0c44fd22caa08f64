// Landing regions.
#include "ugni_emu/nic/landing.h"

#include "ugni_emu/nic/domain.h"
#include "ugni_emu/nic/nic.h"

namespace nic {

bool keep_payloads(gni_nic_handle_t nic_handle, const gni_mem_handle_t& region) {
  Region* found = domain_of(nic_handle).memory().find(region.qword1);
  if (found == nullptr) return false;
  found->keeps_payloads = true;
  return true;
}

std::span<const std::byte> landed(gni_nic_handle_t nic_handle, std::uint64_t address) {
  const Message* message = domain_of(nic_handle).landed_at(address);
  if (message == nullptr) return {};
  return message->bytes();
}

void release_landed(gni_nic_handle_t nic_handle, std::uint64_t address) {
  domain_of(nic_handle).drop_landed(address);
}

}  // namespace nic
