// The collective engines of a NIC: their ids, and what is for which of them.
#include "ugni_emu/nic/collective_engines.h"

#include <algorithm>

#include "corespec/host/check.h"
#include "ugni_emu/nic/domain.h"
#include "ugni_emu/nic/endpoint.h"
#include "ugni_emu/nic/nic.h"
#include "ugni_emu/wire/collective_id.h"

namespace nic {

CollectiveEngines::Name CollectiveEngines::add(CollectiveEngine& engine) {
  auto place = std::find(engines_.begin(), engines_.end(), nullptr);
  if (place == engines_.end()) place = engines_.insert(engines_.end(), nullptr);
  *place = &engine;
  const auto number = static_cast<std::uint32_t>(place - engines_.begin());
  CASTOR_CHECK(number < ugni::collective_id::most_numbers, "more collective engines than ids");
  return {ugni::collective_id::make(engine.domain().place(), number), next_serial_++};
}

void CollectiveEngines::remove(const CollectiveEngine& engine) {
  engines_[ugni::collective_id::number_of(engine.id())] = nullptr;
}

CollectiveEngine* CollectiveEngines::find(std::uint32_t id) const {
  const std::uint32_t number = ugni::collective_id::number_of(id);
  CollectiveEngine* const engine = number < engines_.size() ? engines_[number] : nullptr;
  return engine != nullptr && engine->id() == id ? engine : nullptr;
}

void CollectiveEngines::set_role(const Endpoint& endpoint, const CollectiveRole& role) {
  forget(endpoint);
  if (role.type != GNI_CE_CHILD_UNUSED) edges_.push_back({&endpoint, role});
}

const CollectiveRole* CollectiveEngines::role(const Endpoint& endpoint) const {
  const auto found = std::find_if(edges_.begin(), edges_.end(),
                                  [&](const Edge& each) { return each.endpoint == &endpoint; });
  return found == edges_.end() ? nullptr : &found->role;
}

void CollectiveEngines::forget(const Endpoint& endpoint) {
  std::erase_if(edges_, [&](const Edge& each) { return each.endpoint == &endpoint; });
}

void CollectiveEngines::forget(const Domain& domain) {
  std::erase_if(edges_, [&](const Edge& each) { return each.endpoint->domain == &domain; });
}

void CollectiveEngines::forget(const CompletionQueue& queue) {
  for (CollectiveEngine* engine : engines_) {
    if (engine != nullptr) engine->forget(queue);
  }
}

ugni::ResponseStatus CollectiveEngines::arrived(const ugni::Transaction& transaction) {
  CollectiveEngine* const engine = find(transaction.target_instance);
  const ugni::ProtectionName name{transaction.cookie, transaction.ptag};
  if (engine == nullptr || engine->domain().id().protection() != name) {
    return ugni::ResponseStatus::no_such_child;
  }
  const bool result = (transaction.flags & transaction_flag::result) != 0;
  return result ? engine->result_arrived(transaction) : engine->contribution_arrived(transaction);
}

void CollectiveEngines::refused(const ugni::Transaction& transaction, ugni::ResponseStatus status) {
  CollectiveEngine* const engine = find(transaction.source_instance);
  if (engine != nullptr) engine->refused(transaction, status);
}

void CollectiveEngines::fire(std::uint64_t argument) {
  const auto found = std::find_if(engines_.begin(), engines_.end(), [&](const auto* engine) {
    return engine != nullptr && engine->serial() == argument >> 1;
  });
  if (found == engines_.end()) return;  // it is gone
  (*found)->take(static_cast<CollectiveEngine::Step>(argument & 1));
}

}  // namespace nic
