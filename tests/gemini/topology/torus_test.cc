// Shapes, presets and the rules that place nids.
#include "ugni_emu/gemini/topology/torus.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gemini {
namespace {

/// Coordinates of a node's Gemini, and its NIC there.
using Slot = std::pair<Coordinates, unsigned>;

Slot slot(std::uint16_t x, std::uint16_t y, std::uint16_t z, unsigned nic) {
  return {{x, y, z}, nic};
}

Slot slot_of(const Torus& torus, Nid nid) {
  const Place place = torus.place(nid);
  return {torus.coordinates(place.router), place.nic};
}

TEST(Torus, HopperFollowsThePublishedMap) {
  const Torus torus = Torus::parse("hopper");
  EXPECT_EQ(torus.shape(), "17x8x24");
  EXPECT_EQ(torus.routers(), 3264U);
  EXPECT_EQ(torus.nodes(), 6528U);
  EXPECT_EQ(torus.diameter(), 24U);
  EXPECT_EQ(slot_of(torus, 0), slot(0, 0, 0, 0));
  EXPECT_EQ(slot_of(torus, 1), slot(0, 0, 0, 1));
  EXPECT_EQ(slot_of(torus, 2), slot(0, 0, 1, 0));
  EXPECT_EQ(slot_of(torus, 47), slot(0, 0, 23, 1));
  EXPECT_EQ(slot_of(torus, 48), slot(0, 1, 23, 0));  // comes back down Z
  EXPECT_EQ(slot_of(torus, 95), slot(0, 1, 0, 1));
  EXPECT_EQ(slot_of(torus, 96), slot(0, 2, 0, 0));
  EXPECT_EQ(slot_of(torus, 383), slot(0, 7, 0, 1));
  EXPECT_EQ(slot_of(torus, 384), slot(16, 7, 0, 0));  // b=1: x=16, y=7-0, z up
  EXPECT_EQ(slot_of(torus, 384 + 48), slot(16, 6, 23, 0));
  EXPECT_EQ(slot_of(torus, 768), slot(15, 0, 0, 0));  // b=2
  EXPECT_EQ(slot_of(torus, 6527), slot(1, 7, 0, 1));  // b=16: x=1, j=7, k=23
}

TEST(Torus, ConsecutiveHopperGeminisAreNeighbours) {
  const Torus torus = Torus::parse("hopper");
  for (Nid nid = 2; nid < torus.nodes(); nid += 2) {
    EXPECT_EQ(torus.hops(nid - 1, nid), 1U) << nid;
  }
}

TEST(Torus, EveryPlaceHasOneNode) {
  for (const char* system : {"hopper", "cielo", "3x1x5", "1x1x1"}) {
    const Torus torus = Torus::parse(system);
    std::vector<int> seen(torus.nodes(), 0);
    EXPECT_EQ(torus.nics_per_router(), 2U);
    for (Nid nid = 0; nid < torus.nodes(); ++nid) {
      const RouterId router = torus.router_of(nid);
      ASSERT_LT(router, torus.routers());
      EXPECT_EQ(torus.nid_at(router, torus.place(nid).nic), nid);
      EXPECT_EQ(torus.router_at(torus.coordinates(router)), router);
      EXPECT_EQ(torus.router_of(nid ^ 1), router);
      EXPECT_EQ(torus.place(nid).nic, nid % 2);
      ++seen[2 * router + torus.place(nid).nic];
    }
    for (const int times : seen) EXPECT_EQ(times, 1);
    EXPECT_FALSE(torus.contains(torus.nodes()));
  }
}

TEST(Torus, CoordinatesAreThoseOfTheNumber) {
  for (const char* system :
       {"128x128x4", "4x128x128", "127x3x128", "1x1x128", "128x1x1", "97x89x7"}) {
    const Torus torus = Torus::parse(system);
    RouterId router = 0;
    for (std::uint16_t x = 0; x < torus.size(0); ++x) {
      for (std::uint16_t y = 0; y < torus.size(1); ++y) {
        for (std::uint16_t z = 0; z < torus.size(2); ++z, ++router) {
          ASSERT_EQ(torus.coordinates(router), (Coordinates{x, y, z})) << system << " " << router;
        }
      }
    }
  }
}

TEST(Torus, OtherShapesCountZFastest) {
  const Torus cielo = Torus::parse("cielo");
  EXPECT_EQ(cielo.shape(), "16x12x24");
  EXPECT_EQ(cielo.nodes(), 9216U);
  EXPECT_EQ(slot_of(cielo, 0), slot(0, 0, 0, 0));
  EXPECT_EQ(slot_of(cielo, 47), slot(0, 0, 23, 1));
  EXPECT_EQ(slot_of(cielo, 48), slot(0, 1, 0, 0));
  EXPECT_EQ(slot_of(cielo, 9215), slot(15, 11, 23, 1));
  const Torus small = Torus::parse("2x3x4");
  EXPECT_EQ(small.name(), "2x3x4");
  EXPECT_EQ(slot_of(small, 2 * (1 * 12 + 2 * 4 + 3) + 1), slot(1, 2, 3, 1));
}

unsigned hops(const Torus& torus, Coordinates from, Coordinates to) {
  return torus.route(torus.router_at(from), torus.router_at(to)).hops();
}

TEST(Torus, CountsHopsRoundTheRings) {
  const Torus torus = Torus::parse("hopper");
  EXPECT_EQ(hops(torus, {0, 0, 0}, {0, 0, 0}), 0U);
  EXPECT_EQ(hops(torus, {0, 0, 0}, {16, 7, 23}), 3U);
  EXPECT_EQ(hops(torus, {0, 0, 0}, {8, 4, 12}), 24U);
  EXPECT_EQ(hops(torus, {0, 0, 0}, {9, 4, 12}), 24U);
}

TEST(Torus, HopperBringsItsHopLatency) {
  const std::vector<corespec::Setting> expected = {{"CASTOR_HOP_LATENCY", "108.75"}};
  EXPECT_EQ(Torus::parse("hopper").preset_settings(), expected);
  EXPECT_TRUE(Torus::parse("cielo").preset_settings().empty());
}

TEST(Torus, BadShapesAreRefusedInOneLine) {
  for (const char* bad : {"", "titan", "4x4", "4x4x4x4", "0x4x4", "4x-1x4", "4x4x129", "4x4x4 ",
                          "128x128x128", "99999999999x1x1", "4X4X4", "x4x4", "4x4x"}) {
    try {
      Torus::parse(bad);
      ADD_FAILURE() << bad;
    } catch (const std::invalid_argument& error) {
      const std::string line = error.what();
      EXPECT_NE(line.find("hopper, cielo"), std::string::npos);
      EXPECT_NE(line.find("each side 1 to 128, at most 65536"), std::string::npos);
      EXPECT_NE(line.find(std::string("'") + bad + "'"), std::string::npos);
      EXPECT_EQ(line.find('\n'), std::string::npos);
    }
  }
  EXPECT_EQ(Torus::parse("128x128x4").routers(), 65536U);
}

}  // namespace
}  // namespace gemini
