// What a NIC asks.
#include "ugni_emu/faults/node_faults.h"

#include <algorithm>

namespace faults {
namespace {

constexpr std::uint32_t any_transaction = ~0U;

}  // namespace

NodeFaults::NodeFaults(const FaultPlan& plan, ugni::NicAddress node, corespec::EventDomain& domain,
                       std::optional<int> rank)
    : occasions_(plan, node, rank), domain_(domain) {}

corespec::Time NodeFaults::refuses_post(ugni::TransactionKind kind, ugni::NicAddress target) {
  const corespec::Time now = domain_.now();
  if (has_room_again(kind, target, now)) return {};
  const std::uint32_t hit = first_hit(FaultKind::post_refused, transaction_bit(kind), target);
  if (hit == 0) return {};
  // What comes meanwhile is refused as well, and makes it last no longer.
  return room_again_.try_emplace(hit, now + occasions_.rule(hit).by).first->second - now;
}

/// A statement's time has passed: one try gets through.
bool NodeFaults::has_room_again(ugni::TransactionKind kind, ugni::NicAddress target,
                                corespec::Time now) {
  const auto gets_through = [&](const auto& each) {
    const FaultRule& rule = occasions_.rule(each.first);
    return now >= each.second && (rule.transactions & transaction_bit(kind)) != 0 &&
           rule.trigger.peer.value_or(target) == target;
  };
  const auto found = std::find_if(room_again_.begin(), room_again_.end(), gets_through);
  if (found == room_again_.end()) return false;
  room_again_.erase(found);
  return true;
}

bool NodeFaults::loses_message(ugni::NicAddress target) {
  return first_hit(FaultKind::message_lost, any_transaction, target) != 0;
}

bool NodeFaults::may_lose_messages() const {
  constexpr std::uint32_t messages = transaction_bit(ugni::TransactionKind::message);
  const std::vector<FaultRule>& rules = occasions_.plan().rules();
  return std::any_of(rules.begin(), rules.end(), [this](const FaultRule& rule) {
    const bool is_here = !rule.trigger.node || *rule.trigger.node == occasions_.node();
    const bool fails = rule.kind == FaultKind::post_fails && (rule.transactions & messages) != 0;
    return is_here && (fails || rule.kind == FaultKind::message_lost);
  });
}

bool NodeFaults::refuses_registration() {
  return first_hit(FaultKind::register_fails, any_transaction, occasions_.node()) != 0;
}

bool NodeFaults::drops_event(ugni::NicAddress source) {
  return first_hit(FaultKind::cq_overrun, any_transaction, source) != 0;
}

std::uint32_t NodeFaults::strike(FaultKind kind, ugni::TransactionKind transaction,
                                 ugni::NicAddress peer) {
  return first_hit(kind, transaction_bit(transaction), peer);
}

bool NodeFaults::fails() {
  const ugni::NicAddress node = occasions_.node();
  return occasions_.happens({occasions_.plan().death_rule_of(node), node, 1}, node, domain_.now());
}

}  // namespace faults
