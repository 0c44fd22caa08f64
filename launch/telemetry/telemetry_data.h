// What telemetry has found out about a run: paths with both ends' calls, told for people.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "corespec/time/time.h"
#include "launch/telemetry/call_sites.h"
#include "launch/telemetry/endpoints.h"
#include "launch/telemetry/join_paths.h"
#include "ugni_emu/gemini/topology/topology.h"
#include "ugni_emu/telemetry/network_records.h"

namespace launch {

/// A component that records were written of.
struct UsedComponent {
  telemetry::Component component = telemetry::Component::none();
  std::string name;             ///< "router 21 (1,2,5)", "NIC nid00042"
  std::uint64_t records = 0;    ///< that were drained
  std::uint64_t lost = 0;       ///< that found no room
  corespec::Time waited;        ///< of all marked packets' here
  corespec::Time longest_wait;  ///< of one
};

/// A stay of a marked packet, or of its command, at one place.
struct Stay {
  enum class Where : std::uint8_t { issuing_cpu, component, taking_cpu };
  Where where = Where::component;
  std::uint32_t component = 0;  ///< in TelemetryData::components
  bool response = false;
  bool after_gap = false;  ///< records before it are missing: `time` bridges them
  corespec::Time begin;
  corespec::Time time;    ///< until it was at the next place
  corespec::Time waited;  ///< for its turn, of this time
  std::string behind;     ///< what was served before it
  std::string link;       ///< by which it left a router
};

struct TelemetryPath {
  std::int32_t rank = -1;  ///< of the command's endpoint; -1: a component has marked the packet
  std::int32_t peer = -1;  ///< at its other end; -1: not known
  std::uint32_t source = 0, target = 0;  ///< nids
  std::uint32_t mark = 0;
  const char* kind = "";    ///< "put", "get", ...
  std::uint64_t bytes = 0;  ///< of the command
  std::string call;         ///< the library call that issued it; empty: none, a progress thread's
  std::uint32_t site = 0;   ///< in TelemetryData::sites, of the operation that it is for
  std::uint32_t far_site = 0;  ///< of the operation at the other end
  /// The call in which a CPU took what it brought, or else its completion; empty: not known.
  std::string wait_call;
  std::uint32_t wait_site = 0;
  corespec::Time issued;
  corespec::Time command_sent;  ///< its last packet had left the NIC; 0: no record says so
  corespec::Time total;         ///< until its data, or its message, had been taken at its end
  std::vector<Stay> stays;
  std::vector<std::uint32_t> missing;  ///< components whose record is not there
  bool whole = false;
  bool ambiguous = false;
};

struct TelemetryData {
  std::string choice;
  int ranks = 0;
  std::uint64_t commands = 0;  ///< of all endpoints
  std::uint64_t marked = 0;
  std::uint64_t records = 0, lost = 0;
  std::uint64_t endpoint_records = 0;
  std::vector<UsedComponent> components;
  std::vector<CallSite> sites;  ///< 0: not known
  std::vector<TelemetryPath> paths;

  std::uint64_t log_bytes() const;
};

/// What of the run is needed.
struct TelemetrySources {
  const telemetry::NetworkRecords* records = nullptr;
  const gemini::Topology* topology = nullptr;
  std::string choice;
  corespec::Time clock_skew;
  corespec::Time longest_link;  ///< from one component to the next, at most
  int ranks = 0;
  Endpoints* endpoints = nullptr;
  std::function<int(int rank)> nid_of;
};

TelemetryData gather_telemetry(const TelemetrySources& sources);

}  // namespace launch
