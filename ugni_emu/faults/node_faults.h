// The faults of one NIC: which of its occasions go wrong.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "corespec/events/event_domain.h"
#include "ugni_emu/faults/occasions.h"
#include "ugni_emu/wire/nic_faults.h"

namespace faults {

/// Touched from within the NIC's domain only. What it says depends on what has happened at this NIC
/// alone, so that a run repeats whatever the number of workers.
class NodeFaults final : public ugni::NicFaults {
 public:
  /// `plan` outlives it. `rank`: live, of the process whose NIC this is.
  NodeFaults(const FaultPlan& plan, ugni::NicAddress node, corespec::EventDomain& domain,
             std::optional<int> rank);

  corespec::Time refuses_post(ugni::TransactionKind kind, ugni::NicAddress target) override;
  bool loses_message(ugni::NicAddress target) override;
  bool may_lose_messages() const override;
  bool refuses_registration() override;
  bool drops_event(ugni::NicAddress source) override;

  /// A transaction of this kind to `peer` sets out: the number from 1 of the statement of `kind`
  /// that strikes; 0: none.
  std::uint32_t strike(FaultKind kind, ugni::TransactionKind transaction, ugni::NicAddress peer);

  /// The node fails now, by its statement; false: it is not to happen.
  bool fails();

  Occasions& occasions() { return occasions_; }

 private:
  std::uint32_t first_hit(FaultKind kind, std::uint32_t transactions, ugni::NicAddress peer) {
    return occasions_.strike(kind, transactions, peer, domain_.now());
  }

  bool has_room_again(ugni::TransactionKind kind, ugni::NicAddress target, corespec::Time now);

  Occasions occasions_;
  corespec::EventDomain& domain_;
  /// By statement that has refused a post: when there is room. The first try from then on is no
  /// occasion: a statement that chose that one, too, would never let a post through.
  std::map<std::uint32_t, corespec::Time> room_again_;
};

}  // namespace faults
