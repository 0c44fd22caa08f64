// Occasions, counted and drawn.
#include "ugni_emu/faults/node_faults.h"

#include <algorithm>

namespace faults {
namespace {

constexpr std::uint64_t stream_of_faults = 0x6661756C74ull << 24;
constexpr std::uint32_t any_transaction = ~0U;

}  // namespace

NodeFaults::NodeFaults(const FaultPlan& plan, ugni::NicAddress node, corespec::EventDomain& domain)
    : plan_(plan), node_(node), domain_(domain) {
  for (std::size_t rule = 0; rule < plan.rules().size(); ++rule) {
    const std::uint64_t stream = (stream_of_faults + rule) << 24 ^ node;
    states_.push_back({0, 0, corespec::RandomStream(plan.seed(), stream)});
  }
}

corespec::Time NodeFaults::refuses_post(ugni::TransactionKind kind, ugni::NicAddress target) {
  const std::uint32_t hit = first_hit(FaultKind::post_refused, transaction_bit(kind), target);
  return hit == 0 ? corespec::Time() : plan_.rules()[hit - 1].by;
}

bool NodeFaults::loses_message(ugni::NicAddress target) {
  return first_hit(FaultKind::message_lost, any_transaction, target) != 0;
}

bool NodeFaults::may_lose_messages() const {
  constexpr std::uint32_t messages = transaction_bit(ugni::TransactionKind::message);
  return std::any_of(plan_.rules().begin(), plan_.rules().end(), [this](const FaultRule& rule) {
    const bool is_here = !rule.trigger.node || *rule.trigger.node == node_;
    const bool fails = rule.kind == FaultKind::post_fails && (rule.transactions & messages) != 0;
    return is_here && (fails || rule.kind == FaultKind::message_lost);
  });
}

bool NodeFaults::refuses_registration() {
  return first_hit(FaultKind::register_fails, any_transaction, node_) != 0;
}

bool NodeFaults::drops_event(ugni::NicAddress source) {
  return first_hit(FaultKind::cq_overrun, any_transaction, source) != 0;
}

std::uint32_t NodeFaults::strike(FaultKind kind, ugni::TransactionKind transaction,
                                 ugni::NicAddress peer) {
  return first_hit(kind, transaction_bit(transaction), peer);
}

/// All statements count the occasion, whichever of them strikes.
std::uint32_t NodeFaults::first_hit(FaultKind kind, std::uint32_t transactions,
                                    ugni::NicAddress peer) {
  std::uint32_t found = 0;
  for (std::uint32_t rule = 0; rule < states_.size(); ++rule) {
    const FaultRule& each = plan_.rules()[rule];
    if (each.kind != kind || (each.transactions & transactions) == 0) continue;
    if (is_hit(rule, peer) && found == 0) found = rule + 1;
  }
  return found;
}

bool NodeFaults::is_hit(std::uint32_t rule, ugni::NicAddress peer) {
  const Trigger& trigger = plan_.rules()[rule].trigger;
  if (trigger.node && *trigger.node != node_) return false;
  if (trigger.peer && *trigger.peer != peer) return false;
  const corespec::Time now = domain_.now();
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
  const FaultName name{rule + 1, node_, occasion};
  if (!plan_.happens(name)) return false;
  note(name, peer);
  return true;
}

bool NodeFaults::fails() {
  const FaultName name{plan_.death_rule_of(node_), node_, 1};
  if (!plan_.happens(name)) return false;
  note(name, node_);
  return true;
}

void NodeFaults::note(const FaultName& name, ugni::NicAddress peer) {
  ++count_;
  if (faults_.size() == most_kept) return;
  faults_.push_back({name, plan_.rules()[name.rule - 1].kind, domain_.now(), peer});
}

}  // namespace faults
