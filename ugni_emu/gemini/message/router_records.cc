// What a router and its NICs note for telemetry. All of it is out of the way of runs without.
#include "ugni_emu/gemini/message/router.h"

namespace gemini {
namespace {

using corespec::Time;
using telemetry::Component;
using telemetry::Flow;
using telemetry::Record;

std::uint8_t flags_of(const Segment& segment) {
  return segment.channel == kResponses ? Record::response : 0;
}

/// The component marks the segment itself, if its turn has come.
std::uint8_t mark_here(telemetry::NetworkRecords& records, Component component, Time now,
                       Segment& segment) {
  if (segment.marked) return 0;
  const std::uint32_t mark = records.mark_here(component, now);
  if (mark == 0) return 0;
  segment.marked = true;
  segment.transaction.mark = mark;
  return Record::set_here;
}

}  // namespace

/// The segment is the next that this port serves; what it served before.
Flow Router::hold(unsigned port, const Segment& segment) {
  return share_.records->hold(number_, 2 * port + segment.channel,
                              telemetry::flow_of(segment.transaction));
}

void Router::note_hop(Segment& segment, unsigned out, const Link& link, Time left) {
  telemetry::NetworkRecords& records = *share_.records;
  const Component here = Component::router(number_);
  const std::uint8_t set = mark_here(records, here, domain_.now(), segment);
  const Flow before = hold(out, segment);
  if (!segment.marked) return;
  telemetry::Passage passage{segment.passage.head, left};
  passage.port = static_cast<std::uint8_t>(out);
  passage.next = Component::router(link.leads_to);
  passage.behind = &before;
  passage.flags = flags_of(segment) | set;
  records.passed(here, domain_.now(), segment.transaction.source, segment.transaction.mark,
                 passage);
}

/// Where the NIC takes bytes in more slowly than the port gives them, a segment waits here for
/// both.
void Router::note_ejection(Segment& segment, unsigned came_by, Time port, Time nic) {
  telemetry::NetworkRecords& records = *share_.records;
  const Topology& topology = timing_.topology;
  const Component here = Component::router(number_);
  const std::uint8_t set = mark_here(records, here, domain_.now(), segment);
  const bool netlink = came_by == netlink_port();
  Flow before_port;
  if (!netlink) before_port = hold(host_port(), segment);
  const unsigned own_port = host_port() + 2 + topology.nics_per_router() + segment.port;
  const Flow before_nic = hold(own_port, segment);
  if (!segment.marked) return;
  const Time arrived = segment.passage.head;
  telemetry::Passage passage{arrived, nic};
  passage.port = static_cast<std::uint8_t>(came_by == netlink_port() ? came_by : host_port());
  passage.next = Component::nic(topology.nid_at(number_, segment.port));
  passage.behind = !netlink && port - arrived >= nic - port ? &before_port : &before_nic;
  passage.flags = flags_of(segment) | set;
  records.passed(here, domain_.now(), segment.transaction.source, segment.transaction.mark,
                 passage);
  segment.passage.head = nic + timing_.nic_to_router;  // for note_arrival()
}

void Router::note_departure(Segment& segment, unsigned nic, Passage through, Time left) {
  const bool netlink = segment.route.arrived();
  const Flow before_port = hold(netlink ? host_port() + 2 + nic : host_port() + 1, segment);
  const bool waited_for_port = left - through.head > through.head - departs_from(segment, nic);
  note_leaving_nic(segment, nic, left, Component::router(number_),
                   waited_for_port ? &before_port : nullptr);
}

void Router::note_loopback(Segment& segment, unsigned nic, Time left) {
  note_leaving_nic(segment, nic, left, Component::nic(timing_.topology.nid_at(number_, nic)),
                   nullptr);
  segment.passage.head = left + timing_.loopback;  // for note_arrival()
}

/// When the segment's command, or what it answers, came to the NIC.
Time Router::departs_from(const Segment& segment, unsigned nic) const {
  if (!segment.marked) return nodes_domain_.now();
  if (segment.channel == kResponses) return segment.passage.head;  // NicPort::respond()
  return share_.records->submitted_at(timing_.topology.nid_at(number_, nic),
                                      segment.transaction.mark);
}

/// `before`: what it waited behind; null: the one that left the NIC before it.
void Router::note_leaving_nic(Segment& segment, unsigned nic, Time left, Component next,
                              const Flow* before) {
  telemetry::NetworkRecords& records = *share_.records;
  const std::uint32_t nid = timing_.topology.nid_at(number_, nic);
  const Component here = Component::nic(nid);
  const Time now = nodes_domain_.now();
  const Time arrived = departs_from(segment, nic);
  const std::uint8_t set = mark_here(records, here, now, segment);
  const Flow before_nic =
      records.hold_nic(nid, segment.channel, telemetry::flow_of(segment.transaction));
  if (!segment.marked) return;
  telemetry::Passage passage{arrived, left};
  passage.next = next;
  passage.behind = before != nullptr ? before : &before_nic;
  passage.flags = flags_of(segment) | set;
  records.passed(here, now, segment.transaction.source, segment.transaction.mark, passage);
}

void Router::note_arrival(const Segment& segment, unsigned nic) {
  const std::uint32_t nid = timing_.topology.nid_at(number_, nic);
  const Time now = nodes_domain_.now();
  telemetry::Passage passage{segment.passage.head, now};
  passage.flags = static_cast<std::uint8_t>(flags_of(segment) | Record::delivered);
  share_.records->passed(Component::nic(nid), now, segment.transaction.source,
                         segment.transaction.mark, passage);
}

}  // namespace gemini
