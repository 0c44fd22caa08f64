// A router: its outgoing links, its host port and its NIC ports.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "corespec/events/event_domain.h"
#include "ugni_emu/gemini/counters/network_counters.h"
#include "ugni_emu/gemini/links/server.h"
#include "ugni_emu/gemini/message/message_carrier.h"
#include "ugni_emu/gemini/message/segment.h"
#include "ugni_emu/telemetry/network_records.h"

namespace gemini {

/// How long a segment's head has waited before a server at the longest, in two bytes: the upper ten
/// bits of it, rounded up, and by how many bits they are shifted.
class LongestWait {
 public:
  corespec::Time time() const {
    return corespec::Time::picoseconds(std::int64_t{kept_ & mantissa} << (kept_ >> mantissa_bits));
  }
  void note(corespec::Time wait) {
    if (wait <= time()) [[likely]]
      return;
    const auto ps = static_cast<std::uint64_t>(wait.ps());
    auto shift = static_cast<unsigned>(
        std::max(static_cast<int>(std::bit_width(ps)), mantissa_bits) - mantissa_bits);
    std::uint64_t upper = (ps + (std::uint64_t{1} << shift) - 1) >> shift;
    if (upper > mantissa) {
      upper = (upper + 1) / 2;
      ++shift;
    }
    kept_ = static_cast<std::uint16_t>(shift << mantissa_bits | upper);
  }

 private:
  static constexpr int mantissa_bits = 10;
  static constexpr unsigned mantissa = (1U << mantissa_bits) - 1;
  std::uint16_t kept_ = 0;
};

/// A directed link, one direction of the host port, or a NIC's way through Netlink: its capacity
/// and where it leads. All that a hop needs besides the segment and its router's first line.
struct alignas(32) Link {
  Server server;
  corespec::EventDomain* domain = nullptr;  ///< of the router that it leads to
  std::uint32_t leads_to = 0;               ///< that router
  std::uint8_t arrives_by = 0;              ///< the port by which it comes in there
  RateIndex rate = 0;
  LongestWait longest_wait;  ///< of a link's, and of the host port's towards NICs

  Passage pass(const Timing& timing, const Segment& segment, Passage in) {
    return server.serve(segment.channel, timing.phits[rate].time(segment.phits), in);
  }
};

/// What the routers of a network share.
struct RouterShare {
  SegmentPool segments;
  std::unique_ptr<NetworkCounters> counters;           ///< null: nothing is counted
  FaultCounts faults;                                  ///< what has gone wrong
  std::unique_ptr<telemetry::NetworkRecords> records;  ///< null: nothing is marked
};

/// A router and the state of the links that leave it. Links and ejection belong to the router's
/// domain, NIC ports, injection and Netlink to that of its nodes (the two may be one). A segment
/// reaches the next router as an event there, a hop's latency after its service starts, and crosses
/// between NIC and router with the latency of that way.
///
/// A router's links lie behind it, then its NICs' Netlinks, and its NIC ports before it
/// (RouterArray), as many of each as the topology has: where one of them is can be told without
/// reading a line of memory.
class alignas(64) Router {
 public:
  /// Where it lies among the network's routers.
  struct Position {
    std::byte* first = nullptr;  ///< router 0
    std::uint32_t stride = 0;    ///< bytes from router to router
    RouterId number = 0;
  };

  Router(const Timing& timing, RouterShare& share, const Position& position,
         corespec::EventDomain& domain, corespec::EventDomain& nodes, corespec::EventSource source);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  corespec::EventDomain& domain() { return domain_; }
  corespec::EventDomain& nodes_domain() { return nodes_domain_; }
  RouterId number() const { return number_; }
  SegmentPool& pool() { return share_.segments; }
  NetworkCounters* counters() const { return share_.counters.get(); }
  FaultCounts& faults() { return share_.faults; }
  telemetry::NetworkRecords* records() const { return share_.records.get(); }
  corespec::EventSource& source() { return source_; }
  MessagePort& port(unsigned nic) { return *(reinterpret_cast<MessagePort*>(this) - 1 - nic); }
  const MessagePort& port(unsigned nic) const {
    return *(reinterpret_cast<const MessagePort*>(this) - 1 - nic);
  }
  Link& link(unsigned link) { return reinterpret_cast<Link*>(this + 1)[link]; }
  const Link& link(unsigned link) const { return reinterpret_cast<const Link*>(this + 1)[link]; }
  Link& injection() { return injection_; }
  Link& ejection() { return ejection_; }
  const Link& ejection() const { return ejection_; }
  /// From a NIC to the router's other NICs.
  Link& netlink(unsigned nic) { return link(host_port() + nic); }
  /// The number of the host port among the ports by which segments come in, and that of Netlink.
  unsigned host_port() const { return timing_.topology.links_per_router(); }
  unsigned netlink_port() const { return host_port() + 1; }

  /// A segment's head is here, by a port: over the next link, or to the NIC it is for.
  void forward(Segment& segment, unsigned came_by);
  /// A segment that is lost is on its way back.
  void go_back(Segment& segment, Segment::WayBack where);
  /// A segment leaves a NIC as `passage`; how it leaves the host port.
  Passage inject(const Segment& segment, Passage passage) {
    return injection_.pass(timing_, segment, passage);
  }

  // For telemetry (router_records.cc).
  /// A segment leaves NIC `nic` as `through`, and the host port or Netlink at `left`.
  void note_departure(Segment& segment, unsigned nic, Passage through, corespec::Time left);
  /// A segment goes from NIC `nic` back to it; its head sets out at `left`.
  void note_loopback(Segment& segment, unsigned nic, corespec::Time left);
  /// A marked segment is wholly at the NIC that it is for.
  void note_arrival(const Segment& segment, unsigned nic);
  /// Servers of a router, so that what was served last can be remembered for each.
  static unsigned servers(const Topology& topology) {
    return 2 * (topology.links_per_router() + 2 + 2 * topology.nics_per_router());
  }

 private:
  friend struct MessagePrefetch;
  void eject(Segment& segment, unsigned came_by);
  bool is_down(unsigned out, corespec::Time from, corespec::Time until) const {
    return timing_.faults->failures.down({number_, static_cast<std::uint8_t>(out)}, from, until);
  }
  void lose(Segment& segment);
  void count(const Segment& segment, unsigned came_by);
  void note_hop(Segment& segment, unsigned out, const Link& link, corespec::Time left);
  void note_ejection(Segment& segment, unsigned came_by, corespec::Time port, corespec::Time nic);
  telemetry::Flow hold(unsigned port, const Segment& segment);
  corespec::Time departs_from(const Segment& segment, unsigned nic) const;
  void note_leaving_nic(Segment& segment, unsigned nic, corespec::Time left,
                        telemetry::Component next, const telemetry::Flow* before);
  Router& other(RouterId number) const {
    return *reinterpret_cast<Router*>(first_ + std::size_t{number} * stride_);
  }

  // One line of what a hop needs.
  const Timing& timing_;
  corespec::EventDomain& domain_;
  corespec::EventDomain& nodes_domain_;
  std::byte* first_;
  RouterShare& share_;
  corespec::EventSource source_;
  std::uint32_t stride_;
  RouterId number_;

  // The host port. What belongs to the nodes' domain has a line of its own.
  alignas(64) Link injection_;  ///< NICs to router
  alignas(64) Link ejection_;   ///< router to NICs
};
static_assert(sizeof(Router) == 3 * 64);

}  // namespace gemini
