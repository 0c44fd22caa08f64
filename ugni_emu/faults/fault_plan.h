// The faults that a run is to have.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "corespec/config/statements.h"
#include "ugni_emu/faults/fault_rule.h"

namespace faults {

/// An occasion at which something goes wrong: the statement's number from 1, the NIC, and its
/// occasion's number there from 1. A run without other changes has the same ones.
struct FaultName {
  std::uint32_t rule = 0;
  ugni::NicAddress node = 0;
  std::uint64_t occasion = 0;
  auto operator<=>(const FaultName&) const = default;
};

/// The statements of CASTOR_FAULTS, the network's among them. Throws std::invalid_argument.
std::vector<corespec::Statement> fault_statements(const std::string& value);

/// Read before the run, never changed. Statements (corespec/config/statements.h):
///
///   post-fails [kind=KINDS] [error=recoverable|fatal] [done=no|yes] WHEN
///   post-refused [for=TIME] [kind=KINDS] WHEN      (1us; then it says that there is room)
///   message-lost WHEN
///   datagram-late by=TIME WHEN
///   completion-late by=TIME [kind=KINDS] WHEN
///   credits-late by=TIME WHEN
///   cq-overrun [queue=rx] WHEN
///   register-fails WHEN
///   nic-stalls for=TIME WHEN
///   node-dead node=NID at=TIME [noticed-after=TIME]      (1ms)
///   transport-again WHEN
///   transport-late by=TIME WHEN
///   doorbell-lost WHEN
///   copy-refused WHEN
///   transport-fails WHEN
///   rank-killed rank=RANK point=POINT [nth=NUMBER | p=PROBABILITY] [at=TIME] [until=TIME]
///
/// KINDS: put, get, cq-write, message, amo, with commas between them. WHEN: [node=NID] [peer=NID]
/// [nth=NUMBER | p=PROBABILITY] [times=NUMBER] [at=TIME] [until=TIME]; from transport-again on
/// [rank=RANK] as well. POINT: after-start, before-send, after-send, after-register,
/// before-copy, in-copy, after-copy, in-barrier, at-end (KillPoint). Statements of the network
/// (link-down, links-down) may stand among them, and are read there.
class FaultPlan {
 public:
  /// What can go wrong: a live job has no links of its own, a modelled one no processes.
  enum class Machine : std::uint8_t { modelled, live };

  /// `value` of CASTOR_FAULTS: statements or the name of a file. `only`: empty, or the names of the
  /// faults that happen alone of all that the statements say ("2.5.57,2.5.58"). Throws
  /// std::invalid_argument of one line.
  FaultPlan(const std::string& value, const std::string& only, std::uint64_t seed,
            Machine machine = Machine::modelled);

  bool none() const { return rules_.empty(); }
  const std::vector<FaultRule>& rules() const { return rules_; }
  std::uint64_t seed() const { return seed_; }
  /// The statement that lets the node fail; null: none does.
  const FaultRule* death_of(ugni::NicAddress node) const;
  /// That statement's number, from 1; 0: none.
  std::uint32_t death_rule_of(ugni::NicAddress node) const;
  bool happens(const FaultName& fault) const { return is_whole_ || only_.contains(fault); }

 private:
  std::vector<FaultRule> rules_;
  bool is_whole_;
  std::set<FaultName> only_;
  std::uint64_t seed_;
};

}  // namespace faults
