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
  const std::uint32_t hit = first_hit(FaultKind::post_refused, transaction_bit(kind), target);
  return hit == 0 ? corespec::Time() : occasions_.rule(hit).by;
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
