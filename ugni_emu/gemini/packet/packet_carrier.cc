// From a NIC towards its router, or back to the NIC itself; the port's code for this fidelity.
#include "ugni_emu/gemini/packet/packet_carrier.h"

#include "ugni_emu/gemini/packet/packet_router.h"
#include "ugni_emu/gemini/port/nic_port_impl.h"

namespace gemini {

using corespec::Time;

void PacketSegment::fire(std::uint64_t stage) {
  switch (static_cast<Stage>(stage)) {
    case at_host_port:
      router->host().accept(*this, from);
      return;
    case at_netlink:
      router->host().deliver_by_netlink(*this);
      return;
    case request_arrived:
    case response_arrived:
      router->port(port).arrive(*this);
      return;
    case lost_at_router:
      router->pass_back(*this);
      return;
    case lost_at_nic:
      router->port(port).take_back(*this);
      return;
  }
}

void PacketSegment::perform() { router->port(source_port).submit(*this); }

corespec::EventDomain& PacketCarrier::domain() const { return router_.nodes_domain(); }

PacketSegment& PacketCarrier::take(unsigned nic) {
  PacketSegment& segment = router_.share().segments.take();
  segment.router = &router_;
  segment.source_port = static_cast<std::uint8_t>(nic);
  return segment;
}

void PacketCarrier::put(PacketSegment& segment) {
  segment.payload = {};
  segment.status = ugni::ResponseStatus::ok;
  segment.marked = false;
  segment.tries = 0;
  router_.share().segments.put(segment);
}

NicCounters* PacketCarrier::counters(Nid nid) const {
  NetworkCounters* const counters = router_.share().counters.get();
  return counters == nullptr ? nullptr : &counters->nics[nid];
}

Time PacketCarrier::send(PacketSegment& segment, const Weight& weight, Nid to,
                         corespec::EventSource& source) {
  const Time now = domain().now();
  const Place place = timing_.topology.place(to);
  const ugni::Transaction& transaction = segment.transaction;
  const bool request = segment.channel == kRequests;
  segment.from = request ? segment.source_port : segment.port;
  segment.port = static_cast<std::uint8_t>(place.nic);
  segment.router = &router_;
  segment.nic_bytes = weight.payload;
  if (timing_.faults == nullptr) [[likely]] {
    segment.route = timing_.topology.route(router_.number(), place.router);
  } else {
    const std::optional<RouteWord> way =
        timing_.faults->way(router_.number(), place.router, now, router_.share().faults);
    if (!way) {
      give_back(segment, source);
      return now;
    }
    segment.route = *way;
  }
  const Passage through_nic =
      out_.serve(segment.channel, timing_.nic.time(weight.payload), {now, now});
  if (place.router == router_.number()) {
    const Passage left =
        netlink_.serve(segment.channel, timing_.netlink.time(weight.phits), through_nic);
    segment.delivered = left.tail + timing_.nic_to_router;
    router_.domain().schedule_from(domain(), left.head + timing_.nic_to_router, source, segment,
                                   PacketSegment::at_netlink);
    return left.tail;
  }
  const Passage left =
      router_.injection().serve(segment.channel, timing_.host_port.time(weight.phits), through_nic);
  segment.choice = tile_choice(timing_.choice, transaction.delivery_mode, segment.channel);
  segment.flow = request ? transaction.target : transaction.source;
  if (segment.choice == TileChoice::hashed) {
    segment.flow += transaction.number + segment.offset / timing_.format.packet_payload();
  }
  segment.sizes = {weight.packets, weight.phits,
                   timing_.format.full_packet(transaction.kind, segment.channel)};
  segment.cut = segment.arrived = 0;
  segment.incomplete = false;
  segment.age = now;
  segment.ready = left.head + timing_.end;
  segment.spacing = (left.tail - left.head) / weight.packets;
  segment.delivered = Time();
  router_.domain().schedule_from(domain(), segment.ready, source, segment,
                                 PacketSegment::at_host_port);
  return left.tail;
}

Time PacketCarrier::send_local(PacketSegment& segment, const Weight& weight,
                               corespec::EventSource& source) {
  const Time now = domain().now();
  segment.router = &router_;
  segment.port = segment.source_port;
  const Time sent = out_.serve(segment.channel, timing_.nic.time(weight.payload), {now, now}).tail;
  domain().schedule(sent + timing_.loopback, source, segment,
                    PacketSegment::request_arrived + segment.channel);
  return sent;
}

bool PacketCarrier::has_way(Nid nid) const {
  const RouterId to = timing_.topology.router_of(nid);
  return timing_.faults->failures.route(router_.number(), to, domain().now()).has_value();
}

void PacketCarrier::go_back(PacketSegment& segment, Nid to, corespec::EventSource& source) {
  router_.send_back(segment, to, domain(), domain().now() + timing_.faults->interval, source);
}

void PacketCarrier::give_back(PacketSegment& segment, corespec::EventSource& source) {
  go_back(segment, sender_of(segment), source);
}

void PacketCarrier::give_up(PacketSegment& segment, corespec::EventSource& source) {
  go_back(segment, segment.transaction.source, source);
}

FaultCounts& PacketCarrier::fault_counts() { return router_.share().faults; }

template class NicPort<PacketCarrier>;

}  // namespace gemini
