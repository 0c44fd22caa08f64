// How a machine is divided into parts.
#include "launch/workers/part_of_router.h"

#include <algorithm>

namespace launch {
namespace {

std::vector<bool> blocks_in_use(const gemini::Topology& topology, const std::vector<int>& nids,
                                unsigned routers_per_block) {
  std::vector<bool> used((topology.routers() + routers_per_block - 1) / routers_per_block);
  for (const int nid : nids) {
    used[topology.router_of(static_cast<gemini::Nid>(nid)) / routers_per_block] = true;
  }
  return used;
}

}  // namespace

PartOfRouter::PartOfRouter(const gemini::Topology& topology, const std::vector<int>& nids,
                           unsigned routers_per_block, std::size_t parts)
    : per_block_(routers_per_block) {
  const std::vector<bool> used = blocks_in_use(topology, nids, routers_per_block);
  const auto all_used = static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
  std::size_t before = 0;  // blocks in use
  for (const bool is_used : used) {
    const std::size_t part = std::min(before * parts / all_used, parts - 1);
    of_block_.push_back(static_cast<std::uint16_t>(part));
    if (is_used) ++before;
  }
}

std::size_t PartOfRouter::used_blocks(const gemini::Topology& topology,
                                      const std::vector<int>& nids, unsigned routers_per_block) {
  const std::vector<bool> used = blocks_in_use(topology, nids, routers_per_block);
  return static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
}

}  // namespace launch
