// Dimension-order routes, ties, and the ways of requests and responses.
#include "ugni_emu/gemini/topology/routing.h"

#include <gtest/gtest.h>

#include <string>

namespace gemini {
namespace {

std::string directions(const Torus& torus, Coordinates from, Coordinates to) {
  std::string text;
  for (const Hop& hop : route(torus, from, to)) text += name_of(hop.direction);
  return text;
}

TEST(Routing, XThenYThenZTheShortestWay) {
  const Torus torus = Torus::parse("8x8x8");
  EXPECT_EQ(directions(torus, {0, 0, 0}, {2, 1, 3}), "X+X+Y+Z+Z+Z+");
  EXPECT_EQ(directions(torus, {2, 1, 3}, {0, 0, 0}), "X-X-Y-Z-Z-Z-");
  EXPECT_EQ(directions(torus, {0, 0, 0}, {6, 7, 5}), "X-X-Y-Z-Z-Z-");
  EXPECT_EQ(directions(torus, {7, 7, 7}, {0, 1, 7}), "X+Y+Y+");
  EXPECT_EQ(directions(torus, {3, 3, 3}, {3, 3, 3}), "");
}

TEST(Routing, TiesGoPlusFromBothEnds) {
  const Torus torus = Torus::parse("4x2x1");
  EXPECT_EQ(directions(torus, {0, 0, 0}, {2, 0, 0}), "X+X+");
  EXPECT_EQ(directions(torus, {2, 0, 0}, {0, 0, 0}), "X+X+");
  EXPECT_EQ(directions(torus, {0, 1, 0}, {0, 0, 0}), "Y+");
}

TEST(Routing, OddRingsHaveNoTies) {
  const Torus torus = Torus::parse("17x1x1");
  EXPECT_EQ(route(torus, {0, 0, 0}, {8, 0, 0}).size(), 8U);
  EXPECT_EQ(route(torus, {0, 0, 0}, {8, 0, 0}).front().direction, Direction::x_plus);
  EXPECT_EQ(route(torus, {0, 0, 0}, {9, 0, 0}).front().direction, Direction::x_minus);
}

TEST(Routing, ResponseTakesAnotherWayThanItsRequest) {
  const Torus torus = Torus::parse("hopper");
  const auto there = route(torus, {0, 0, 0}, {1, 1, 0});
  const auto back = route(torus, {1, 1, 0}, {0, 0, 0});
  ASSERT_EQ(there.size(), 2U);
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(neighbour(torus, there[0].from, there[0].direction), (Coordinates{1, 0, 0}));
  EXPECT_EQ(neighbour(torus, back[0].from, back[0].direction), (Coordinates{0, 1, 0}));
}

TEST(Routing, EveryRouteArrivesByItsNextHops) {
  const Torus torus = Torus::parse("5x4x6");
  for (GeminiId a = 0; a < torus.gemini_count(); ++a) {
    for (GeminiId b = 0; b < torus.gemini_count(); ++b) {
      const Coordinates to = torus.coordinates(b);
      Coordinates here = torus.coordinates(a);
      const auto hops = route(torus, here, to);
      ASSERT_EQ(static_cast<int>(hops.size()), torus.hops(here, to));
      for (const Hop& hop : hops) {
        ASSERT_EQ(hop.from, here);
        ASSERT_EQ(next_hop(torus, here, to), hop.direction);
        here = neighbour(torus, here, hop.direction);
      }
      ASSERT_EQ(here, to);
      ASSERT_FALSE(next_hop(torus, here, to).has_value());
    }
  }
}

}  // namespace
}  // namespace gemini
