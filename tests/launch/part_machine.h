// A small machine of nodes, routers and a launcher, of which an engine runs a part, for tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "corespec/random/random_stream.h"
#include "corespec/virtual/engine.h"
#include "corespec/virtual/foreign_domain.h"
#include "launch/workers/part.h"

namespace launch_test {

using corespec::Time;

/// Eight nodes, each with a router; routers are a ring. Nodes do something at random times and send
/// flights to each other, which routers serve one after another and pass on; a node answers some.
/// Now and then the nodes meet in an exchange with the launcher, as ranks do. What happens at nodes
/// is recorded. In the end a single flight goes to and fro. Part p has the nodes [8p / parts, 8(p +
/// 1) / parts) with their routers.
class PartMachine final : private corespec::Border {
 public:
  static constexpr std::size_t nodes = 8;
  struct Plan {
    int phases = 5;  ///< with an exchange behind each
    int steps = 30;  ///< of a node in every other phase; in the others all meet at once
    bool is_interrupted = false;
    bool polls = false;  ///< nodes look for news for ever, which itself is none
    Time longest_turn = Time::max();
  };

  PartMachine(const launch::Part& part, const Plan& plan);

  corespec::Engine& engine() { return engine_; }
  /// Goes on up to the limit or the end, through all interruptions.
  corespec::Engine::End run_up_to(Time limit);
  int interruptions() const { return interruptions_; }
  /// Flights that have come from another part.
  int arrivals() const { return arrivals_; }

 private:
  /// From node to node. At routers in the lane of the router, at its node as `arrives`.
  struct Flight final : corespec::Event {
    void fire(std::uint64_t arg) override;
    PartMachine* machine = nullptr;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t number = 0;
    std::uint32_t answers_left = 0;
  };
  /// A flight in a letter.
  struct Packed {
    corespec::EventQueue::Entry entry;  ///< of no event
    std::uint32_t from, to, number, answers_left;
  };
  struct Node final : corespec::Event {
    void fire(std::uint64_t arg) override;
    PartMachine* machine = nullptr;
    std::uint32_t number = 0;
    corespec::VirtualDomain* domain = nullptr;
    corespec::EventSource source;
    corespec::RandomStream random{0, 0};
    int steps_left = 0;
    int phases_left = 0;
    std::uint32_t sent = 0;
  };
  struct Poll final : corespec::Event {
    void fire(std::uint64_t arg) override;
    bool brings_news() const override { return false; }
    Node* node = nullptr;
    corespec::EventSource source;
  };
  struct Launcher final : corespec::Event {
    void fire(std::uint64_t) override { machine->node_has_come(); }
    PartMachine* machine = nullptr;
  };
  struct Router {
    corespec::EventSource source;
    Time free;
  };

  std::size_t part_of(std::size_t number) const {
    std::size_t part = 0;
    while (number >= nodes * (part + 1) / part_.count) ++part;
    return part;
  }
  corespec::EventDomain& routers_of(std::size_t router);
  Flight& new_flight();
  void launch(Node& node, std::uint32_t to, std::uint32_t answers);
  void at_router(Flight& flight, std::uint32_t router);
  void at_node(Flight& flight);
  void step(Node& node);
  void node_has_come();
  void met(Time last);
  void send(std::size_t part, const corespec::EventQueue::Entry& entry) override;
  void set_readers();

  launch::Part part_;
  Plan plan_;
  corespec::Engine engine_;
  corespec::VirtualDomain* own_routers_ = nullptr;
  std::vector<corespec::ForeignDomain> others_;
  std::array<Node, nodes> nodes_;
  std::array<Poll, nodes> polls_;
  std::array<Router, nodes> routers_;
  corespec::VirtualDomain* service_ = nullptr;
  corespec::EventSource service_source_;
  Launcher launcher_;
  std::size_t own_ = 0;  ///< nodes
  std::size_t come_ = 0;
  std::size_t parts_met_ = 0;
  Time last_;
  std::deque<Flight> flights_;
  std::vector<Flight*> free_;
  int interruptions_ = 0;
  int arrivals_ = 0;
};

}  // namespace launch_test
