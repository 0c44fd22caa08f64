// The wire's abstract classes: their one home for type information, and what every wire has.
#include "ugni_emu/wire/wire.h"

#include <utility>

#include "ugni_emu/wire/deferred_submit.h"

namespace ugni {

WireClient::~WireClient() = default;
ResponseUrgency WireClient::response_urgency(const Transaction&) { return ResponseUrgency::wakes; }
DirectMemory WireClient::source_memory(const Transaction&) { return {}; }
DirectMemory WireClient::target_memory(const Transaction&) { return {}; }

Wire::Wire() : submits_(std::make_unique<DeferredSubmits>(*this)) {}
Wire::~Wire() = default;
std::uint64_t Wire::expose(const ExposedRegion&) { return 0; }
corespec::DeferredEffect& Wire::submission(const Transaction& transaction, Payload payload) {
  return submits_->take(transaction, std::move(payload));
}
void Wire::conceal(std::uint64_t) {}
void Wire::domain_attached(NicAddress, const DomainName&) {}
void Wire::domain_detached(NicAddress, const DomainName&) {}

}  // namespace ugni
