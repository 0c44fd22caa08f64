// A modelled network, of whichever fidelity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "corespec/events/event_domain.h"
#include "ugni_emu/gemini/counters/network_counters.h"
#include "ugni_emu/gemini/links/network_faults.h"
#include "ugni_emu/gemini/topology/topology.h"
#include "ugni_emu/telemetry/network_records.h"
#include "ugni_emu/wire/wire.h"

namespace gemini {

/// A queue before a link or a host port, in a fidelity whose queues have no bounds.
struct Backlog {
  Port port;                ///< the number behind the router's links is the host port
  double bytes = 0;         ///< that were to leave before a segment's head
  double buffer_bytes = 0;  ///< what the tiles at the far end hold of one channel and class
  /// Up to here fidelity message is good to 2 % (benchmarks/fidelity: mean latencies of open loops
  /// and completion times of bursts; a pair of nodes over a Y cable: 2.5).
  static constexpr double safe_excess = 0.75;
  std::uint64_t beyond = 0;  ///< links and host ports with a queue beyond safe_excess
  double excess() const { return bytes == 0 ? 0 : bytes / buffer_bytes; }
};

/// The wire in virtual time, and what can be read of it: see docs/network.md.
///
/// A router's state is touched in its own domain alone; another domain is reached by
/// schedule_from() alone, a hop's latency or more ahead.
class Network : public ugni::Wire {
 public:
  virtual const Topology& topology() const = 0;

  /// What has arrived so far; null: nothing is counted (CASTOR_COUNTERS). For a run that has ended;
  /// while it goes on, read_registers(). One of several parts has counted at its own components.
  virtual NetworkCounters* counters() = 0;

  /// Packets stall, and it is counted.
  virtual bool counts_stalls() const = 0;

  /// What components have written of marked packets; null: nothing is marked (CASTOR_TELEMETRY).
  /// For a run that has ended.
  virtual telemetry::NetworkRecords* records() = 0;

  /// The run is to end there: what comes to routers at `time` or later is neither counted nor
  /// recorded. How far routers go beyond the end of nodes is the order of turns.
  virtual void end_at(corespec::Time time) = 0;

  /// The least delay between a NIC and its router, each way.
  virtual corespec::Time nic_delay() const = 0;

  /// For a run in which nothing is left to happen: what stands still for ever, a line each; empty
  /// if nothing is under way.
  virtual std::vector<std::string> standstill() const { return {}; }

  /// For the same, without a circle of full buffers: what has been taken and not been given back,
  /// a line each: pieces of transactions, packets, room in buffers, requests without an answer.
  virtual std::vector<std::string> audit() const = 0;

  /// The queue that was longest by what its tiles hold, of a run that has ended, and how many there
  /// were beyond bounds; nothing: queues have bounds. Up to Backlog::safe_excess, fidelity message
  /// is good to 2 %.
  virtual std::optional<Backlog> backlog() const = 0;

  /// What has gone wrong, of a run that has ended.
  virtual FaultCounts faults() const = 0;

  // For one of the parts in which a machine is run: an event that the network has scheduled for a
  // router of another part, as bytes.
  virtual std::size_t packed_bytes(const corespec::Event& event) const = 0;
  /// Takes it out of this part; `into` has packed_bytes().
  virtual void pack(corespec::Event& event, std::span<std::byte> into) = 0;
  /// Puts it into this one, where it is to be scheduled with the `arg` that it had. Throws
  /// std::runtime_error where `bytes` would lead beyond this network.
  virtual corespec::Event& unpack(std::span<const std::byte> bytes) = 0;

  /// Shape, latencies and bandwidths, a line each, for a run's header.
  virtual std::string describe() const = 0;
};

/// Where a network's events happen.
struct NetworkDomains {
  using DomainOf = std::function<corespec::EventDomain&(RouterId)>;

  /// The domain of each router's nodes and their NICs, asked once each in order of numbers, to
  /// outlive the network; and that of the router (empty: the same). Routers of another part of the
  /// machine have a domain that is no VirtualDomain; no NIC is attached there.
  DomainOf nodes;
  DomainOf router;
  /// Fresh event sources: for each router, then for each of its NICs.
  std::function<corespec::EventSource()> make_source;
};

}  // namespace gemini
