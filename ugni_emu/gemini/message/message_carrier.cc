// From a NIC into its router, or back to the NIC itself; the port's code for this fidelity.
#include "ugni_emu/gemini/message/message_carrier.h"

#include "ugni_emu/gemini/message/router.h"
#include "ugni_emu/gemini/port/nic_port_impl.h"

namespace gemini {

using corespec::Time;

inline corespec::EventDomain& MessageCarrier::domain() const { return router_.nodes_domain(); }

inline Segment& MessageCarrier::take(unsigned nic) {
  Segment& segment = router_.pool().take();
  segment.router = &router_;
  segment.source_port = static_cast<std::uint8_t>(nic);
  return segment;
}

inline NicCounters* MessageCarrier::counters(Nid nid) const {
  NetworkCounters* const counters = router_.counters();
  return counters == nullptr ? nullptr : &counters->nics[nid];
}

inline telemetry::NetworkRecords* MessageCarrier::records() const { return router_.records(); }

inline void MessageCarrier::note_response(Segment& segment) {
  segment.passage.head = domain().now();
}

inline void MessageCarrier::note_arrival(const Segment& segment, unsigned nic) {
  router_.note_arrival(segment, nic);
}

inline void MessageCarrier::put(Segment& segment) { router_.pool().put(segment); }

/// Through the NIC's cap and the host port towards `to`, or Netlink to the other NIC of the Gemini;
/// when the last byte has left the NIC.
inline Time MessageCarrier::send(Segment& segment, const Weight& weight, Nid to,
                                 corespec::EventSource& source) {
  const Time now = domain().now();
  const Place place = timing_.topology.place(to);
  const unsigned from = segment.channel == kRequests ? segment.source_port : segment.port;
  segment.phits = weight.phits;
  segment.packets = weight.packets;
  segment.nic_bytes = weight.payload;
  segment.port = static_cast<std::uint8_t>(place.nic);
  segment.router = &router_;
  if (timing_.faults == nullptr) [[likely]] {
    segment.route = timing_.topology.route(router_.number(), place.router);
  } else {
    const std::optional<RouteWord> way =
        timing_.faults->way(router_.number(), place.router, now, router_.faults());
    if (!way) {
      give_back(segment, source);
      return now;
    }
    segment.route = *way;
  }
  const Passage through_nic =
      out_.serve(segment.channel, timing_.nic.time(weight.payload), {now, now});
  const bool netlink = place.router == router_.number();
  const Passage left = netlink ? router_.netlink(from).pass(timing_, segment, through_nic)
                               : router_.inject(segment, through_nic);
  if (router_.records() != nullptr) [[unlikely]] {
    router_.note_departure(segment, from, through_nic, left.head);
  }
  segment.passage = {left.head + timing_.nic_to_router, left.tail + timing_.nic_to_router};
  const unsigned by = netlink ? router_.netlink_port() : router_.host_port();
  router_.domain().schedule_from(domain(), segment.passage.head, source, segment,
                                 Segment::at_router_by(router_.number(), by));
  return left.tail;
}

bool MessageCarrier::has_way(Nid nid) const {
  const RouterId to = timing_.topology.router_of(nid);
  return timing_.faults->failures.route(router_.number(), to, domain().now()).has_value();
}

void MessageCarrier::go_back(Segment& segment, Segment::WayBack where,
                             corespec::EventSource& source) {
  segment.router = &router_;
  router_.domain().schedule_from(domain(), domain().now() + timing_.nic_to_router, source, segment,
                                 Segment::lost_at(router_.number(), where));
}

inline void MessageCarrier::give_back(Segment& segment, corespec::EventSource& source) {
  go_back(segment, Segment::leaves_for_sender, source);
}

inline void MessageCarrier::give_up(Segment& segment, corespec::EventSource& source) {
  go_back(segment, Segment::leaves_for_source, source);
}

inline FaultCounts& MessageCarrier::fault_counts() { return router_.faults(); }

/// Through the NIC's cap back to itself; when the last byte has left the NIC.
inline Time MessageCarrier::send_local(Segment& segment, const Weight& weight,
                                       corespec::EventSource& source) {
  const Time now = domain().now();
  segment.router = &router_;
  segment.port = segment.source_port;
  const Passage left = out_.serve(segment.channel, timing_.nic.time(weight.payload), {now, now});
  const Time sent = left.tail;
  if (router_.records() != nullptr) [[unlikely]] {
    router_.note_loopback(segment, segment.source_port, left.head);
  }
  domain().schedule(sent + timing_.loopback, source, segment,
                    Segment::request_arrived + segment.channel);
  return sent;
}

template class NicPort<MessageCarrier>;

}  // namespace gemini
