// Which occasions of one NIC, or of one live process, go wrong: counted and drawn.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "corespec/random/random_stream.h"
#include "corespec/time/time.h"
#include "ugni_emu/faults/fault_plan.h"

namespace faults {

/// Something that went wrong.
struct Fault {
  FaultName name;
  FaultKind kind{};
  corespec::Time at;
  ugni::NicAddress peer = 0;  ///< the NIC itself where there is no other side
};

/// Used by one thread at a time. What it says depends on what it has been asked alone.
class Occasions {
 public:
  /// `plan` outlives it. `rank`: of a live process, which draws for itself.
  Occasions(const FaultPlan& plan, ugni::NicAddress node, std::optional<int> rank = std::nullopt);

  /// There is one of `kind`, for bits of `transactions`: the number from 1 of the statement that
  /// strikes; 0: none. All statements count it, whichever of them strikes.
  std::uint32_t strike(FaultKind kind, std::uint32_t transactions, ugni::NicAddress peer,
                       corespec::Time now);
  /// Something has gone wrong, unless it is not to happen.
  bool happens(const FaultName& name, ugni::NicAddress peer, corespec::Time now);

  const FaultPlan& plan() const { return plan_; }
  const FaultRule& rule(std::uint32_t number) const { return plan_.rules()[number - 1]; }
  ugni::NicAddress node() const { return node_; }
  /// True if a statement of `kind` is about this place.
  bool has(FaultKind kind) const;

  /// All so far, in their order; of very many the first ones.
  static constexpr std::size_t most_kept = 100'000;
  const std::vector<Fault>& faults() const { return faults_; }
  std::uint64_t count() const { return count_; }
  /// Called with each, before it happens.
  using Listener = std::function<void(const Fault&)>;
  void set_listener(Listener listener) { listener_ = std::move(listener); }

 private:
  struct State {
    std::uint64_t occasions = 0;
    std::uint64_t struck = 0;
    corespec::RandomStream random;
  };
  bool is_here(const Trigger& trigger) const;
  bool is_hit(std::uint32_t rule, ugni::NicAddress peer, corespec::Time now);

  const FaultPlan& plan_;
  const ugni::NicAddress node_;
  const std::optional<int> rank_;
  std::vector<State> states_;  ///< by rule
  std::vector<Fault> faults_;
  std::uint64_t count_ = 0;
  Listener listener_;
};

}  // namespace faults
