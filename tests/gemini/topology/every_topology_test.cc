// What holds for every topology: places, links, tiles, routes and classes of buffers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/parameter_name.h"
#include "ugni_emu/gemini/links/tile_map.h"
#include "ugni_emu/gemini/topology/make_topology.h"

namespace gemini {
namespace {

class EveryTopology : public testing::TestWithParam<const char*> {
 protected:
  const std::shared_ptr<const Topology> topology_ = make_topology(GetParam());

  std::vector<Port> ports() const {
    std::vector<Port> all;
    for (RouterId router = 0; router < topology_->routers(); ++router) {
      for (unsigned link = 0; link < topology_->links_per_router(); ++link) {
        all.push_back({router, static_cast<std::uint8_t>(link)});
      }
    }
    return all;
  }
};

/// Shapes small enough to look at every pair of routers.
INSTANTIATE_TEST_SUITE_P(, EveryTopology,
                         testing::Values("9x8x7", "4x4x4", "5x3x6", "8x1x2", "2x2x2", "1x1x1",
                                         "edison", "dragonfly:3x2x4x4", "dragonfly:1x6x16x4",
                                         "dragonfly:2x1x1x1", "dragonfly:5x1x3x2",
                                         "dragonfly:4x3x1x4", "dragonfly:1x1x1x1",
                                         "dragonfly:7x2x2x3", "dragonfly:21x2x2x3"),
                         [](const auto& info) {
                           return castor_test::parameter_name(info.index, info.param);
                         });

TEST_P(EveryTopology, EveryNodeHasItsOwnPlace) {
  std::set<std::pair<RouterId, unsigned>> seen;
  for (Nid nid = 0; nid < topology_->nodes(); ++nid) {
    const Place place = topology_->place(nid);
    ASSERT_LT(place.router, topology_->routers());
    ASSERT_LT(place.nic, topology_->nics_per_router());
    EXPECT_EQ(topology_->nid_at(place.router, place.nic), nid);
    EXPECT_EQ(topology_->router_of(nid), place.router);
    EXPECT_TRUE(seen.insert({place.router, place.nic}).second) << nid;
  }
  EXPECT_FALSE(topology_->contains(topology_->nodes()));
  const std::size_t places = std::size_t{topology_->routers()} * topology_->nics_per_router();
  std::size_t empty = 0;
  for (RouterId router = 0; router < topology_->routers(); ++router) {
    for (unsigned nic = 0; nic < topology_->nics_per_router(); ++nic) {
      empty += topology_->nid_at(router, nic) == Topology::no_node ? 1 : 0;
    }
  }
  EXPECT_EQ(empty, places - topology_->nodes());
  EXPECT_FALSE(topology_->contains(Topology::no_node));
}

TEST_P(EveryTopology, BothEndsOfALinkLeadToEachOtherAndAreOfOneClass) {
  for (const Port port : ports()) {
    const Port far = topology_->far_end(port);
    ASSERT_LT(far.router, topology_->routers());
    ASSERT_LT(far.link, topology_->links_per_router());
    ASSERT_EQ(topology_->far_end(far), port) << port.router << " " << int{port.link};
    EXPECT_EQ(topology_->link_class(far), topology_->link_class(port));
    ASSERT_LT(topology_->link_class(port), topology_->link_classes().size());
    if (topology_->has_link(port)) {
      EXPECT_NE(far.router, port.router);
    }
  }
}

TEST_P(EveryTopology, PositionsAndNamesOfLinksAreDifferent) {
  std::set<std::vector<unsigned>> positions;
  for (RouterId router = 0; router < topology_->routers(); ++router) {
    EXPECT_TRUE(positions.insert(topology_->position(router)).second) << router;
  }
  std::set<std::string_view> names;
  for (unsigned link = 0; link < topology_->links_per_router(); ++link) {
    EXPECT_TRUE(names.insert(topology_->link_name(link)).second) << link;
  }
  EXPECT_FALSE(names.contains("HH"));  // the host port's
}

TEST_P(EveryTopology, EveryRouterHasItsFortyEightTiles) {
  for (RouterId router = 0; router < topology_->routers(); ++router) {
    std::vector<Tile> tiles(topology_->host_tiles().begin(), topology_->host_tiles().end());
    for (unsigned each = 0; each < topology_->links_per_router(); ++each) {
      const auto of_link = topology_->tiles_of({router, static_cast<std::uint8_t>(each)});
      tiles.insert(tiles.end(), of_link.begin(), of_link.end());
    }
    std::sort(tiles.begin(), tiles.end());
    ASSERT_EQ(tiles.size(), kTiles);
    for (unsigned tile = 0; tile < kTiles; ++tile) EXPECT_EQ(tiles[tile], tile);
  }
}

TEST_P(EveryTopology, TheTilesOfALinkMeetThoseOfItsFarEnd) {
  const corespec::Parameters parameters;
  for (const Port port : ports()) {
    if (!topology_->has_link(port)) continue;
    const Port far = topology_->far_end(port);
    const auto here = topology_->tiles_of(port), there = topology_->tiles_of(far);
    ASSERT_EQ(here.size(), there.size());
    const LinkClass& link = topology_->link_classes()[topology_->link_class(port)];
    EXPECT_EQ(here.size(), static_cast<std::size_t>(parameters.*link.tiles));
    for (unsigned k = 0; k < here.size(); ++k) {
      const RouterTile at{port.router, here[k]};
      ASSERT_EQ(place_of(*topology_, at), (TilePlace{port.link, k}));
      EXPECT_EQ(far_end(*topology_, at), (RouterTile{far.router, there[k]}));
    }
  }
}

TEST_P(EveryTopology, RoutesLeadWhereTheyShouldOverLinksThatExist) {
  unsigned most = 0;
  for (RouterId from = 0; from < topology_->routers(); ++from) {
    for (RouterId to = 0; to < topology_->routers(); ++to) {
      RouterId here = from;
      unsigned hops = 0;
      for (RouteWord word = topology_->route(from, to); !word.arrived(); word.step(), ++hops) {
        const Port port{here, static_cast<std::uint8_t>(word.link())};
        ASSERT_TRUE(topology_->has_link(port)) << from << " to " << to;
        here = topology_->far_end(port).router;
      }
      ASSERT_EQ(here, to) << from;
      ASSERT_EQ(topology_->route(from, to).hops(), hops);
      most = std::max(most, hops);
    }
  }
  EXPECT_LE(most, topology_->diameter());
}

/// Which buffers wait for which: a packet that holds one of them asks for the next on its route.
class Waits {
 public:
  /// `classed`: with the topology's classes, or all links with one buffer.
  Waits(const Topology& topology, bool classed) : topology_(topology), classed_(classed) {
    next_.resize(std::size_t{topology.routers()} * RouteWord::most_links * classes);
    for (RouterId from = 0; from < topology.routers(); ++from) {
      for (RouterId to = 0; to < topology.routers(); ++to) add(from, to);
    }
  }

