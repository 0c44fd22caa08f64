// The faults of one NIC: which of its occasions go wrong.
#pragma once

#include <cstdint>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/random/random_stream.h"
#include "ugni_emu/faults/fault_plan.h"
#include "ugni_emu/wire/nic_faults.h"

namespace faults {

/// Something that went wrong.
struct Fault {
  FaultName name;
  FaultKind kind{};
  corespec::Time at;
  ugni::NicAddress peer = 0;  ///< the NIC itself where there is no other side
};

/// Touched from within the NIC's domain only. What it says depends on what has happened at this NIC
/// alone, so that a run repeats whatever the number of workers.
class NodeFaults final : public ugni::NicFaults {
 public:
  /// `plan` outlives it.
  NodeFaults(const FaultPlan& plan, ugni::NicAddress node, corespec::EventDomain& domain);

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

  /// All so far, in their order; of very many the first ones.
  static constexpr std::size_t most_kept = 100'000;
  const std::vector<Fault>& faults() const { return faults_; }
  std::uint64_t count() const { return count_; }

 private:
  struct State {
    std::uint64_t occasions = 0;
    std::uint64_t struck = 0;
    corespec::RandomStream random;
  };
  void note(const FaultName& name, ugni::NicAddress peer);
  bool is_hit(std::uint32_t rule, ugni::NicAddress peer);
  std::uint32_t first_hit(FaultKind kind, std::uint32_t transactions, ugni::NicAddress peer);

  const FaultPlan& plan_;
  const ugni::NicAddress node_;
  corespec::EventDomain& domain_;
  std::vector<State> states_;  ///< by rule
  std::vector<Fault> faults_;
  std::uint64_t count_ = 0;
};

}  // namespace faults
