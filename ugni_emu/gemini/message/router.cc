// The hot path: a segment's head at a router, one event per hop.
#include "ugni_emu/gemini/message/router.h"

#include "ugni_emu/wire/observed.h"

namespace gemini {

using corespec::Occurrence;

Router::Router(const Timing& timing, SegmentPool& pool, const Position& position,
               corespec::EventDomain& domain, corespec::EventDomain& nodes,
               corespec::EventSource source)
    : timing_(timing),
      domain_(domain),
      nodes_domain_(nodes),
      first_(position.first),
      pool_(pool),
      source_(source),
      stride_(position.stride),
      number_(position.number) {}

void Segment::fire(std::uint64_t arg) {
  const auto stage = static_cast<std::uint8_t>(arg);
  if (stage == at_router) {
    router->forward(*this);
  } else if (stage == request_arrived) {
    router->port(port).accept_request(*this);
  } else {
    router->port(port).accept_response(*this);
  }
}

void Segment::perform() { router->port(source_port).submit(*this); }

void Router::forward(Segment& segment) {
  if (segment.route.arrived()) {
    eject(segment);
    return;
  }
  const unsigned out = segment.route.link();
  Link& link = this->link(out);
  segment.route.step();
  const Passage left = link.pass(timing_, segment, segment.passage);
  corespec::observe(domain_, [&] {
    Occurrence made = ugni::observed(Occurrence::Kind::link_passed, segment.transaction, number(),
                                     segment.length, left.head, left.tail);
    made.part = out;
    return made;
  });
  segment.passage = {left.head + timing_.hop, left.tail + timing_.hop};
  segment.router = &other(link.leads_to);
  link.domain->schedule_from(domain_, segment.passage.head, source_, segment,
                             corespec::in_lane(link.leads_to, Segment::at_router));
}

/// Through the host port and the NIC's cap; the NIC acts when the tail is there.
void Router::eject(Segment& segment) {
  const Passage left = ejection_.pass(timing_, segment, segment.passage);
  const Passage in = port(segment.port).carrier().eject(timing_, segment, left);
  nodes_domain_.schedule_from(domain_, in.tail + timing_.nic_to_router, source_, segment,
                              Segment::request_arrived + segment.channel);
}

}  // namespace gemini