  bool has_circle() {
    std::vector<Mark> marks(next_.size(), Mark::fresh);
    for (std::size_t buffer = 0; buffer < next_.size(); ++buffer) {
      if (circle_from(buffer, marks)) return true;
    }
    return false;
  }

 private:
  static constexpr unsigned classes = 2;
  static_assert(RouteWord::most_links * classes <= 64);
  enum class Mark : std::uint8_t { fresh, open, done };

  void add(RouterId from, RouterId to) {
    std::optional<Port> in;
    std::optional<std::size_t> before;
    unsigned held = 0;
    for (const Port out : topology_.path(from, to)) {
      if (classed_) held = topology_.buffer_class(out, in, held);
      ASSERT_LT(held, topology_.buffer_classes());
      ASSERT_LT(held, classes);
      const unsigned of_router = out.link * classes + held;
      if (before) next_[*before] |= std::uint64_t{1} << of_router;
      before = first_of(out.router) + of_router;
      in = topology_.far_end(out);
    }
  }

  bool circle_from(std::size_t buffer, std::vector<Mark>& marks) {
    if (marks[buffer] != Mark::fresh) return marks[buffer] == Mark::open;
    marks[buffer] = Mark::open;
    const std::size_t link = buffer / classes;
    const Port port{static_cast<RouterId>(link / RouteWord::most_links),
                    static_cast<std::uint8_t>(link % RouteWord::most_links)};
    for (unsigned of_router = 0; of_router < RouteWord::most_links * classes; ++of_router) {
      if ((next_[buffer] >> of_router & 1) == 0) continue;
      if (circle_from(first_of(topology_.far_end(port).router) + of_router, marks)) return true;
    }
    marks[buffer] = Mark::done;
    return false;
  }

  static std::size_t first_of(RouterId router) {
    return std::size_t{router} * RouteWord::most_links * classes;
  }

  const Topology& topology_;
  bool classed_;
  std::vector<std::uint64_t> next_;  ///< by link and class: those of the router that it leads to
};

TEST_P(EveryTopology, NoCircleOfBuffersWaitsForItself) {
  EXPECT_FALSE(Waits(*topology_, true).has_circle());
}

TEST(BufferClasses, WithoutThemSomeWaitForThemselves) {
  for (const char* system : {"4x4x4", "1x5x1", "edison", "dragonfly:3x2x4x4"}) {
    EXPECT_TRUE(Waits(*make_topology(system), false).has_circle()) << system;
  }
}

}  // namespace
}  // namespace gemini
