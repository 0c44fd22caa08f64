// Which ranks of a live job share an emulated node.
#include <algorithm>
#include <map>
#include <utility>

#include "launch/description/job_nodes.h"
#include "launch/live_rank/live_job.h"

namespace launch {

NodeMap NodeMap::make(const std::vector<int>& host_of, int ranks_per_node, std::vector<int> nids,
                      const gemini::Topology& topology, RankOrder order) {
  NodeMap map;
  map.node_of.resize(host_of.size());
  map.local.resize(host_of.size());
  std::map<int, int> filling;  // by host: the node that takes its next rank
  for (std::size_t place = 0; place < host_of.size(); ++place) {
    const std::size_t rank = index(order.rank_at(static_cast<int>(place)));
    const auto at = filling.find(host_of[rank]);
    int node = at == filling.end() ? -1 : at->second;
    const auto size = node < 0 ? 0 : static_cast<int>(map.ranks[index(node)].size());
    if (node < 0 || (ranks_per_node != 0 && size == ranks_per_node)) {
      node = static_cast<int>(map.ranks.size());
      map.ranks.emplace_back();
      filling[host_of[rank]] = node;
    }
    map.node_of[rank] = node;
    map.local[rank] = static_cast<int>(map.ranks[index(node)].size());
    map.ranks[index(node)].push_back(static_cast<int>(rank));
  }
  const auto size = static_cast<int>(map.ranks.front().size());
  bool regular = !order.reordered();
  for (std::size_t rank = 0; rank < host_of.size(); ++rank) {
    regular = regular && map.node_of[rank] == static_cast<int>(rank) / size;
  }
  map.regular = regular ? size : 0;
  map.order = std::move(order);
  map.nids = choose_nids(static_cast<int>(map.ranks.size()), std::move(nids), topology);
  return map;
}

int NodeMap::nodes_beside(int rank, const std::vector<int>& host_of) const {
  return static_cast<int>(std::count_if(ranks.begin(), ranks.end(), [&](const auto& node) {
    return host_of[index(node.front())] == host_of[index(rank)];
  }));
}

int NodeMap::place_beside(int rank, const std::vector<int>& host_of) const {
  const auto own = ranks.begin() + node_of[index(rank)];
  return static_cast<int>(std::count_if(ranks.begin(), own, [&](const auto& node) {
    return host_of[index(node.front())] == host_of[index(rank)];
  }));
}

}  // namespace launch
