// Shapes, presets and the rules that place nids.
#include "ugni_emu/gemini/topology/torus.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace gemini {
namespace {

Place place(std::uint16_t x, std::uint16_t y, std::uint16_t z, std::uint16_t port) {
  return {{x, y, z}, port};
}

TEST(Torus, HopperFollowsThePublishedMap) {
  const Torus torus = Torus::parse("hopper");
  EXPECT_EQ(torus.shape(), "17x8x24");
  EXPECT_EQ(torus.gemini_count(), 3264U);
  EXPECT_EQ(torus.node_count(), 6528U);
  EXPECT_EQ(torus.diameter(), 24);
  EXPECT_EQ(torus.place(0), place(0, 0, 0, 0));
  EXPECT_EQ(torus.place(1), place(0, 0, 0, 1));
  EXPECT_EQ(torus.place(2), place(0, 0, 1, 0));
  EXPECT_EQ(torus.place(47), place(0, 0, 23, 1));
  EXPECT_EQ(torus.place(48), place(0, 1, 23, 0));  // comes back down Z
  EXPECT_EQ(torus.place(95), place(0, 1, 0, 1));
  EXPECT_EQ(torus.place(96), place(0, 2, 0, 0));
  EXPECT_EQ(torus.place(383), place(0, 7, 0, 1));
  EXPECT_EQ(torus.place(384), place(16, 7, 0, 0));  // b=1: x=16, y=7-0, z up
  EXPECT_EQ(torus.place(384 + 48), place(16, 6, 23, 0));
  EXPECT_EQ(torus.place(768), place(15, 0, 0, 0));  // b=2
  EXPECT_EQ(torus.place(6527), place(1, 7, 0, 1));  // b=16: x=1, j=7, k=23
}

TEST(Torus, ConsecutiveHopperGeminisAreNeighbours) {
  const Torus torus = Torus::parse("hopper");
  for (Nid nid = 2; nid < torus.node_count(); nid += 2) {
    EXPECT_EQ(torus.hops(nid - 1, nid), 1) << nid;
  }
}

TEST(Torus, EveryPlaceHasOneNode) {
  for (const char* system : {"hopper", "cielo", "3x1x5", "1x1x1"}) {
    const Torus torus = Torus::parse(system);
    std::vector<int> seen(torus.node_count(), 0);
    for (Nid nid = 0; nid < torus.node_count(); ++nid) {
      const GeminiId gemini = torus.gemini_of(nid);
      ASSERT_LT(gemini, torus.gemini_count());
      EXPECT_EQ(torus.nid_at(gemini, torus.place(nid).port), nid);
      EXPECT_EQ(torus.coordinates(gemini), torus.place(nid).at);
      EXPECT_EQ(torus.gemini_of(nid ^ 1), gemini);
      EXPECT_EQ(torus.place(nid).port, nid % 2);
      ++seen[2 * gemini + torus.place(nid).port];
    }
    for (const int times : seen) EXPECT_EQ(times, 1);
    EXPECT_FALSE(torus.contains(torus.node_count()));
  }
}

TEST(Torus, OtherShapesCountZFastest) {
  const Torus cielo = Torus::parse("cielo");
  EXPECT_EQ(cielo.shape(), "16x12x24");
  EXPECT_EQ(cielo.node_count(), 9216U);
  EXPECT_EQ(cielo.place(0), place(0, 0, 0, 0));
  EXPECT_EQ(cielo.place(47), place(0, 0, 23, 1));
  EXPECT_EQ(cielo.place(48), place(0, 1, 0, 0));
  EXPECT_EQ(cielo.place(9215), place(15, 11, 23, 1));
  const Torus small = Torus::parse("2x3x4");
  EXPECT_EQ(small.name(), "2x3x4");
  EXPECT_EQ(small.place(2 * (1 * 12 + 2 * 4 + 3) + 1), place(1, 2, 3, 1));
}

TEST(Torus, CountsHopsRoundTheRings) {
  const Torus torus = Torus::parse("hopper");
  EXPECT_EQ(torus.hops(Coordinates{0, 0, 0}, Coordinates{0, 0, 0}), 0);
  EXPECT_EQ(torus.hops(Coordinates{0, 0, 0}, Coordinates{16, 7, 23}), 3);
  EXPECT_EQ(torus.hops(Coordinates{0, 0, 0}, Coordinates{8, 4, 12}), 24);
  EXPECT_EQ(torus.hops(Coordinates{0, 0, 0}, Coordinates{9, 4, 12}), 24);
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
  EXPECT_EQ(Torus::parse("128x128x4").gemini_count(), 65536U);
}

}  // namespace
}  // namespace gemini
