// Schedules of failures: what they say, and the routes that are left.
#include "ugni_emu/gemini/links/link_failures.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "tests/support/test_folder.h"
#include "ugni_emu/gemini/topology/make_topology.h"
#include "ugni_emu/gemini/topology/torus.h"

namespace gemini_test {
namespace {

using corespec::Time;
using gemini::LinkFailures;
using gemini::Port;

const Time never = Time::max();

std::string refusal(const gemini::Topology& topology, const std::string& value) {
  try {
    const LinkFailures failures(topology, value, Time());
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

/// The links that a route takes, one character each; "none".
std::string way(const gemini::Topology& topology, const LinkFailures& failures,
                gemini::RouterId from, gemini::RouterId to, Time now = Time::microseconds(1000)) {
  std::optional<gemini::RouteWord> word = failures.route(from, to, now);
  if (!word) return "none";
  std::string links;
  for (; !word->arrived(); word->step()) links += std::string(topology.link_name(word->link()));
  return links;
}

TEST(LinkFailures, ALinkIsDownAtBothEndsForItsTime) {
  const auto topology = gemini::make_topology("4x4x4");
  const LinkFailures failures(*topology, "link-down router=0 link=Z+ at=2us until=5us",
                              Time::microseconds(1));
  const Port near{0, 4}, far = topology->far_end(near);
  ASSERT_EQ(topology->link_name(near.link), "Z+");
  for (const Port port : {near, far}) {
    const auto down_at = [&](double us) {
      return failures.down(port, Time::microseconds(us), Time::microseconds(us));
    };
    EXPECT_FALSE(down_at(1.9));
    EXPECT_TRUE(down_at(2));
    EXPECT_TRUE(down_at(4.9));
    EXPECT_FALSE(down_at(5));
    EXPECT_TRUE(failures.down(port, Time(), Time::microseconds(3)));
    EXPECT_FALSE(failures.down(port, Time::microseconds(5), never));
  }
  EXPECT_FALSE(failures.down({0, 5}, Time(), never));
  // Routes follow a microsecond later.
  EXPECT_EQ(way(*topology, failures, 0, 1, Time::microseconds(2.9)), "Z+");
  EXPECT_EQ(way(*topology, failures, 0, 1, Time::microseconds(3)), "Z-Z-Z-");
  EXPECT_EQ(way(*topology, failures, 0, 1, Time::microseconds(5.9)), "Z-Z-Z-");
  EXPECT_EQ(way(*topology, failures, 0, 1, Time::microseconds(6)), "Z+");
}

TEST(LinkFailures, RoutesGoTheOtherWayRoundEachRing) {
  const auto topology = gemini::make_topology("5x4x3");
  const auto& torus = dynamic_cast<const gemini::Torus&>(*topology);
  const auto at = [&](std::uint16_t x, std::uint16_t y, std::uint16_t z) {
    return torus.router_at({x, y, z});
  };
  const LinkFailures failures(*topology,
                              "link-down router=1,0,0 link=X+ at=0s\n"
                              "link-down router=2,3,0 link=Y+ at=0s  # it closes the ring\n",
                              Time());
  EXPECT_EQ(way(*topology, failures, at(0, 0, 0), at(2, 0, 0)), "X-X-X-");
  EXPECT_EQ(way(*topology, failures, at(2, 0, 0), at(0, 0, 0)), "X+X+X+");
  EXPECT_EQ(way(*topology, failures, at(2, 0, 0), at(2, 3, 1)), "Y+Y+Y+Z+");
  EXPECT_EQ(way(*topology, failures, at(0, 0, 0), at(2, 3, 1)), "X-X-X-Y+Y+Y+Z+");
  // Elsewhere nothing changes.
  EXPECT_EQ(way(*topology, failures, at(0, 1, 0), at(2, 1, 0)), "X+X+");
  EXPECT_EQ(way(*topology, failures, at(0, 0, 0), at(4, 0, 0)), "X-");
}

TEST(LinkFailures, ARingThatIsBrokenTwiceHasNoWay) {
  const auto topology = gemini::make_topology("4x1x1");
  const LinkFailures failures(
      *topology, "link-down router=0 link=X+ at=0s; link-down router=2 link=X+ at=0s", Time());
  EXPECT_EQ(way(*topology, failures, 0, 1), "none");
  EXPECT_EQ(way(*topology, failures, 0, 2), "none");
  EXPECT_EQ(way(*topology, failures, 0, 3), "X-");
  EXPECT_EQ(way(*topology, failures, 1, 2), "X+");
  EXPECT_EQ(way(*topology, failures, 1, 1), "");
}

TEST(LinkFailures, ADragonflyHasNoOtherWay) {
  const auto topology = gemini::make_topology("dragonfly:4x2x4x4");
  const std::vector<Port> path = topology->path(0, 9);
  ASSERT_FALSE(path.empty());
  const std::string statement = "link-down router=" + std::to_string(path[0].router) +
                                " link=" + std::string(topology->link_name(path[0].link)) +
                                " at=0s";
  const LinkFailures failures(*topology, statement, Time());
  EXPECT_EQ(way(*topology, failures, 0, 9), "none");
}

TEST(LinkFailures, DrawnOnesAreDistinctAndRepeat) {
  const auto topology = gemini::make_topology("4x4x4");
  const auto ends_down = [&](const std::string& value) {
    const LinkFailures failures(*topology, value, Time());
    std::vector<Port> down;
    for (gemini::RouterId router = 0; router < topology->routers(); ++router) {
      for (std::uint8_t link = 0; link < 6; ++link) {
        const Port port{router, link};
        if (failures.down(port, Time(), never)) down.push_back(port);
        EXPECT_FALSE(failures.down(port, Time(), Time::microseconds(9.99)));
        EXPECT_FALSE(failures.down(port, Time::microseconds(22), never));
      }
    }
    return down;
  };
  const std::string seven = "links-down count=7 seed=3 at=10us until=20us for=2us";
  const auto once = ends_down(seven);
  EXPECT_EQ(once.size(), 14U);
  EXPECT_EQ(ends_down(seven), once);
  EXPECT_NE(ends_down("links-down count=7 seed=4 at=10us until=20us for=2us"), once);
  EXPECT_EQ(ends_down("links-down count=192 seed=3 at=10us until=20us for=2us").size(), 384U);
  EXPECT_TRUE(LinkFailures(*topology, "links-down count=0 seed=1 until=1s", Time()).none());
}

TEST(LinkFailures, AFileHasStatementsLineByLine) {
  const castor_test::TestFolder folder;
  const std::string name = folder / "failures";
  std::ofstream(name) << "# none on this line\n\nlink-down router=3 link=X- at=1ms\n";
  const auto topology = gemini::make_topology("4x4x4");
  EXPECT_TRUE(LinkFailures(*topology, name, Time()).down({3, 1}, Time::microseconds(1000), never));
  std::ofstream(name) << "\nlink-down router=3 link=W at=1ms\n";
  EXPECT_EQ(refusal(*topology, name),
            name + ":2: link-down: link=W: router 3 has X+, X-, Y+, Y-, Z+, Z-");
}

TEST(LinkFailures, WhatIsWrongIsSaidInOneLine) {
  const auto topology = gemini::make_topology("4x1x1");
  const std::string variable = "CASTOR_LINK_FAILURES: ";
  const std::pair<const char*, const char*> cases[] = {
      {"link-up router=0 link=X+ at=1s", "link-up: link-down and links-down are allowed"},
      {"link-down link=X+ at=1s", "link-down: router= is missing"},
      {"link-down router=4 link=X+ at=1s",
       "link-down: router=4: the 4x1x1 torus has routers 0 to 3, or their coordinates"},
      {"link-down router=0,0 link=X+ at=1s",
       "link-down: router=0,0: the 4x1x1 torus has routers 0 to 3, or their coordinates"},
      {"link-down router=0 link=Y+ at=1s", "link-down: link=Y+: router 0 has X+, X-"},
      {"link-down router=0 link=X+", "link-down: at= is missing"},
      {"link-down router=0 link=X+ at=1",
       "link-down: at=1: a time from 0 to 1,000,000 s is allowed, with its unit: 250ns, 1.5us, "
       "9ms, 2s"},
      {"link-down router=0 link=X+ at=-1s",
       "link-down: at=-1s: a time from 0 to 1,000,000 s is allowed, with its unit: 250ns, 1.5us, "
       "9ms, 2s"},
      {"link-down router=0 link=X+ at=1000001s",
       "link-down: at=1000001s: a time from 0 to 1,000,000 s is allowed, with its unit: 250ns, "
       "1.5us, 9ms, 2s"},
      {"link-down router=0 link=X+ at=nans",
       "link-down: at=nans: a time from 0 to 1,000,000 s is allowed, with its unit: 250ns, 1.5us, "
       "9ms, 2s"},
      {"link-down router=0 link=X+ at=2s until=1s", "link-down: until is not later than at"},
      {"link-down router=0 link=X+ at=1s router=1", "link-down: router is there twice"},
      {"link-down router=0 link=X+ at=1s often=yes",
       "link-down: often is not known here; known are router, link, at, until"},
      {"link-down X+ router=0", "link-down: \"X+\" is not of the form KEY=VALUE"},
      {"links-down count=5 seed=1 until=1s",
       "links-down: count=5: a number from 0 to 4 is allowed"},
      {"links-down count=1 until=1s", "links-down: seed= is missing"},
      {"links-down count=1x seed=1 until=1s",
       "links-down: count=1x: a number from 0 to 4 is allowed"},
  };
  for (const auto& [value, message] : cases) {
    EXPECT_EQ(refusal(*topology, value), variable + message);
  }
  EXPECT_EQ(refusal(*topology, "no-such-file"),
            "CASTOR_LINK_FAILURES=no-such-file: statements with KEY=VALUE are allowed, or the name "
            "of a file of them; this file cannot be read");
  EXPECT_EQ(refusal(*topology, "/"),
            "CASTOR_LINK_FAILURES=/: statements with KEY=VALUE are allowed, or the name of a file "
            "of them; this file cannot be read");
}

}  // namespace
}  // namespace gemini_test
