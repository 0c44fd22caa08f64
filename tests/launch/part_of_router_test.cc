// How a machine is divided into parts: neighbouring blocks of routers, each part with as many of
// those that the job uses.
#include "launch/workers/part_of_router.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/parameter_name.h"
#include "ugni_emu/gemini/topology/make_topology.h"

namespace {

using gemini::RouterId;
using launch::PartOfRouter;

constexpr unsigned routers_per_block = 4;

/// Blocks with nodes of the job.
std::set<RouterId> blocks_of(const gemini::Topology& topology, const std::vector<int>& nids) {
  std::set<RouterId> blocks;
  for (const int nid : nids) {
    blocks.insert(topology.router_of(static_cast<gemini::Nid>(nid)) / routers_per_block);
  }
  return blocks;
}

void expect_well_divided(const gemini::Topology& topology, const std::vector<int>& nids,
                         std::size_t parts) {
  const PartOfRouter part_of(topology, nids, routers_per_block, parts);
  std::size_t before = 0;
  for (RouterId router = 0; router < topology.routers(); ++router) {
    const std::size_t part = part_of(router);
    EXPECT_LT(part, parts);
    EXPECT_GE(part, before) << "router " << router << " is no neighbour of its part's";
    EXPECT_EQ(part, part_of(router / routers_per_block * routers_per_block)) << "a block in two";
    before = part;
  }
  std::vector<std::size_t> used(parts);
  for (const RouterId block : blocks_of(topology, nids)) ++used[part_of(block * routers_per_block)];
  const auto [least, most] = std::minmax_element(used.begin(), used.end());
  EXPECT_GE(*least, 1U);
  EXPECT_LE(*most - *least, 1U);
}

class ADivision : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, ADivision,
                         testing::Values("4x4x4", "5x3x7", "hopper", "dragonfly:4x2x4x4"),
                         [](const auto& info) {
                           return castor_test::parameter_name(info.index, info.param);
                         });

TEST_P(ADivision, GivesEachPartNeighboursAndAsManyInUse) {
  const std::shared_ptr<const gemini::Topology> topology = gemini::make_topology(GetParam());
  std::mt19937 random(3);
  for (int job = 0; job < 25; ++job) {
    // Some are on neighbouring nodes, some everywhere.
    const unsigned nodes = 1 + static_cast<unsigned>(random() % topology->nodes());
    const unsigned first = static_cast<unsigned>(random() % (topology->nodes() - nodes + 1));
    std::vector<int> nids;
    for (unsigned i = 0; i < nodes; ++i) {
      nids.push_back(static_cast<int>(job % 2 == 0 ? first + i : random() % topology->nodes()));
    }
    const std::size_t blocks = PartOfRouter::used_blocks(*topology, nids, routers_per_block);
    EXPECT_EQ(blocks, blocks_of(*topology, nids).size());
    for (std::size_t parts = 1; parts <= std::min<std::size_t>(blocks, 9); ++parts) {
      expect_well_divided(*topology, nids, parts);
    }
    const std::size_t most = std::min<std::size_t>(blocks, 64);
    expect_well_divided(*topology, nids, most);
  }
}

}  // namespace
