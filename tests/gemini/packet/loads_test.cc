// Heavy loads: each completes, with right data, whatever fills up.
#include <gtest/gtest.h>

#include "tests/gemini/packet/transfers.h"

namespace gemini_test {
namespace {

void expect_completion(const char* system, const std::vector<Transfer>& transfers,
                       const corespec::Parameters& parameters) {
  Machine machine(system, parameters);
  start(machine, transfers);
  machine.run();
  expect_done(machine, transfers);
}

void expect_completion(const char* system, const std::vector<Transfer>& transfers) {
  expect_completion(system, transfers, in_packets());
  expect_completion(system, transfers, tight());
}

// Each node sends nearly half way round its ring, all in one direction, so that every buffer of
// every link of the ring fills.
TEST(Loads, EveryRingFull) {
  for (const char* system : {"9x1x1", "1x8x1", "1x1x16", "3x4x5"}) {
    const auto torus = gemini::Torus::parse(system);
    std::vector<Transfer> transfers;
    for (Nid from = 0; from < torus.nodes(); ++from) {
      const gemini::Coordinates at = torus.coordinates(torus.router_of(from));
      const auto far = [&](int dimension, unsigned place) {
        const auto size = static_cast<unsigned>(torus.size(dimension));
        return static_cast<std::uint16_t>((place + size / 2) % size);
      };
      const gemini::Coordinates to{far(0, at.x), far(1, at.y), far(2, at.z)};
      for (const std::uint16_t mode : {std::uint16_t{0}, ugni::in_order}) {
        transfers.push_back({from, torus.nid_at(torus.router_at(to), from % 2), 4096, false, mode});
        transfers.push_back({from, torus.nid_at(torus.router_at(to), from % 2), 4096, true, mode});
      }
    }
    expect_completion(system, transfers);
  }
}

TEST(Loads, AllToAll) {
  for (const char* system : {"3x3x3", "dragonfly:3x2x4x4"}) {
    const Nid nodes = gemini::make_topology(system)->nodes();
    std::vector<Transfer> transfers;
    for (Nid from = 0; from < nodes; ++from) {
      for (Nid to = 0; to < nodes; ++to) transfers.push_back({from, to, 200});
    }
    expect_completion(system, transfers);
  }
}

TEST(Loads, Incast) {
  std::vector<Transfer> transfers;
  for (Nid from = 0; from < 128; ++from) transfers.push_back({from, 77, 6400, from % 2 == 0});
  expect_completion("4x4x4", transfers);
}

TEST(Loads, TransposesAndTornado) {
  const auto torus = gemini::Torus::parse("4x4x4");
  std::vector<Transfer> transfers;
  for (gemini::RouterId from = 0; from < torus.routers(); ++from) {
    const gemini::Coordinates at = torus.coordinates(from);
    for (const gemini::Coordinates to :
         {gemini::Coordinates{at.y, at.x, at.z}, gemini::Coordinates{at.z, at.y, at.x},
          gemini::Coordinates{static_cast<std::uint16_t>((at.x + 1) % 4),
                              static_cast<std::uint16_t>((at.y + 1) % 4),
                              static_cast<std::uint16_t>((at.z + 1) % 4)}}) {
      for (const unsigned nic : {0U, 1U}) {
        transfers.push_back(
            {torus.nid_at(from, nic), torus.nid_at(torus.router_at(to), nic), 3200, nic == 1});
      }
    }
  }
  expect_completion("4x4x4", transfers);
}

class RandomLoad : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(, RandomLoad, testing::Range(0, 100));

TEST_P(RandomLoad, Completes) {
  Draw draws(static_cast<std::uint64_t>(GetParam()) * 77 + 5);
  const auto draw = [&](std::uint64_t bound) { return draws.below(bound); };
  constexpr const char* systems[] = {"2x2x2", "3x2x5", "1x1x7", "4x1x3", "dragonfly:3x2x2x2"};
  const char* const system = systems[draw(5)];
  const Nid nodes = gemini::make_topology(system)->nodes();
  corespec::Parameters parameters = in_packets();
  parameters.tile_input_phits = static_cast<std::int64_t>(32 + draw(100));
  parameters.tile_output_phits = static_cast<std::int64_t>(32 + draw(100));
  parameters.nic_input_phits = static_cast<std::int64_t>(32 + draw(300));
  parameters.nic_window = static_cast<std::int64_t>(1 + draw(500));
  parameters.segment_bytes = static_cast<std::int64_t>(64 << draw(9));
  constexpr const char* choices[] = {"auto", "deterministic", "hashed", "adaptive"};
  parameters.tile_choice = choices[draw(4)];
  std::vector<Transfer> transfers(20 + draw(200));
  for (Transfer& each : transfers) {
    each.from = static_cast<Nid>(draw(nodes));
    each.to = static_cast<Nid>(draw(nodes));
    each.bytes = draw(3) == 0 ? draw(20000) : draw(300);
    each.is_get = draw(2) == 0;
    each.mode = static_cast<std::uint16_t>(draw(8));
  }
  expect_completion(system, transfers, parameters);
}

// Data, in both directions, at places of their own.
TEST(Loads, BringEveryByteToItsPlace) {
  Machine machine("2x2x2", tight());
  std::vector<Transfer> transfers;
  for (Nid from = 0; from < 16; ++from) {
    for (int each = 0; each < 3; ++each) {
      transfers.push_back({from, (from * 7 + 3) % 16, 40000});
    }
  }
  start(machine, transfers);
  machine.run();
  expect_done(machine, transfers);
  std::uint64_t place = 0, key = 0;
  for (const Transfer& each : transfers) {
    const Bytes& memory = machine.nic(each.to).memory;
    ASSERT_GE(memory.size(), place + each.bytes);
    const Bytes arrived(memory.begin() + static_cast<std::ptrdiff_t>(place),
                        memory.begin() + static_cast<std::ptrdiff_t>(place + each.bytes));
    EXPECT_EQ(arrived, random_bytes(each.bytes, ++key));
    place += each.bytes;
  }
  Machine reader("2x2x2", tight());
  std::vector<std::uint64_t> gets;
  for (Nid from = 1; from < 16; ++from) gets.push_back(reader.get(from, 0, 50000));
  reader.run();
  for (Nid from = 1; from < 16; ++from) {
    EXPECT_EQ(reader.nic(from).buffers[gets[from - 1]], random_bytes(50000, 1));
  }
}

}  // namespace
}  // namespace gemini_test
