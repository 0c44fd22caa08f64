// Puts the records of all components together: the path of each marked packet.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "corespec/time/time.h"
#include "ugni_emu/telemetry/record.h"

namespace launch {

/// The log of one component.
struct ComponentRecords {
  telemetry::Component component = telemetry::Component::none();
  std::span<const telemetry::Record> records;
};

/// A command that its endpoint has marked.
struct IssuedCommand {
  std::uint32_t source = 0, target = 0;  ///< nids
  std::uint32_t mark = 0;
  corespec::Time issued;
};

/// A component that a packet has passed.
struct PathStep {
  telemetry::Component component = telemetry::Component::none();
  bool response = false;
  bool delivered = false;    ///< the NIC that this way ends at
  bool after_gap = false;    ///< records before it are missing
  std::uint8_t port = 0;     ///< by which it left a router
  corespec::Time arrived;    ///< by the component's clock
  corespec::Time waited;     ///< of delivered: until all of it was there
  std::uint32_t behind = 0;  ///< flow number in the component's log; 0: none
};

struct JoinedPath {
  std::uint32_t source = 0;  ///< nid of the command's endpoint
  std::uint32_t mark = 0;
  std::int64_t command = -1;    ///< which of the issued ones; -1: a component has marked it
  std::vector<PathStep> steps;  ///< in the packet's order
  /// Where a record is missing: there the path breaks.
  std::vector<telemetry::Component> missing;
  bool ambiguous = false;       ///< two records would fit; the nearer in time was taken
  corespec::Time command_sent;  ///< when its last packet had left the NIC; 0: no record says so

  /// There and back, without a gap.
  bool whole() const;
};

struct JoinSettings {
  /// Clocks of two components may differ by so much.
  corespec::Time skew;
  /// From a packet's departure to its arrival at the next component, at most.
  corespec::Time longest_link = corespec::Time::microseconds(5);
  unsigned threads = 0;  ///< 0: as many as the host has CPUs
};

/// Follows each packet by (source, mark) from next hop to next hop. A record that is missing ends
/// no search: the path says where it breaks and goes on behind. Every record is used once at most,
/// so the work is linear in the records. Sources are divided among threads; the result does not
/// depend on how many there are: paths by source, mark and time.
std::vector<JoinedPath> join_paths(std::span<const ComponentRecords> logs,
                                   std::span<const IssuedCommand> commands,
                                   const JoinSettings& settings);

}  // namespace launch
