// The faults of one live process and its end of the wire.
#pragma once

#include <cstdint>
#include <functional>

#include "corespec/events/event_domain.h"
#include "ugni_emu/faults/occasions.h"

namespace faults {

/// Asked where such a thing could happen, by a thread that holds the process's domain, or is its
/// only one. `peer`: the NIC of the other side's node.
class RankFaults {
 public:
  /// `plan` outlives it. `kill` ends the process at once.
  RankFaults(const FaultPlan& plan, ugni::NicAddress node, int rank, std::function<void()> kill)
      : occasions_(plan, node, rank), kill_(std::move(kill)) {}

  /// Until then all happens at time 0.
  void set_clock(const corespec::EventDomain& clock) { clock_ = &clock; }
  corespec::Time now() const { return clock_ == nullptr ? corespec::Time() : clock_->now(); }

  /// A message or a copy: there is no room for it.
  bool finds_no_room(ugni::NicAddress peer) { return strikes(FaultKind::transport_again, peer); }
  /// A message: by how much later it leaves.
  corespec::Time leaves_later(ugni::NicAddress peer) {
    const std::uint32_t rule = strike(FaultKind::transport_late, ~0U, peer);
    return rule == 0 ? corespec::Time() : occasions_.rule(rule).by;
  }
  /// A message, for good.
  bool fails(ugni::NicAddress peer) { return strikes(FaultKind::transport_fails, peer); }
  /// A copy between two processes.
  bool refuses_copy(ugni::NicAddress peer) { return strikes(FaultKind::copy_refused, peer); }
  /// A peer that sleeps is to be woken.
  bool loses_ring(ugni::NicAddress peer) { return strikes(FaultKind::doorbell_lost, peer); }

  /// The process is there; it may end.
  void reach(KillPoint point, ugni::NicAddress peer) {
    if (strike(FaultKind::rank_killed, point_bit(point), peer) != 0) kill_();
  }
  void reach(KillPoint point) { reach(point, occasions_.node()); }

  Occasions& occasions() { return occasions_; }

 private:
  std::uint32_t strike(FaultKind kind, std::uint32_t bits, ugni::NicAddress peer) {
    return occasions_.strike(kind, bits, peer, now());
  }
  bool strikes(FaultKind kind, ugni::NicAddress peer) { return strike(kind, ~0U, peer) != 0; }

  Occasions occasions_;
  std::function<void()> kill_;
  const corespec::EventDomain* clock_ = nullptr;
};

}  // namespace faults
