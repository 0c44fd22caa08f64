// Occasions, counted and drawn.
#include "ugni_emu/faults/occasions.h"

#include <algorithm>

namespace faults {
namespace {

constexpr std::uint64_t stream_of_faults = 0x6661756C74ull << 24;

std::uint64_t seed_of(const FaultPlan& plan, std::optional<int> rank) {
  if (!rank) return plan.seed();
  return corespec::RandomStream(plan.seed(), static_cast<std::uint64_t>(*rank)).next();
}

}  // namespace

Occasions::Occasions(const FaultPlan& plan, ugni::NicAddress node, std::optional<int> rank)
    : plan_(plan), node_(node), rank_(rank) {
  const std::uint64_t seed = seed_of(plan, rank);
  for (std::size_t rule = 0; rule < plan.rules().size(); ++rule) {
    const std::uint64_t stream = (stream_of_faults + rule) << 24 ^ node;
    states_.push_back({0, 0, corespec::RandomStream(seed, stream)});
  }
}

bool Occasions::is_here(const Trigger& trigger) const {
  return (!trigger.node || *trigger.node == node_) && (!trigger.rank || trigger.rank == rank_);
}

bool Occasions::has(FaultKind kind) const {
  return std::any_of(plan_.rules().begin(), plan_.rules().end(), [&](const FaultRule& rule) {
    return rule.kind == kind && is_here(rule.trigger);
  });
}

std::uint32_t Occasions::strike(FaultKind kind, std::uint32_t transactions, ugni::NicAddress peer,
                                corespec::Time now) {
  std::uint32_t found = 0;
  for (std::uint32_t rule = 0; rule < states_.size(); ++rule) {
    const FaultRule& each = plan_.rules()[rule];
    if (each.kind != kind || (each.transactions & transactions) == 0) continue;
    if (is_hit(rule, peer, now) && found == 0) found = rule + 1;
  }
  return found;
}

bool Occasions::is_hit(std::uint32_t rule, ugni::NicAddress peer, corespec::Time now) {
  const Trigger& trigger = plan_.rules()[rule].trigger;
  if (!is_here(trigger)) return false;
  if (trigger.peer && *trigger.peer != peer) return false;
  if (now < trigger.at || now >= trigger.until) return false;
  State& state = states_[rule];
  const std::uint64_t occasion = ++state.occasions;
  bool hit = false;
  if (trigger.nth != 0) {
    hit = occasion >= trigger.nth && occasion - trigger.nth < trigger.times;
  } else {
    const bool drawn = trigger.probability == 1 || state.random.uniform() < trigger.probability;
    hit = drawn && state.struck < trigger.times;
  }
  if (!hit) return false;
  ++state.struck;
  return happens({rule + 1, node_, occasion}, peer, now);
}

bool Occasions::happens(const FaultName& name, ugni::NicAddress peer, corespec::Time now) {
  if (!plan_.happens(name)) return false;
  ++count_;
  const Fault fault{name, rule(name.rule).kind, now, peer};
  if (faults_.size() < most_kept) faults_.push_back(fault);
  if (listener_) listener_(fault);
  return true;
}

}  // namespace faults
