// Phit and packet counts of every link, from the segments that were timed.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "tests/gemini/message/test_machine.h"

namespace gemini_test {
namespace {

using gemini::Direction;
using gemini::LinkCounters;
using gemini::Port;
using gemini::RouterId;
using ugni::TransactionKind;

using LinkKey = std::pair<RouterId, unsigned>;

/// What each link should have counted after one transfer: nothing off both routes.
std::map<LinkKey, LinkCounters> expected(const Machine& machine, Nid from, Nid to,
                                         LinkCounters weight) {
  const gemini::Torus& torus = machine.torus();
  std::map<LinkKey, LinkCounters> counters;
  const auto add = [&](Nid source, Nid target, std::size_t channel) {
    for (const Port port : torus.path(torus.router_of(source), torus.router_of(target))) {
      LinkCounters& link = counters[{port.router, port.link}];
      link.phits[channel] += weight.phits[channel];
      link.packets[channel] += weight.packets[channel];
    }
  };
  add(from, to, 0);
  add(to, from, 1);
  return counters;
}

void expect_counts(Machine& machine, std::map<LinkKey, LinkCounters> counters) {
  for (RouterId id = 0; id < machine.torus().routers(); ++id) {
    for (std::uint8_t link = 0; link < machine.torus().links_per_router(); ++link) {
      EXPECT_EQ(machine.network().link_counters({id, link}), (counters[{id, link}]))
          << id << " " << machine.torus().link_name(link);
    }
  }
}

/// The link that leaves a Gemini of number 0 or 1 along X.
Port along_x(RouterId router, Direction direction) {
  return {router, static_cast<std::uint8_t>(direction)};
}

TEST(Counters, OneMegabytePutOnEveryLinkOfItsRoute) {
  Machine machine("cielo");
  const Nid from = machine.nid(0, 0, 0), to = machine.nid(2, 1, 3, 1);
  machine.put(from, to, 1 << 20);
  machine.run();
  const LinkCounters weight = {{524288, 49152}, {16384, 16384}};
  expect_counts(machine, expected(machine, from, to, weight));
  EXPECT_EQ(machine.network().injection_counters(machine.id(0, 0, 0)),
            (LinkCounters{{524288, 0}, {16384, 0}}));
  EXPECT_EQ(machine.network().ejection_counters(machine.id(0, 0, 0)),
            (LinkCounters{{0, 49152}, {0, 16384}}));
  EXPECT_EQ(machine.network().ejection_counters(machine.id(2, 1, 3)),
            (LinkCounters{{524288, 0}, {16384, 0}}));
  EXPECT_EQ(machine.network().injection_counters(machine.id(2, 1, 3)),
            (LinkCounters{{0, 49152}, {0, 16384}}));
}

TEST(Counters, GetWithAShortTail) {
  Machine machine("4x4x4");
  const Nid from = machine.nid(1, 0, 0), to = machine.nid(0, 3, 2);
  machine.get(from, to, 100000);  // 1562 full packets and 32 bytes
  machine.run();
  const std::uint64_t packets = 1563;
  expect_counts(machine, expected(machine, from, to,
                                  {{packets * 8, 1562 * 27 + 5 + 11}, {packets, packets}}));
}

TEST(Counters, SegmentSizeDoesNotChangeThem) {
  for (const std::int64_t segment : {64, 100, 4096, 1 << 20}) {
    corespec::Parameters parameters;
    parameters.segment_bytes = segment;
    Machine machine("2x2x2", parameters);
    machine.put(0, machine.nid(1, 0, 0), 50000);  // 781 full packets and 16 bytes
    machine.run();
    EXPECT_EQ(machine.network().link_counters(along_x(0, Direction::x_plus)),
              (LinkCounters{{781 * 32 + 16, 0}, {782, 0}}))
        << segment;
  }
}

TEST(Counters, TheTwoNodesOfAGeminiCrossThePortAndNoLink) {
  Machine machine("2x2x2");
  machine.put(0, 1, 64);
  machine.run();
  expect_counts(machine, {});
  EXPECT_EQ(machine.network().injection_counters(0), (LinkCounters{{32, 3}, {1, 1}}));
  EXPECT_EQ(machine.network().ejection_counters(0), (LinkCounters{{32, 3}, {1, 1}}));
}

TEST(Counters, CqWrite) {
  Machine machine("4x1x1");
  machine.nic(2);
  machine.network().submit(machine.make(TransactionKind::cq_write, 0, 2, 0), {});
  machine.run();
  EXPECT_EQ(machine.network().link_counters(along_x(0, Direction::x_plus)),
            (LinkCounters{{13, 0}, {1, 0}}));
  EXPECT_EQ(machine.network().link_counters(along_x(1, Direction::x_minus)),
            (LinkCounters{{0, 3}, {0, 1}}));
}

TEST(Counters, ThereAreNoneOfALinkThatNoRouterHas) {
  Machine machine("2x2x2");
  EXPECT_THROW(machine.network().link_counters({0, 6}), std::out_of_range);
  EXPECT_THROW(machine.network().link_counters({8, 0}), std::out_of_range);
  EXPECT_THROW(machine.network().injection_counters(8), std::out_of_range);
}

TEST(Description, NamesShapeFidelityAndBandwidths) {
  Machine machine("cielo");
  EXPECT_EQ(machine.network().describe(),
            "network: 16x12x24 torus (cielo), 4608 Geminis, 9216 nodes, fidelity message, "
            "dimension-order routing\n"
            "network: hop 105 ns, NIC to router 279.5 ns per end, NIC 8.32 GB/s each way, window "
            "1024 requests, segments 16384 bytes\n"
            "network: links X 9.38, Y 9.38 mezzanine and 4.69 cable, Z 15.00 backplane and 9.38 "
            "cable, host 10.40 GB/s each way\n");
}

}  // namespace
}  // namespace gemini_test
