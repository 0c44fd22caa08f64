// A small machine of which an engine runs a part.
#include "tests/launch/part_machine.h"

#include <algorithm>
#include <span>

namespace launch_test {
namespace {

using corespec::EventQueue;
using launch::Subject;

constexpr Time ns(std::int64_t value) { return Time::picoseconds(1000 * value); }
constexpr Time hop = ns(100);
constexpr Time node_to_router = ns(250);
constexpr Time exchange = ns(2000);

constexpr std::uint64_t arrives = 1;  ///< of a flight: at its node

}  // namespace

PartMachine::PartMachine(const launch::Part& part, const Plan& plan) : part_(part), plan_(plan) {
  own_routers_ = &engine_.add_domain(corespec::DomainClass::routers, corespec::QueueKind::lanes);
  for (std::size_t other = 0; other < part.count; ++other) {
    others_.emplace_back(static_cast<corespec::Border&>(*this), other, hop);
  }
  for (std::uint32_t i = 0; i < nodes; ++i) {
    nodes_[i].machine = this;
    nodes_[i].number = i;
    nodes_[i].domain = &engine_.add_domain();
    nodes_[i].source.id = 1 + i;
    nodes_[i].random = corespec::RandomStream(5, i);
    nodes_[i].steps_left = plan.steps;
    nodes_[i].phases_left = plan.phases;
    polls_[i].node = &nodes_[i];
    polls_[i].source.id = 11 + i;
    routers_[i].source.id = 21 + i;
  }
  service_ = &engine_.add_domain();
  service_source_.id = 31;
  launcher_.machine = this;
  engine_.set_least_delays(hop, node_to_router, exchange);
  engine_.set_longest_turn(plan.longest_turn);
  engine_.set_rounds(part.rounds);
  if (part.mail != nullptr) set_readers();
  for (std::size_t i = 0; i < nodes; ++i) {
    if (part_of(i) != part.number) continue;
    ++own_;
    nodes_[i].domain->schedule(Time(), nodes_[i].source, nodes_[i], 0);
    if (plan.polls) nodes_[i].domain->schedule(Time(), polls_[i].source, polls_[i], 0);
  }
}

corespec::Engine::End PartMachine::run_up_to(Time limit) {
  engine_.set_time_limit(limit);
  for (;;) {
    const corespec::Engine::End end = engine_.run();
    if (end != corespec::Engine::End::interrupted) return end;
    ++interruptions_;
  }
}

corespec::EventDomain& PartMachine::routers_of(std::size_t router) {
  const std::size_t part = part_of(router);
  if (part == part_.number) return *own_routers_;
  return others_[part];
}

PartMachine::Flight& PartMachine::new_flight() {
  if (free_.empty()) free_.push_back(&flights_.emplace_back());
  Flight& flight = *free_.back();
  free_.pop_back();
  flight.machine = this;
  return flight;
}

// ---- nodes

void PartMachine::Node::fire(std::uint64_t) { machine->step(*this); }

void PartMachine::step(Node& node) {
  corespec::VirtualDomain& domain = *node.domain;
  domain.record(1, static_cast<std::uint64_t>(node.steps_left));
  if (plan_.is_interrupted && node.steps_left % 7 == 3) engine_.interrupt_advance();
  if (node.steps_left-- == 0) {
    if (node.phases_left-- == 0) {
      constexpr std::uint32_t many = 40;
      if (node.number == 0) launch(node, nodes - 1, many);
      return;
    }
    service_->schedule_from(domain, domain.now() + exchange, node.source, launcher_, 0);
    return;
  }
  launch(node, static_cast<std::uint32_t>(node.random.below(nodes)),
         static_cast<std::uint32_t>(node.random.below(3)));
  const auto pause = static_cast<std::int64_t>(node.random.below(3'000'000)) + 1;
  domain.schedule(domain.now() + Time::picoseconds(pause), node.source, node, 0);
}

void PartMachine::launch(Node& node, std::uint32_t to, std::uint32_t answers) {
  Flight& flight = new_flight();
  flight.from = node.number;
  flight.to = to;
  flight.number = node.sent++;
  flight.answers_left = answers;
  own_routers_->schedule_from(*node.domain, node.domain->now() + node_to_router, node.source,
                              flight, corespec::in_lane(node.number, 0));
}

void PartMachine::Poll::fire(std::uint64_t) {
  corespec::Engine& engine = node->machine->engine_;
  if (engine.expects_news()) {
    engine.go_on();
  } else {
    engine.give_up();
  }
  node->domain->schedule(node->domain->now() + ns(300), source, *this, 0);
}

// ---- flights

void PartMachine::Flight::fire(std::uint64_t arg) {
  if (arg == arrives) {
    machine->at_node(*this);
  } else {
    machine->at_router(*this, corespec::lane_of(arg));
  }
}

/// Served when the one before has been: the order of those that come shows.
void PartMachine::at_router(Flight& flight, std::uint32_t router) {
  Router& here = routers_[router];
  const Time begin = std::max(own_routers_->now(), here.free);
  here.free = begin + ns(10 + flight.number % 7 * 20);
  if (router == flight.to) {
    nodes_[router].domain->schedule_from(*own_routers_, begin + node_to_router, here.source, flight,
                                         arrives);
    return;
  }
  const std::uint32_t ahead = (flight.to + nodes - router) % nodes;
  const std::uint32_t next = (router + (ahead <= nodes / 2 ? 1 : nodes - 1)) % nodes;
  routers_of(next).schedule_from(*own_routers_, begin + hop, here.source, flight,
                                 corespec::in_lane(next, 2));
}

void PartMachine::at_node(Flight& flight) {
  Node& node = nodes_[flight.to];
  node.domain->record(2 + flight.from, flight.number);
  if (flight.answers_left > 0) {
    launch(node, static_cast<std::uint32_t>(node.random.below(nodes)), flight.answers_left - 1);
  }
  free_.push_back(&flight);
}

// ---- exchanges

void PartMachine::node_has_come() {
  if (++come_ < own_) return;
  come_ = 0;
  const Time last = service_->now();
  if (part_.mail != nullptr) {
    part_.mail->send_to_others(Subject::met, last);
    for (std::size_t part = 0; part < part_.count; ++part) {
      part_.mail->expect_at_nodes(part, last + exchange);
    }
  }
  met(last);
}

void PartMachine::met(Time last) {
  last_ = std::max(last_, last);
  if (++parts_met_ < part_.count) return;
  parts_met_ = 0;
  for (Node& node : nodes_) {
    if (part_of(node.number) != part_.number) continue;
    node.steps_left = node.phases_left % 2 == 0 ? 0 : plan_.steps;
    node.domain->schedule_from(*service_, last_ + exchange, service_source_, node, 0);
  }
}

// ---- letters

void PartMachine::send(std::size_t part, const EventQueue::Entry& entry) {
  auto& flight = static_cast<Flight&>(*entry.event);
  part_.mail->send(part, Subject::router_event,
                   Packed{{entry.at, entry.key, nullptr, entry.arg},
                          flight.from,
                          flight.to,
                          flight.number,
                          flight.answers_left});
  part_.mail->expect_at_routers(part, entry.at);
  free_.push_back(&flight);
}

void PartMachine::set_readers() {
  part_.mail->set_reader(Subject::met, [this](std::size_t, std::span<const std::byte> letter) {
    met(launch::take_record<Time>(letter));
  });
  part_.mail->set_reader(Subject::router_event,
                         [this](std::size_t, std::span<const std::byte> letter) {
                           auto packed = launch::take_record<Packed>(letter);
                           Flight& flight = new_flight();
                           flight.from = packed.from;
                           flight.to = packed.to;
                           flight.number = packed.number;
                           flight.answers_left = packed.answers_left;
                           packed.entry.event = &flight;
                           own_routers_->accept(packed.entry);
                           ++arrivals_;
                         });
}

}  // namespace launch_test
