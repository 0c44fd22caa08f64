// Which ranks of a live job share an emulated node.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "launch/live_rank/live_job.h"
#include "ugni_emu/gemini/topology/make_topology.h"

namespace launch {
namespace {

using Ranks = std::vector<std::vector<int>>;

NodeMap map_of(const std::vector<int>& hosts, int per_node, std::vector<int> nids) {
  return NodeMap::make(hosts, per_node, std::move(nids), *gemini::make_topology("8x8x8"));
}

TEST(NodeMap, OneHostIsOneNodeUnlessAskedOtherwise) {
  const std::vector<int> hosts(5, 0);
  const NodeMap whole = map_of(hosts, 0, {});
  EXPECT_EQ(whole.ranks, (Ranks{{0, 1, 2, 3, 4}}));
  EXPECT_EQ(whole.regular, 5);
  const NodeMap pairs = map_of(hosts, 2, {});
  EXPECT_EQ(pairs.ranks, (Ranks{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(pairs.regular, 2);
  EXPECT_EQ(pairs.local_rank_of(3), 1);
  EXPECT_EQ(pairs.nid_of(4), 2);
  EXPECT_EQ(pairs.nodes_beside(0, hosts), 3);
  EXPECT_EQ(pairs.place_beside(4, hosts), 2);
}

TEST(NodeMap, ANodeNeverSpansHosts) {
  const std::vector<int> hosts{0, 0, 0, 3, 3, 3};
  const NodeMap map = map_of(hosts, 2, {});
  EXPECT_EQ(map.ranks, (Ranks{{0, 1}, {2}, {3, 4}, {5}}));
  EXPECT_EQ(map.regular, 0);
  EXPECT_EQ(map.nodes_beside(5, hosts), 2);
  EXPECT_EQ(map.place_beside(5, hosts), 1);
}

TEST(NodeMap, RanksDealtOutInTurn) {
  const std::vector<int> hosts{0, 1, 0, 1, 0, 1};
  const NodeMap map = map_of(hosts, 0, {});
  EXPECT_EQ(map.ranks, (Ranks{{0, 2, 4}, {1, 3, 5}}));
  EXPECT_EQ(map.regular, 0);
  EXPECT_EQ(map.local_rank_of(4), 2);
  EXPECT_EQ(map.with(3), (std::vector<int>{1, 3, 5}));
}

TEST(NodeMap, RanksInAnotherOrder) {
  const NodeMap map = NodeMap::make({0, 0, 0, 0, 0}, 2, {}, *gemini::make_topology("8x8x8"),
                                    RankOrder({4, 0, 3, 2, 1}));
  EXPECT_EQ(map.ranks, (Ranks{{4, 0}, {3, 2}, {1}}));
  EXPECT_EQ(map.regular, 0);
  EXPECT_EQ(map.local_rank_of(4), 0);
  EXPECT_EQ(map.local_rank_of(0), 1);
  EXPECT_EQ(map.nid_of(0), 0);
  EXPECT_EQ(map.nid_of(1), 2);
  EXPECT_EQ(map.order.place_of(2), 3);
}

TEST(NodeMap, NodesHaveTheNumbersAskedFor) {
  const NodeMap map = map_of({0, 0, 0, 0}, 2, {17, 4, 99});
  EXPECT_EQ(map.nid_of(1), 17);
  EXPECT_EQ(map.nid_of(2), 4);
  try {
    map_of({0, 0, 0}, 1, {1, 2});
    FAIL() << "two nodes are too few";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("CASTOR_NODE_LIST): 2 nodes; 3 needed"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace launch
