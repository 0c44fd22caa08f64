// The dragonfly: Edison's counts, names, minimal routes and how they spread.
#include "ugni_emu/gemini/topology/dragonfly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ugni_emu/gemini/links/dragonfly_file.h"
#include "ugni_emu/gemini/links/link_bandwidth.h"
#include "ugni_emu/gemini/links/tile_map.h"

namespace gemini {
namespace {

using Colour = Dragonfly::Colour;

std::string names_of(const Dragonfly& dragonfly, GroupPlace from, GroupPlace to) {
  std::string text;
  for (const Port port : dragonfly.path(dragonfly.router_at(from), dragonfly.router_at(to))) {
    text += std::string(text.empty() ? "" : " ") + std::string(dragonfly.link_name(port.link));
  }
  return text;
}

TEST(Dragonfly, EdisonHasAsManyPartsAsPublished) {
  const Dragonfly edison = Dragonfly::parse("edison");
  EXPECT_EQ(edison.name(), "edison");
  EXPECT_EQ(edison.title(), "15x6x16 dragonfly");
  EXPECT_EQ(edison.routers(), 1440U);
  EXPECT_EQ(edison.nodes(), 5586U);
  EXPECT_EQ(edison.nics_per_router(), 4U);
  EXPECT_EQ(edison.diameter(), 5U);
  EXPECT_EQ(edison.router_of(5585), 1396U);
  EXPECT_EQ(edison.nid_at(1396, 1), 5585U);
  EXPECT_EQ(edison.nid_at(1396, 2), Topology::no_node);  // the last 174 places
  EXPECT_EQ(edison.nid_at(1439, 3), Topology::no_node);
}

/// SST's edison_intragroup.txt and edison_intergroup.txt have a line for each tile.
TEST(Dragonfly, EdisonHasAsManyTilesInUseAsPublished) {
  const Dragonfly edison = Dragonfly::parse("edison");
  std::map<std::pair<unsigned, unsigned>, std::size_t> between;  // groups
  std::map<std::size_t, int> routers;                            // by blue tiles in use
  std::vector<std::size_t> within(15);
  for (RouterId router = 0; router < edison.routers(); ++router) {
    const unsigned group = edison.group_place(router).group;
    std::size_t blue = 0;
    for (std::uint8_t link = 0; link < edison.links_per_router(); ++link) {
      const Port port{router, link};
      if (!edison.has_link(port)) continue;
      const std::size_t tiles = edison.tiles_of(port).size();
      const unsigned other = edison.group_place(edison.far_end(port).router).group;
      if (other == group) {
        EXPECT_NE(Dragonfly::colour_of(link), Colour::blue);
        within[group] += tiles;
      } else {
        EXPECT_EQ(Dragonfly::colour_of(link), Colour::blue);
        between[{group, other}] += tiles;
        blue += tiles;
      }
    }
    ++routers[blue];
  }
  for (const std::size_t tiles : within) EXPECT_EQ(tiles, 2880U);
  EXPECT_EQ(between.size(), 15U * 14U);
  for (const auto& [groups, tiles] : between) EXPECT_EQ(tiles, 24U);
  EXPECT_EQ(routers, (std::map<std::size_t, int>{{2, 360}, {4, 1080}}));
}

TEST(Dragonfly, LinksLeadToTheSlotAndTheChassisOfTheirNumber) {
  const Dragonfly edison = Dragonfly::parse("edison");
  const GroupPlace here{3, 2, 7};
  for (unsigned link = 0; link < 22; ++link) {
    const Port port{edison.router_at(here), static_cast<std::uint8_t>(link)};
    GroupPlace there = here;
    if (link < 16) {
      there.slot = static_cast<std::uint16_t>(link);
    } else {
      there.chassis = static_cast<std::uint16_t>(link - 16);
    }
    EXPECT_EQ(edison.group_place(edison.far_end(port).router), there) << link;
  }
  EXPECT_EQ(edison.link_name(7), "green7");
  EXPECT_EQ(edison.link_name(18), "black2");
  EXPECT_EQ(edison.link_name(26), "blue4");
}

TEST(Dragonfly, RoutesGoGreenThenBlackThenBlueAndAgain) {
  const Dragonfly edison = Dragonfly::parse("edison");
  EXPECT_EQ(names_of(edison, {2, 1, 3}, {2, 1, 3}), "");
  EXPECT_EQ(names_of(edison, {2, 1, 3}, {2, 1, 9}), "green9");
  EXPECT_EQ(names_of(edison, {2, 1, 3}, {2, 4, 3}), "black4");
  EXPECT_EQ(names_of(edison, {2, 1, 3}, {2, 4, 9}), "green9 black4");
  // Routers 19 and 73 of their groups: link (19 + 73 + 6) % 12 = 2. From group 2 to 5 it is number
  // 2 * 14 + 4 = 32, at router 32 (chassis 2, slot 0); from 5 to 2 number 30 (chassis 1, slot 14).
  EXPECT_EQ(names_of(edison, {2, 1, 3}, {5, 4, 9}), "green0 black2 blue0 green9 black4");
  // Link (4 + 4) % 12 = 8 from 0 to 1 is number 112, the second one of router 16.
  EXPECT_EQ(names_of(edison, {0, 0, 4}, {1, 0, 4}), "green0 black1 blue1 green4 black0");
}

/// The hops that a colour has before and after the blue one.
TEST(Dragonfly, RoutesAreMinimal) {
  for (const char* system : {"edison", "dragonfly:3x2x4x4", "dragonfly:21x2x2x3"}) {
    const Dragonfly dragonfly = Dragonfly::parse(system);
    for (RouterId from = 0; from < dragonfly.routers(); from += from % 5 + 1) {
      for (RouterId to = 0; to < dragonfly.routers(); ++to) {
        const GroupPlace a = dragonfly.group_place(from), b = dragonfly.group_place(to);
        std::array<unsigned, 3> hops{};
        std::vector<Port> ports = dragonfly.path(from, to);
        unsigned shortest = 0;
        const auto local = [&](GroupPlace at, GroupPlace of) {
          shortest += (at.slot != of.slot ? 1U : 0U) + (at.chassis != of.chassis ? 1U : 0U);
        };
        const auto is_blue = [](Port port) {
          return Dragonfly::colour_of(port.link) == Colour::blue;
        };
        const auto blue = std::find_if(ports.begin(), ports.end(), is_blue);
        for (const Port port : ports) {
          ++hops[static_cast<std::size_t>(Dragonfly::colour_of(port.link))];
        }
        ASSERT_EQ(hops[2], a.group == b.group ? 0U : 1U);
        if (blue == ports.end()) {
          local(a, b);
        } else {  // no shorter way over this blue link
          local(a, dragonfly.group_place(blue->router));
          local(dragonfly.group_place(dragonfly.far_end(*blue).router), b);
          ++shortest;
        }
        ASSERT_EQ(ports.size(), shortest) << system << " " << from << " " << to;
      }
    }
  }
}

/// How often each of the links between groups 0 and 1 is taken by the pairs (s, s + shift).
std::vector<int> uses_of_blue_links(const Dragonfly& dragonfly, RouterId shift) {
  std::map<std::pair<RouterId, unsigned>, int> uses;
  const RouterId routers = dragonfly.shape().routers_per_group();
  for (RouterId s = 0; s < routers; ++s) {
    for (const Port port : dragonfly.path(s, routers + (s + shift) % routers)) {
      if (Dragonfly::colour_of(port.link) == Colour::blue) ++uses[{port.router, port.link}];
    }
  }
  std::vector<int> counts;
  for (const auto& [port, count] : uses) counts.push_back(count);
  return counts;
}

TEST(Dragonfly, PairsOfRoutersSpreadOverTheLinksBetweenTheirGroups) {
  const Dragonfly edison = Dragonfly::parse("edison");
  EXPECT_EQ(uses_of_blue_links(edison, 0), std::vector<int>(12, 8));  // 96 pairs over 12 links
  for (RouterId shift = 1; shift < 96; ++shift) {
    const std::vector<int> uses = uses_of_blue_links(edison, shift);
    EXPECT_EQ(uses.size(), 12U) << shift;
    EXPECT_LE(*std::max_element(uses.begin(), uses.end()), 12) << shift;
  }
}

TEST(Dragonfly, ManyGroupsShareTheBlueLinksOfARouter) {
  // 20 other groups of four routers each: one link to each, five to a router, which is all it has.
  const Dragonfly full = Dragonfly::parse("dragonfly:21x2x2x3");
  EXPECT_EQ(full.shape().links_per_pair(), 1U);
  for (RouterId router = 0; router < full.routers(); ++router) {
    for (std::uint8_t link = 22; link < 27; ++link) EXPECT_TRUE(full.has_link({router, link}));
  }
  EXPECT_EQ(Dragonfly::parse("dragonfly:3x2x4x4").shape().links_per_pair(), 8U);
  EXPECT_EQ(Dragonfly::parse("dragonfly:7x2x2x3").shape().links_per_pair(), 1U);
  EXPECT_EQ(Dragonfly::parse("dragonfly:33x6x16x4").shape().links_per_pair(), 6U);
  EXPECT_EQ(Dragonfly::parse("dragonfly:34x6x16x4").shape().links_per_pair(), 5U);
  EXPECT_EQ(Dragonfly::parse("dragonfly:481x6x16x4").shape().links_per_pair(), 1U);
}

TEST(Dragonfly, LinksMoveWhatTheirTilesDo) {
  corespec::Parameters parameters;
  const Dragonfly edison = Dragonfly::parse("edison");
  EXPECT_DOUBLE_EQ(link_bandwidth(parameters, edison, {0, 1}), 5.25e9);
  EXPECT_DOUBLE_EQ(link_bandwidth(parameters, edison, {0, 17}), 15.75e9);
  EXPECT_DOUBLE_EQ(link_bandwidth(parameters, edison, {0, 22}), 9.5e9);
  EXPECT_EQ(link_bandwidth(parameters, edison, {0, 0}), 0);   // its own slot
  EXPECT_EQ(link_bandwidth(parameters, edison, {0, 26}), 0);  // not in use
  parameters.tiles_blue = 1;
  parameters.tile_optical = 3e9;
  parameters.tile_electrical = 2e9;
  EXPECT_DOUBLE_EQ(link_bandwidth(parameters, edison, {0, 22}), 3e9);
  EXPECT_DOUBLE_EQ(link_bandwidth(parameters, edison, {0, 17}), 6e9);
  EXPECT_EQ(describe_links(corespec::Parameters(), edison),
            "green 5.25, black 15.75, blue 9.50, host 10.40 GB/s each way");
}

TEST(Dragonfly, BringsItsHopLatencyAndItsHostTiles) {
  const std::vector<corespec::Setting> expected = {{"CASTOR_HOP_LATENCY", "100"},
                                                   {"CASTOR_TILE_HOST", "8"}};
  EXPECT_EQ(Dragonfly::parse("edison").preset_settings(), expected);
  EXPECT_EQ(Dragonfly::parse("dragonfly:1x1x1x1").preset_settings(), expected);
}

/// Two cabinets to a group and four groups to a row; in the last row the first one is missing.
TEST(Dragonfly, NodesHaveTheNamesOfAnXC) {
  const DragonflyShape edison = DragonflyShape::parse("edison");
  const auto name = [&](std::uint32_t nid) { return node_name(edison.node_place(nid)); };
  EXPECT_EQ(name(0), "c0-0c0s0n0");
  EXPECT_EQ(name(3), "c0-0c0s0n3");
  EXPECT_EQ(name(4), "c0-0c0s1n0");
  EXPECT_EQ(name(64), "c0-0c1s0n0");
  EXPECT_EQ(name(3 * 64), "c1-0c0s0n0");
  EXPECT_EQ(name(384), "c2-0c0s0n0");
  EXPECT_EQ(name(4 * 384 + 5 * 64 + 15 * 4 + 2), "c1-1c2s15n2");
  EXPECT_EQ(name(11 * 384), "c6-2c0s0n0");
  EXPECT_EQ(name(12 * 384), "c2-3c0s0n0");
  EXPECT_EQ(name(5585), "c7-3c0s4n1");
  const DragonflyShape small = DragonflyShape::parse("dragonfly:9x3x4x2");  // a cabinet to a group
  EXPECT_EQ(node_name(small.node_place(8 * 24 + 2 * 8 + 3)), "c0-1c2s1n1");
  EXPECT_EQ(aries_name(small.place_in_room({1, 2, 3}, 0)), "c1-0c2s3a0");
}

TEST(Dragonfly, BadShapesAreRefusedInOneLine) {
  for (const char* bad :
       {"dragonfly:", "dragonfly:3x2x4", "dragonfly:3x2x4x4x4", "dragonfly:0x2x4x4",
        "dragonfly:3x0x4x4", "dragonfly:3x7x4x4", "dragonfly:3x2x17x4", "dragonfly:3x2x4x5",
        "dragonfly:3x2x4x0", "dragonfly:3x2x4x4 ", "dragonfly:42x2x4x4", "dragonfly:7x1x1x1",
        "dragonfly:99999999999x1x1x1", "dragonfly:4294967297x1x1x1", "dragonfly:-1x1x1x1",
        "dragonfly:edison"}) {
    EXPECT_TRUE(DragonflyShape::is_meant(bad));
    try {
      Dragonfly::parse(bad);
      ADD_FAILURE() << bad;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()),
                "system (--system, CASTOR_SYSTEM) '" + std::string(bad) +
                    "': a dragonfly must be edison or dragonfly:GROUPSxCHASSISxBLADESxNODES like "
                    "dragonfly:3x2x4x4, with 1 to 6 chassis in a group, 1 to 16 blades in a "
                    "chassis, 1 to 4 nodes on a blade, and 1 to 5*CHASSIS*BLADES+1 groups");
    }
  }
  EXPECT_FALSE(DragonflyShape::is_meant("edison2"));
  EXPECT_EQ(Dragonfly::parse("dragonfly:41x2x4x4").nodes(), 41U * 32);
}

