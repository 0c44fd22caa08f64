// Phit and packet counts of every link, from the segments that were timed.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/gemini/test_machine.h"

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
  const gemini::Topology& topology = machine.topology();
  std::map<LinkKey, LinkCounters> counters;
  const auto add = [&](Nid source, Nid target, std::size_t channel) {
    for (const Port port : topology.path(topology.router_of(source), topology.router_of(target))) {
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
  for (RouterId id = 0; id < machine.topology().routers(); ++id) {
    for (std::uint8_t link = 0; link < machine.topology().links_per_router(); ++link) {
      EXPECT_EQ(machine.passed({id, link}), (counters[{id, link}]))
          << id << " " << machine.topology().link_name(link);
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
  EXPECT_EQ(machine.injected(machine.id(0, 0, 0)), (LinkCounters{{524288, 0}, {16384, 0}}));
  EXPECT_EQ(machine.injected(machine.id(2, 1, 3)), (LinkCounters{{0, 49152}, {0, 16384}}));
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

/// As from one part of a machine to another.
TEST(Counters, ArePackedAndAdded) {
  corespec::Parameters parameters;
  parameters.counters_every = Time::microseconds(2);
  Machine machine("4x4x4", parameters), other("4x4x4", parameters);
  machine.put(machine.nid(1, 0, 0), machine.nid(0, 3, 2), 100000);
  machine.run();
  const std::string packed = machine.counters().pack();
  gemini::TileCounters& sum = other.network().counters()->tiles;
  sum.add(packed);
  for (RouterId router = 0; router < machine.topology().routers(); ++router) {
    EXPECT_EQ(sum.host(router), machine.counters().host(router));
    for (std::uint8_t link = 0; link < machine.topology().links_per_router(); ++link) {
      EXPECT_EQ(sum.link({router, link}), machine.counters().link({router, link}));
    }
    const auto& here = machine.counters().series().of(router);
    const auto& there = sum.series().of(router);
    ASSERT_EQ(there.size(), here.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      EXPECT_EQ(there[i].number, here[i].number);
      EXPECT_EQ(there[i].ports, here[i].ports);
    }
  }
  EXPECT_GT(machine.counters().series().of(machine.id(1, 0, 0)).size(), 1U);
  // To what is there already.
  const LinkCounters once = sum.host(machine.id(1, 0, 0));
  sum.add(packed);
  LinkCounters twice = once;
  twice += once;
  EXPECT_EQ(sum.host(machine.id(1, 0, 0)), twice);
  EXPECT_THROW(sum.add(packed.substr(0, packed.size() - 1)), std::runtime_error);
}

TEST(Counters, SegmentSizeDoesNotChangeThem) {
  for (const std::int64_t segment : {64, 100, 4096, 1 << 20}) {
    corespec::Parameters parameters;
    parameters.segment_bytes = segment;
    Machine machine("2x2x2", parameters);
    machine.put(0, machine.nid(1, 0, 0), 50000);  // 781 full packets and 16 bytes
    machine.run();
    EXPECT_EQ(machine.passed(along_x(0, Direction::x_plus)),
              (LinkCounters{{781 * 32 + 16, 0}, {782, 0}}))
        << segment;
  }
}

TEST(Counters, NetlinkBetweenTheTwoNodesOfAGeminiIsNoTile) {
  Machine machine("2x2x2");
  machine.put(0, 1, 64);
  machine.run();
  expect_counts(machine, {});
  EXPECT_EQ(machine.injected(0), LinkCounters());
}

TEST(Counters, ANicToItselfIsNoTile) {
  Machine machine("2x2x2");
  machine.put(0, 0, 64);
  machine.run();
  expect_counts(machine, {});
  EXPECT_EQ(machine.injected(0), LinkCounters());
}

/// Odd rings, both ways round, closing links, every type of link; links of all colours.
TEST(Counters, BothRoutesBetweenManyPairs) {
  const LinkCounters weight = {{2 * 32 + 16, 9}, {3, 3}};
  for (const char* shape :
       {"5x3x9", "2x2x2", "3x1x10", "1x4x1", "dragonfly:3x2x4x4", "dragonfly:5x1x3x2"}) {
    const auto topology = gemini::make_topology(shape);
    const Nid nodes = topology->nodes();
    for (Nid from = 0; from < nodes; from += 7) {
      for (Nid to = 1; to < nodes; to += 11) {
        if (topology->router_of(from) == topology->router_of(to)) continue;
        Machine machine(topology);
        machine.put(from, to, 2 * 64 + 16);
        machine.run();
        expect_counts(machine, expected(machine, from, to, weight));
      }
    }
  }
}

/// What has counted at the tiles of a port, in their order.
std::vector<LinkCounters> tiles(const Machine& machine, Port port) {
  std::vector<LinkCounters> counters;
  for (const gemini::Tile tile : machine.torus().tiles_of(port)) {
    counters.push_back(machine.counters().at({port.router, tile}));
  }
  return counters;
}

TEST(Counters, APacketsTileIsItsTargetModuloTheLinksTiles) {
  Machine machine("4x4x4");
  const Nid from = machine.nid(0, 0, 0), to = machine.nid(1, 1, 0, 1);
  machine.put(from, to, 640);
  machine.run();
  // In X eight tiles, in Y four. Requests have the target's number, responses the source's.
  const auto along = [&](RouterId router, Direction out) {
    return tiles(machine, machine.torus().far_end({router, static_cast<std::uint8_t>(out)}));
  };
  std::vector<LinkCounters> in_x(8), back_in_x(8), in_y(4);
  in_x[to % 8] = {{320, 0}, {10, 0}};
  back_in_x[from % 8] = {{0, 30}, {0, 10}};
  in_y[to % 4] = {{320, 0}, {10, 0}};
  EXPECT_EQ(along(machine.id(0, 0, 0), Direction::x_plus), in_x);
  EXPECT_EQ(along(machine.id(1, 0, 0), Direction::y_plus), in_y);
  // The response goes by X first, too, from its own end.
  EXPECT_EQ(along(machine.id(1, 1, 0), Direction::x_minus), back_in_x);
  const gemini::Tile host = machine.torus().host_tiles()[to % 8];
  EXPECT_EQ(machine.counters().at({machine.id(0, 0, 0), host}), (LinkCounters{{320, 0}, {10, 0}}));
}

TEST(Counters, HashedPacketsTakeTurnsWhateverTheSegmentSize) {
  for (const std::int64_t segment : {64, 192, 16384}) {
    corespec::Parameters parameters;
    parameters.segment_bytes = segment;
    parameters.tile_choice = "hashed";
    Machine machine("4x4x4", parameters);
    const Nid to = machine.nid(1, 0, 0);
    machine.put(0, to, 5 * 64 + 1);  // six packets, then five more
    machine.put(0, to, 4 * 64 + 6);
    machine.run();
    std::vector<LinkCounters> in_x(8);
    for (unsigned packet = 0; packet < 11; ++packet) {
      const std::uint64_t phits = packet == 5 ? 11 : (packet == 10 ? 12 : 32);
      in_x[(to + packet) % 8] += {{phits, 0}, {1, 0}};
    }
    EXPECT_EQ(tiles(machine, machine.torus().far_end(along_x(0, Direction::x_plus))), in_x)
        << segment;
  }
}

TEST(Counters, HashedButForDeliveryModesThatSayNoHash) {
  corespec::Parameters parameters;
  parameters.tile_choice = "hashed";
  Machine machine("4x4x4", parameters);
  const Nid to = machine.nid(1, 0, 0);
  auto put = machine.make(TransactionKind::put, 0, to, 640);
  put.delivery_mode = ugni::no_hash;
  machine.nic(to);
  const Bytes bytes = random_bytes(640, 1);
  machine.network().submit(put, ugni::Payload(std::span(bytes)));
  machine.run();
  std::vector<LinkCounters> in_x(8);
  in_x[to % 8] = {{320, 0}, {10, 0}};
  EXPECT_EQ(tiles(machine, machine.torus().far_end(along_x(0, Direction::x_plus))), in_x);
}

TEST(Counters, CompressionLeavesOutRunsAndKeepsPackets) {
  corespec::Parameters parameters;
  parameters.compression = "runs";
  const auto of = [&](const Bytes& bytes, TransactionKind kind) {
    Machine machine("4x4x4", parameters);
    const Nid to = machine.nid(1, 0, 0);
    auto transaction = machine.make(kind, 0, to, bytes.size());
    machine.nic(to).memory = bytes;
    if (kind == TransactionKind::get) {
      machine.network().submit(transaction, {});
    } else {
      machine.network().submit(transaction, ugni::Payload(std::span(bytes)));
    }
    machine.run();
    LinkCounters both = machine.passed(along_x(0, Direction::x_plus));
    return both += machine.passed(along_x(machine.id(1, 0, 0), Direction::x_minus));
  };
  constexpr std::size_t megabyte = 1 << 20;
  EXPECT_EQ(of(random_bytes(megabyte, 3), TransactionKind::put),
            (LinkCounters{{524288, 49152}, {16384, 16384}}));
  for (const std::byte run : {std::byte{0x00}, std::byte{0xFF}}) {
    const Bytes bytes(megabyte, run);
    EXPECT_EQ(of(bytes, TransactionKind::put),
              (LinkCounters{{std::uint64_t{16384} * 11, 49152}, {16384, 16384}}));
    EXPECT_EQ(of(bytes, TransactionKind::get),
              (LinkCounters{{std::uint64_t{16384} * 8, std::uint64_t{16384} * 6}, {16384, 16384}}));
  }
}

/// Asks for a tile's counters of its Gemini, from within its nodes' domain.
class Reader final : public corespec::Event, public ugni::RegisterRead {
 public:
  Reader(Machine& machine, Nid nid, gemini::Tile tile)
      : RegisterRead(nid, {tile_register(tile, ugni::TileCounter::request_phits),
                           tile_register(tile, ugni::TileCounter::response_phits),
                           tile_register(tile, ugni::TileCounter::request_packets),
                           tile_register(tile, ugni::TileCounter::response_packets),
                           tile_register(tile, ugni::TileCounter::input_stalls),
                           tile_register(tile, ugni::TileCounter::output_stalls)}),
        machine_(machine),
        nid_(nid) {}
  void fire(std::uint64_t) override { EXPECT_TRUE(machine_.network().read_registers(nid_, *this)); }
  void answered() override { at = machine_.queue().now(); }
  Time at;

 private:
  Machine& machine_;
  Nid nid_;
};

/// Against a look at the router at the same moment, between two events.
TEST(Registers, AReadIsASampleAtTheRouterOnTheWay) {
  const auto load = [](Machine& machine) {
    for (const Nid to : {9U, 18U, 33U}) {
      machine.put(0, to, 30000);
      machine.get(to, 0, 20000);
    }
  };
  const Time way = Time::nanoseconds(279.5);
  std::uint64_t random = 1;
  for (int round = 0; round < 50; ++round) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const Time begin = Time::picoseconds(static_cast<std::int64_t>(random >> 44) * 13 + 1);
    Machine looked("3x3x3");
    load(looked);
    looked.run(begin + way);
    Machine machine("3x3x3");
    load(machine);
    const RouterId router = 13;
    const gemini::Tile tile = machine.torus().host_tiles()[round % 8];
    std::deque<Reader> readers;
    corespec::EventSource source{1U << 20, 0};
    for (gemini::Tile each = 0; each < gemini::kTiles; ++each) {
      readers.emplace_back(machine, machine.torus().nid_at(router, tile % 2), each);
      machine.nic(machine.torus().nid_at(router, tile % 2));
      machine.domain(router).schedule(begin, source, readers.back(), 0);
    }
    machine.run();
    for (gemini::Tile each = 0; each < gemini::kTiles; ++each) {
      const LinkCounters& at = looked.counters().at({router, each});
      EXPECT_EQ(readers[each].values,
                (std::vector<std::uint64_t>{at.phits[0], at.phits[1], at.packets[0], at.packets[1],
                                            0, 0}))
          << begin.ns() << " " << unsigned{each};
      EXPECT_EQ(readers[each].at, begin + way + way);
    }
  }
}

/// Packets and data flits of a NIC's flow.
std::pair<std::uint64_t, std::uint64_t> flow(Machine& machine, Nid nid, ugni::NicFlow flow) {
  const gemini::NicCounters& nic = machine.network().counters()->nics[nid];
  ugni::Register which{ugni::Register::Kind::nic_packets, 0, {}, ugni::flow_bit(flow)};
  const std::uint64_t packets = nic.value(which);
  which.kind = ugni::Register::Kind::nic_data_flits;
  const std::uint64_t data = nic.value(which);
  which.kind = ugni::Register::Kind::nic_flits;
  EXPECT_EQ(nic.value(which), packets + data);
  which.kind = ugni::Register::Kind::nothing;
  EXPECT_EQ(nic.value(which), 0U);
  return {packets, data};
}

TEST(NicRegisters, CountWhatPassesWhicheverWayItGoes) {
  using ugni::NicFlow;
  using Counted = std::pair<std::uint64_t, std::uint64_t>;
  Machine machine("2x2x2");
  const Nid far = machine.nid(1, 0, 0), near = 1;
  machine.put(0, far, 100, 1);   // two packets of 4 and 3 flits
  machine.put(0, near, 130, 0);  // through Netlink: 4, 4 and 1
  machine.put(0, 0, 64, 0);      // to itself
  machine.get(0, far, 200);      // three packets of 4, and 1
  machine.network().submit(machine.make(TransactionKind::atomic, far, 0, 8), {});
  machine.run();
  EXPECT_EQ(flow(machine, 0, NicFlow::bte), (Counted{2, 7}));
  EXPECT_EQ(flow(machine, 0, NicFlow::fma), (Counted{3 + 4, 9}));
  EXPECT_EQ(flow(machine, 0, NicFlow::loopback), (Counted{1, 4}));
  EXPECT_EQ(flow(machine, 0, NicFlow::responses_received), (Counted{2 + 3 + 4, 13}));
  EXPECT_EQ(flow(machine, 0, NicFlow::requests_received), (Counted{1, 1}));
  EXPECT_EQ(flow(machine, 0, NicFlow::atomics_received), (Counted{1, 1}));
  EXPECT_EQ(flow(machine, 0, NicFlow::atomics_answered), (Counted{1, 1}));
  EXPECT_EQ(flow(machine, far, NicFlow::requests_received), (Counted{2 + 4, 7}));
  EXPECT_EQ(flow(machine, far, NicFlow::gets_answered), (Counted{4, 13}));
  EXPECT_EQ(flow(machine, far, NicFlow::others_answered), (Counted{2, 0}));
  EXPECT_EQ(flow(machine, near, NicFlow::requests_received), (Counted{3, 9}));
  EXPECT_EQ(flow(machine, near, NicFlow::fma), (Counted{0, 0}));
}

TEST(NicRegisters, AnotherGeminisAreNotAtThisOne) {
  Machine machine("2x2x2");
  Reader reader(machine, 2, 0);
  machine.nic(0);
  EXPECT_THROW(machine.network().read_registers(0, reader), std::invalid_argument);
}

TEST(Registers, ANetworkThatDoesNotCountHasNone) {
  Machine machine("2x2x2", {}, Machine::Counting::off);
  Reader reader(machine, 0, 0);
  machine.nic(0);
  EXPECT_FALSE(machine.network().read_registers(0, reader));
  EXPECT_EQ(machine.network().counters(), nullptr);
}

TEST(Counters, CqWrite) {
  Machine machine("4x1x1");
  machine.nic(2);
  machine.network().submit(machine.make(TransactionKind::cq_write, 0, 2, 0), {});
  machine.run();
  EXPECT_EQ(machine.passed(along_x(0, Direction::x_plus)), (LinkCounters{{13, 0}, {1, 0}}));
  EXPECT_EQ(machine.passed(along_x(1, Direction::x_minus)), (LinkCounters{{0, 3}, {0, 1}}));
}

TEST(Counters, ThereAreNoneOfALinkThatNoRouterHas) {
  Machine machine("2x2x2");
  EXPECT_THROW(machine.passed({0, 6}), std::out_of_range);
  EXPECT_THROW(machine.passed({8, 0}), std::out_of_range);
  EXPECT_THROW(machine.injected(8), std::out_of_range);
  EXPECT_THROW(machine.counters().at({0, 48}), std::out_of_range);
  EXPECT_THROW(machine.counters().at({8, 0}), std::out_of_range);
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
