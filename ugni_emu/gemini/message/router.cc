// The hot path: a segment's head at a router, one event per hop.
#include "ugni_emu/gemini/message/router.h"

#include "ugni_emu/wire/observed.h"

namespace gemini {

using corespec::Occurrence;

Router::Router(const Timing& timing, RouterShare& share, const Position& position,
               corespec::EventDomain& domain, corespec::EventDomain& nodes,
               corespec::EventSource source)
    : timing_(timing),
      domain_(domain),
      nodes_domain_(nodes),
      first_(position.first),
      share_(share),
      source_(source),
      stride_(position.stride),
      number_(position.number) {}

void Segment::fire(std::uint64_t arg) {
  const std::uint8_t stage = stage_of(arg);
  if (stage == at_router) {
    router->forward(*this, port_of(arg));
  } else if (stage != lost) {
    router->port(port).arrive(*this);
  } else {
    router->go_back(*this, static_cast<WayBack>(port_of(arg)));
  }
}

void Segment::perform() { router->port(source_port).submit(*this); }

void Router::forward(Segment& segment, unsigned came_by) {
  if (share_.counters != nullptr) count(segment, came_by);
  if (segment.route.arrived()) {
    eject(segment, came_by);
    return;
  }
  const unsigned out = segment.route.link();
  Link& link = this->link(out);
  if (timing_.faults != nullptr) [[unlikely]] {
    const corespec::Time now = segment.passage.head;
    if (is_down(out, now, now)) return lose(segment);
  }
  segment.route.step();
  const Passage left = link.pass(timing_, segment, segment.passage);
  if (timing_.faults != nullptr && is_down(out, left.head, left.tail + timing_.hop)) [[unlikely]] {
    return lose(segment);
  }
  link.longest_wait.note(left.head - segment.passage.head);
  if (share_.records != nullptr) [[unlikely]]
    note_hop(segment, out, link, left.head);
  corespec::observe(domain_, [&] {
    Occurrence made = ugni::observed(Occurrence::Kind::link_passed, segment.transaction, number(),
                                     segment.length, left.head, left.tail);
    made.part = out;
    return made;
  });
  segment.passage = {left.head + timing_.hop, left.tail + timing_.hop};
  segment.router = &other(link.leads_to);
  link.domain->schedule_from(domain_, segment.passage.head, source_, segment,
                             Segment::at_router_by(link.leads_to, link.arrives_by));
}

/// Through the host port and the NIC's cap; the NIC acts when the tail is there. What has come
/// through Netlink does not pass the port.
void Router::eject(Segment& segment, unsigned came_by) {
  const Passage left = came_by == netlink_port()
                           ? segment.passage
                           : ejection_.pass(timing_, segment, segment.passage);
  if (came_by != netlink_port()) {
    ejection_.longest_wait.note(left.head - segment.passage.head);
  }
  const Passage in = port(segment.port).carrier().eject(timing_, segment, left);
  if (share_.records != nullptr) [[unlikely]]
    note_ejection(segment, came_by, left.head, in.head);
  nodes_domain_.schedule_from(domain_, in.tail + timing_.nic_to_router, source_, segment,
                              Segment::request_arrived + segment.channel);
}

void Router::count(const Segment& segment, unsigned came_by) {
  if (came_by == netlink_port()) return;
  const ugni::Transaction& transaction = segment.transaction;
  const bool request = segment.channel == kRequests;
  ArrivingPackets arriving;
  arriving.channel = segment.channel;
  arriving.sizes = {segment.packets, segment.phits};
  arriving.flow = request ? transaction.target : transaction.source;
  arriving.hashed = timing_.hashes && (transaction.delivery_mode & ugni::no_hash) == 0;
  if (arriving.hashed) {
    arriving.flow += transaction.number + segment.offset / timing_.format.packet_payload();
    arriving.sizes.full_packet = timing_.format.full_packet(transaction.kind, segment.channel);
  }
  share_.counters->tiles.count({number_, static_cast<std::uint8_t>(came_by)}, domain_.now(),
                               arriving);
}

void Router::lose(Segment& segment) {
  ++share_.faults.lost_on_links;
  go_back(segment, Segment::leaves_for_sender);
}

void Router::go_back(Segment& segment, Segment::WayBack where) {
  if (where == Segment::at_its_nic) {
    port(segment.port).take_back(segment);
    return;
  }
  if (where == Segment::at_its_router) {
    nodes_domain_.schedule_from(domain_, domain_.now() + timing_.nic_to_router, source_, segment,
                                Segment::lost_at(number_, Segment::at_its_nic));
    return;
  }
  const ugni::Transaction& transaction = segment.transaction;
  const bool is_its_request = segment.channel == kRequests;
  const Place place = timing_.topology.place(is_its_request || where == Segment::leaves_for_source
                                                 ? transaction.source
                                                 : transaction.target);
  segment.marked = false;
  segment.port = static_cast<std::uint8_t>(place.nic);
  segment.router = &other(place.router);
  corespec::EventDomain& there = segment.router->domain();
  const corespec::Time at = domain_.now() + timing_.faults->interval;
  const std::uint64_t arg = Segment::lost_at(place.router, Segment::at_its_router);
  if (&there == &domain_) {
    domain_.schedule(at, source_, segment, arg);
  } else {
    there.schedule_from(domain_, at, source_, segment, arg);
  }
}

}  // namespace gemini
