// A router: its outgoing links, its host port and its NIC ports.
#pragma once

#include <cstddef>
#include <cstdint>

#include "corespec/events/event_domain.h"
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
/// domain, NIC ports and injection to that of its nodes (the two may be one). A segment reaches the
/// next router as an event there, a hop's latency after its service starts, and crosses between NIC
/// and router with the latency of that way.
///
/// A router's links lie behind it and its NIC ports before it (RouterArray), as many of each as the
/// topology has: where one of them is can be told without reading a line of memory.
class alignas(64) Router {
 public:
  /// Where it lies among the network's routers.
  struct Position {
    std::byte* first = nullptr;  ///< router 0
    std::uint32_t stride = 0;    ///< bytes from router to router
    RouterId number = 0;
  };

  Router(const Timing& timing, SegmentPool& pool, const Position& position,
         corespec::EventDomain& domain, corespec::EventDomain& nodes, corespec::EventSource source);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  corespec::EventDomain& domain() { return domain_; }
  corespec::EventDomain& nodes_domain() { return nodes_domain_; }
  RouterId number() const { return number_; }
  SegmentPool& pool() { return pool_; }
  MessagePort& port(unsigned nic) { return *(reinterpret_cast<MessagePort*>(this) - 1 - nic); }
  const MessagePort& port(unsigned nic) const {
    return *(reinterpret_cast<const MessagePort*>(this) - 1 - nic);
  }
  Link& link(unsigned link) { return reinterpret_cast<Link*>(this + 1)[link]; }
  const Link& link(unsigned link) const { return reinterpret_cast<const Link*>(this + 1)[link]; }
  Link& injection() { return injection_; }
  const Link& injection() const { return injection_; }
  Link& ejection() { return ejection_; }
  const Link& ejection() const { return ejection_; }

  /// A segment's head is here: over the next link, or to the NIC it is for.
  void forward(Segment& segment);
  /// A segment leaves a NIC as `passage`; how it leaves the host port.
  Passage inject(const Segment& segment, Passage passage) {
    return injection_.pass(timing_, segment, passage);
  }

 private:
  friend struct MessagePrefetch;
  void eject(Segment& segment);
  Router& other(RouterId number) const {
    return *reinterpret_cast<Router*>(first_ + std::size_t{number} * stride_);
  }

  // One line of what a hop needs.
  const Timing& timing_;
  corespec::EventDomain& domain_;
  corespec::EventDomain& nodes_domain_;
  std::byte* first_;
  SegmentPool& pool_;
  corespec::EventSource source_;
  std::uint32_t stride_;
  RouterId number_;

  Link injection_, ejection_;  ///< host port: NICs to router, router to NICs
};
static_assert(sizeof(Router) == 3 * 64);

}  // namespace gemini
