// One Gemini's router: its six outgoing links, its host port and its two NIC ports.
#pragma once

#include <array>
#include <cstdint>

#include "corespec/events/event_domain.h"
#include "corespec/events/prefetch_lines.h"
#include "ugni_emu/gemini/message/message_carrier.h"
#include "ugni_emu/gemini/message/segment.h"
#include "ugni_emu/gemini/message/server.h"
#include "ugni_emu/gemini/packets/channels.h"

namespace gemini {

/// A directed link, or one direction of the host port: its capacity, what passed, where it leads.
/// One cache line, and all that a hop needs besides the segment and its router's first line.
struct alignas(64) Link {
  Server server;
  LinkCounters counters;
  corespec::EventDomain* domain = nullptr;  ///< of the router that it leads to
  std::uint32_t leads_to = 0;               ///< that router
  RateIndex rate = 0;

  Passage pass(const Timing& timing, const Segment& segment, Passage in) {
    counters.phits[segment.channel] += segment.phits;
    counters.packets[segment.channel] += segment.packets;
    return server.serve(segment.channel, timing.phits[rate].time(segment.phits), in);
  }
};

/// A router and the state of the links that leave it. Links and ejection belong to the router's
/// domain, NIC ports and injection to that of the Gemini's two nodes (the two may be one). A
/// segment reaches the next router as an event there, a hop's latency after its service starts,
/// and crosses between NIC and router with the latency of that way.
class alignas(64) Router {
 public:
  /// `routers` and `pool`: all of the network, by Gemini. `sources`: for the router itself and for
  /// its two NIC ports.
  Router(const Timing& timing, Router* routers, SegmentPool& pool, GeminiId gemini,
         corespec::EventDomain& domain, corespec::EventDomain& nodes,
         const std::array<corespec::EventSource, 3>& sources);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  corespec::EventDomain& domain() { return domain_; }
  corespec::EventDomain& nodes_domain() { return nodes_domain_; }
  GeminiId number() const { return static_cast<GeminiId>(this - routers_); }
  Coordinates coordinates() const { return coordinates_; }
  SegmentPool& pool() { return pool_; }
  MessagePort& port(unsigned port) { return ports_[port]; }
  Link& link(Direction direction) { return links_[static_cast<std::size_t>(direction)]; }
  const Link& link(Direction direction) const {
    return links_[static_cast<std::size_t>(direction)];
  }
  Link& injection() { return injection_; }
  const Link& injection() const { return injection_; }
  Link& ejection() { return ejection_; }
  const Link& ejection() const { return ejection_; }

  /// A segment's head is here: over the next link, or to the NIC it is for.
  void forward(Segment& segment);
  /// Names what forward() will touch; see Event::prefetch().
  bool prefetch(const Segment& segment, unsigned step, corespec::LineRequests& lines) const {
    const bool arrived = segment.route.arrived();
    if (step == 0) {
      lines.add(this);
      lines.add(arrived ? &ejection_ : &links_[segment.route.direction()]);
      if (arrived) ports_[segment.port].carrier().prefetch_ejection(lines);
    } else if (arrived) {
      lines.add(&nodes_domain_, 4);  // and what its queue holds
    }
    return arrived && step == 0;
  }
  /// The same for what a NIC sends: the way in.
  void prefetch_entrance(corespec::LineRequests& lines) const { lines.add(&injection_); }
  /// A segment leaves a NIC as `passage`; how it leaves the host port.
  Passage inject(const Segment& segment, Passage passage) {
    return injection_.pass(timing_, segment, passage);
  }

 private:
  void eject(Segment& segment);

  const Timing& timing_;
  corespec::EventDomain& domain_;
  corespec::EventDomain& nodes_domain_;
  Router* routers_;
  SegmentPool& pool_;
  corespec::EventSource source_;
  Coordinates coordinates_;
  std::array<Link, 6> links_;
  Link injection_, ejection_;  ///< host port: NICs to router, router to NICs
  std::array<MessagePort, 2> ports_;
};

}  // namespace gemini
