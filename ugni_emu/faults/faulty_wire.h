// A wire around a network: transactions fail or come late as a plan says.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "corespec/events/event_domain.h"
#include "ugni_emu/faults/fault_plan.h"
#include "ugni_emu/faults/node_faults.h"
#include "ugni_emu/wire/wire_around.h"

namespace faults {

/// A transaction's statement is chosen where it is submitted, and travels with it
/// (ugni::verdict_shift). One that fails goes to its target all the same, and is refused there: it
/// takes the time and the network's room that it would have taken.
class FaultyWire final : public ugni::WireAround {
 public:
  using MakeSource = std::function<corespec::EventSource()>;

  /// Called from within the domain of a node that fails.
  using NodeFails = std::function<void(ugni::NicAddress node)>;

  /// `inner` outlives it. `make_source`: a source of events for each NIC. `rank`: live, of the
  /// process whose NIC will be attached.
  FaultyWire(ugni::Wire& inner, FaultPlan plan, MakeSource make_source, NodeFails node_fails,
             std::optional<int> rank = std::nullopt);
  ~FaultyWire() override;

  void attach(ugni::NicAddress address, ugni::WireClient& client,
              corespec::EventDomain& domain) override;
  ugni::NicFaults* faults_at(ugni::NicAddress address) override;
  /// The event in its NIC's domain that lets the node fail; null: none does.
  const corespec::Event* death_of(ugni::NicAddress node) const;

  /// When the node fails by the plan; nothing: it does not.
  std::optional<corespec::Time> end_of(ugni::NicAddress node) const;

  /// Before a NIC is attached.
  void set_listener(Occasions::Listener listener) { listener_ = std::move(listener); }

  /// Of all NICs that are attached here: by time, and of equal times by NIC.
  std::vector<Fault> faults() const;
  std::uint64_t count() const;

 private:
  class Nic;

  void enter(const ugni::Transaction& transaction, ugni::Payload payload) override;
  const FaultRule* rule_of(const ugni::Transaction& transaction) const;

  FaultPlan plan_;
  MakeSource make_source_;
  NodeFails node_fails_;
  std::optional<int> rank_;
  Occasions::Listener listener_;
  std::map<ugni::NicAddress, std::unique_ptr<Nic>> nics_;
};

}  // namespace faults
