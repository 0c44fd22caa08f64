// Coordinates, places in the machine room and names.
#include "ugni_emu/gemini/topology/cabinet_place.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "ugni_emu/gemini/topology/torus.h"

namespace gemini {
namespace {

std::string name_at(const Torus& torus, Coordinates at) {
  return cname(torus.cabinet_place(torus.router_at(at)));
}

TEST(CabinetPlace, CieloAsPublished) {  // S0, figure 2
  const Torus torus = Torus::parse("cielo");
  EXPECT_EQ(name_at(torus, {0, 0, 0}), "c0-0c0s0g0");
  EXPECT_EQ(name_at(torus, {0, 0, 1}), "c0-0c0s1g0");
  EXPECT_EQ(name_at(torus, {1, 0, 0}), "c1-0c0s0g0");
  EXPECT_EQ(name_at(torus, {15, 0, 0}), "c2-0c0s0g0");
  EXPECT_EQ(name_at(torus, {0, 0, 23}), "c0-0c2s7g0");
}

TEST(CabinetPlace, ColumnsAreAFoldedRing) {
  const Torus hopper = Torus::parse("hopper");
  const int columns[] = {0, 1, 3, 5, 7, 9, 11, 13, 15, 16, 14, 12, 10, 8, 6, 4, 2};
  for (std::uint16_t x = 0; x < 17; ++x) {
    EXPECT_EQ(hopper.cabinet_place(hopper.router_at({x, 0, 0})).column, columns[x]) << x;
  }
  EXPECT_EQ(name_at(hopper, {8, 7, 15}), "c15-3c1s7g1");
  EXPECT_EQ(name_at(hopper, {9, 2, 16}), "c16-1c2s0g0");
}

TEST(CabinetPlace, NoCableInXSkipsMoreThanOneCabinet) {
  for (int size = 2; size <= 128; ++size) {
    const Torus torus = Torus::parse(std::to_string(size) + "x1x1");
    for (RouterId router = 0; router < torus.routers(); ++router) {
      const RouterId next = torus.far_end({router, 0}).router;
      const int from = torus.cabinet_place(router).column, to = torus.cabinet_place(next).column;
      EXPECT_LE(std::abs(from - to), 2) << size << " " << router;
    }
  }
}

TEST(CabinetPlace, EachGeminiHasOneNameAndIsFoundByIt) {
  for (const char* system : {"hopper", "cielo", "1x1x1", "2x1x3", "5x7x128", "128x3x9"}) {
    const Torus torus = Torus::parse(system);
    const TorusSizes sizes = TorusShape::parse(system).sizes();
    std::set<std::string> names;
    for (RouterId router = 0; router < torus.routers(); ++router) {
      const std::string name = cname(torus.cabinet_place(router));
      EXPECT_TRUE(names.insert(name).second) << name;
      const auto place = parse_cname(name);
      ASSERT_TRUE(place.has_value()) << name;
      EXPECT_EQ(*place, torus.cabinet_place(router));
      EXPECT_EQ(coordinates_of(*place, sizes), torus.coordinates(router)) << name;
    }
  }
}

TEST(CabinetPlace, PlacesThatATorusDoesNotHave) {
  const TorusSizes sizes = TorusShape::parse("3x3x12").sizes();
  for (const char* name : {"c3-0c0s0g0", "c0-1c0s0g0", "c0-2c0s0g0", "c0-1c0s0g1", "c0-0c2s0g0",
                           "c0-0c1s4g0", "c65535-0c0s0g0"}) {
    const auto place = parse_cname(name);
    ASSERT_TRUE(place.has_value()) << name;
    EXPECT_EQ(coordinates_of(*place, sizes).has_value(), std::string(name) == "c0-1c0s0g0") << name;
  }
}

TEST(CabinetPlace, TextsThatAreNoNames) {
  for (const char* text :
       {"", "c", "c0-0c0s0", "c0-0c0s0g", "c0-0c0s0g2", "c0-0c0s8g0", "c0-0c0s0g0 ", "c0-0c0s0g00",
        "c00-0c0s0g0", "c-1-0c0s0g0", "c0-0c0s0n0", "c0_0c0s0g0", "c65536-0c0s0g0", "c0-0c0s0g0l00",
        "C0-0c0s0g0", "c+1-0c0s0g0", " c0-0c0s0g0"}) {
    EXPECT_FALSE(parse_cname(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace gemini
