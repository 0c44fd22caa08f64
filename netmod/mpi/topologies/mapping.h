// Which member of a group takes which place of a grid or a graph, so that neighbours are near.
#pragma once

#include <vector>

#include "netmod/mpi/topologies/distributed_graph.h"
#include "netmod/mpi/topologies/node_places.h"
#include "netmod/mpi/topologies/process_topology.h"

namespace netmod {

// Each gives the member for every place, all members once: the order found, or the members' own
// where that is as good (MappingCost).

/// The place that a mapping has given a member.
int place_of(const std::vector<int>& member_at, int member);

/// Each node gets a block of the grid: the cheapest of several shapes, near a cube first, and of
/// two orders: blocks and nodes are halved alike, or both counted.
std::vector<int> map_grid(const CartesianTopology& grid, const NodePlaces& places);

/// Greedy: node by node, the place that weighs most with those already on the node, then with
/// all others that have a member.
std::vector<int> map_graph(const std::vector<Edge>& edges, const NodePlaces& places);

}  // namespace netmod
