// Dimension-order routes, ties, and the ways of requests and responses.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ugni_emu/gemini/topology/torus.h"

namespace gemini {
namespace {

std::vector<Port> path(const Torus& torus, Coordinates from, Coordinates to) {
  return torus.path(torus.router_at(from), torus.router_at(to));
}

std::string directions(const Torus& torus, Coordinates from, Coordinates to) {
  std::string text;
  for (const Port port : path(torus, from, to)) text += torus.link_name(port.link);
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
  EXPECT_EQ(directions(torus, {0, 0, 0}, {8, 0, 0}), "X+X+X+X+X+X+X+X+");
  EXPECT_EQ(directions(torus, {0, 0, 0}, {9, 0, 0}), "X-X-X-X-X-X-X-X-");
}

TEST(Routing, ResponseTakesAnotherWayThanItsRequest) {
  const Torus torus = Torus::parse("hopper");
  const auto there = path(torus, {0, 0, 0}, {1, 1, 0});
  const auto back = path(torus, {1, 1, 0}, {0, 0, 0});
  ASSERT_EQ(there.size(), 2U);
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(there[1].router, torus.router_at({1, 0, 0}));
  EXPECT_EQ(back[1].router, torus.router_at({0, 1, 0}));
}

TEST(Routing, EveryRouteArrivesByTheShortestWay) {
  const Torus torus = Torus::parse("5x4x6");
  const auto distance = [](int a, int b, int size) {
    const int direct = a < b ? b - a : a - b;
    return direct < size - direct ? direct : size - direct;
  };
  for (RouterId a = 0; a < torus.routers(); ++a) {
    for (RouterId b = 0; b < torus.routers(); ++b) {
      const Coordinates from = torus.coordinates(a), to = torus.coordinates(b);
      const int shortest =
          distance(from.x, to.x, 5) + distance(from.y, to.y, 4) + distance(from.z, to.z, 6);
      const std::vector<Port> ports = torus.path(a, b);
      ASSERT_EQ(static_cast<int>(ports.size()), shortest);
      ASSERT_EQ(torus.route(a, b).hops(), ports.size());
      RouterId here = a;
      for (const Port port : ports) {
        ASSERT_EQ(port.router, here);
        here = torus.far_end(port).router;
      }
      ASSERT_EQ(here, b);
    }
  }
}

TEST(Routing, AWordHoldsTheLongestLegsOfTheMostLinks) {
  RouteWord word;
  for (unsigned leg = RouteWord::most_legs; leg-- > 0;) {
    word.prepend(RouteWord::most_links - 1 - leg, RouteWord::most_hops);
  }
  EXPECT_EQ(word.hops(), RouteWord::most_legs * RouteWord::most_hops);
  for (unsigned leg = 0; leg < RouteWord::most_legs; ++leg) {
    for (unsigned hop = 0; hop < RouteWord::most_hops; ++hop) {
      ASSERT_FALSE(word.arrived());
      ASSERT_EQ(word.link(), RouteWord::most_links - 1 - leg);
      word.step();
    }
  }
  EXPECT_TRUE(word.arrived());
}

}  // namespace
}  // namespace gemini
