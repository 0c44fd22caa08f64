// The wire's abstract classes: their one home for type information, and what every wire has.
#include "ugni_emu/wire/wire.h"

namespace ugni {

WireClient::~WireClient() = default;
bool WireClient::has_source_data(const Transaction&) { return true; }
ResponseUrgency WireClient::response_urgency(const Transaction&) { return ResponseUrgency::wakes; }
DirectMemory WireClient::source_memory(const Transaction&) { return {}; }
DirectMemory WireClient::target_memory(const Transaction&) { return {}; }

Wire::~Wire() = default;
std::uint64_t Wire::expose(const ExposedRegion&) { return 0; }
void Wire::conceal(std::uint64_t) {}
bool Wire::reads_at_once(NicAddress) const { return false; }

bool Wire::read_registers(NicAddress, RegisterRead&) { return false; }
bool Wire::claim_region(NicAddress, const ProtectionName&, std::uint16_t) { return true; }
void Wire::release_region(NicAddress, const ProtectionName&, std::uint16_t) {}
std::uint32_t Wire::regions_of_others(NicAddress, const ProtectionName&) const { return 0; }
bool Wire::domain_attached(NicAddress, const DomainName&) { return true; }
void Wire::domain_detached(NicAddress, const DomainName&) {}
NicFaults* Wire::faults_at(NicAddress) { return nullptr; }

}  // namespace ugni