TEST(DragonflyFile, EveryTileHasALineThatLeadsBack) {
  const Dragonfly edison = Dragonfly::parse("edison");
  std::map<std::string, std::string> far;
  std::map<std::string, int> colours, ends;
  for (RouterId router = 0; router < edison.routers(); ++router) {
    std::istringstream lines(interconnect_lines(edison, router));
    std::string from, colour, arrow, to, more;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      words >> from >> colour >> arrow >> to;
      ASSERT_EQ(arrow, "->");
      EXPECT_FALSE(words >> more);
      EXPECT_TRUE(far.emplace(from, to).second) << from;
      ++colours[colour];
      ++ends[to == "unused" || to == "processor" ? to : "tile"];
    }
  }
  for (const auto& [from, to] : far) {
    if (to != "unused" && to != "processor") {
      EXPECT_EQ(far[to], from);
    }
  }
  EXPECT_EQ(
      colours,
      (std::map<std::string, int>{
          {"green", 1440 * 15}, {"black", 1440 * 15}, {"blue", 1440 * 10}, {"ptile", 1440 * 8}}));
  EXPECT_EQ(ends, (std::map<std::string, int>{{"processor", 1440 * 8},
                                              {"unused", 1440 * 10 - 5040},
                                              {"tile", 1440 * 30 + 5040}}));
  EXPECT_EQ(far["c0-0c0s0a0l00(0:0:0)"], "c0-0c0s1a0l00(0:0:1)");
  EXPECT_EQ(far["c0-0c0s0a0l50(0:0:0)"], "processor");
}

}  // namespace
}  // namespace gemini
