// The rank that calls a GNI function: its table of live objects.
#include "ugni_emu/gni/caller.h"

#include <vector>

namespace gni {

Objects::~Objects() {
  std::vector<CommunicationDomain*> domains;
  live_.for_each([&](std::uint64_t object, Kind kind) {
    if (kind == Kind::cdm) domains.push_back(reinterpret_cast<CommunicationDomain*>(object));
  });
  for (CommunicationDomain* domain : domains) destroy(*domain);
}

void Objects::destroy(CommunicationDomain& domain) {
  if (domain.attachment != nullptr) destroy_parts(*domain.attachment);
  remove(&domain);
  delete &domain;
}

// First the queues' waiters learn that their queue goes, then the NIC forgets the domain, and
// with it what points to the endpoints and queues that are freed at the end.
void Objects::destroy_parts(nic::Domain& domain) {
  std::vector<nic::Endpoint*> endpoints;
  std::vector<nic::CompletionQueue*> queues;
  live_.for_each([&](std::uint64_t object, Kind kind) {
    if (kind == Kind::endpoint) {
      auto* endpoint = reinterpret_cast<nic::Endpoint*>(object);
      if (endpoint->domain == &domain) endpoints.push_back(endpoint);
    } else if (kind == Kind::queue) {
      auto* queue = reinterpret_cast<nic::CompletionQueue*>(object);
      if (&queue->domain() == &domain) queues.push_back(queue);
    }
  });
  domain.about_to_go(queues);
  for (nic::Endpoint* endpoint : endpoints) {
    remove(endpoint);
    delete endpoint;
  }
  for (nic::CompletionQueue* queue : queues) {
    remove(queue);
    delete queue;
  }
  remove(&domain);
}

Objects& Caller::objects() {
  if (objects_ == nullptr) {
    auto table = std::make_unique<Objects>();
    objects_ = table.get();
    process_->set_state(corespec::Process::Slot::gni, std::move(table));
  }
  return *objects_;
}

}  // namespace gni
