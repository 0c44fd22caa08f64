// MPI functions: graphs of ranks.
#include <fmt/format.h>

#include <algorithm>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/communicators/make_communicator.h"
#include "netmod/mpi/communicators/verdict.h"
#include "netmod/mpi/groups/communicator.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/groups/rank_arguments.h"
#include "netmod/mpi/topologies/distributed_graph.h"
#include "netmod/mpi/topologies/mapping.h"
#include "netmod/mpi/topologies/process_topology.h"
#include "netmod/mpi/topologies/reorder.h"

namespace netmod {
namespace {

void check_graph(const Communicator& comm, int nnodes, const int* index, const int* edges) {
  if (nnodes < 0 || nnodes > comm.size()) {
    fail(MPI_ERR_ARG, fmt::format("nnodes is {} (allowed: 0 to {})", nnodes, comm.size()));
  }
  if (nnodes == 0) return;
  check_pointer(index, "index");
  int before = 0;
  for (int i = 0; i < nnodes; ++i) {
    if (index[i] < before) {
      fail(MPI_ERR_ARG,
           fmt::format("index[{}] is {} (allowed: {} and above)", i, index[i], before));
    }
    before = index[i];
  }
  if (before > 0) check_pointer(edges, "edges");
  for (int i = 0; i < before; ++i) {
    if (edges[i] < 0 || edges[i] >= nnodes) {
      fail(MPI_ERR_ARG, fmt::format("edges[{}] is {} (allowed: 0 to {})", i, edges[i], nnodes - 1));
    }
  }
}

GraphTopology graph_of(int nnodes, const int* index, const int* edges) {
  GraphTopology topology;
  topology.index.assign(index, index + nnodes);
  topology.edges.assign(edges, edges + topology.index.back());
  return topology;
}

std::vector<Edge> edges_of(const GraphTopology& graph) {
  std::vector<Edge> edges;
  for (int node = 0; node < static_cast<int>(graph.index.size()); ++node) {
    for (const int other : graph.neighbours_of(node)) edges.push_back({node, other, 1});
  }
  return edges;
}

/// Numbers the members of `made` anew, by a mapping of all ranks' parts of the graph. A place's
/// part goes with it: to the rank that has its number now.
void reorder_graph(RankState& rank, const Communicator& old, Communicator& made,
                   DistributedGraphTopology& own) {
  const CollectiveCall call{rank, old};
  const std::vector<Edge> edges = collect(call, own);
  const std::vector<int> member_at =
      reorder(rank, old, &made, old.size(),
              [&](const NodePlaces& places) { return map_graph(edges, places); });
  own = pass_on(call, own, member_at[static_cast<std::size_t>(old.rank)], made.rank);
}

std::span<const int> graph_neighbours(RankState& rank, MPI_Comm comm, int of) {
  const Communicator& on = rank.communicators().named(comm);
  const GraphTopology& topology = graph(on);
  if (of < 0 || of >= on.size()) {
    fail(MPI_ERR_RANK, fmt::format("rank is {} (allowed: 0 to {})", of, on.size() - 1));
  }
  return topology.neighbours_of(of);
}

/// As much of the list as there is room for.
void copy_list(const std::vector<int>& list, int room, int* to, const char* name) {
  const auto count = std::min(list.size(), static_cast<std::size_t>(room));
  if (count == 0) return;
  check_pointer(to, name);
  std::copy_n(list.begin(), count, to);
}
void copy_weights(const DistributedGraphTopology& topology, const std::vector<int>& weights,
                  int room, int* to, const char* name) {
  if (topology.weighted && to != MPI_UNWEIGHTED && to != MPI_WEIGHTS_EMPTY) {
    copy_list(weights, room, to, name);
  }
}

template <class Shape>
int give(Communicator& made, Shape shape) {
  made.need_extras().topology = std::make_shared<const Topology>(Topology{std::move(shape)});
  return made.handle;
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::Communicator;
using netmod::DistributedGraphTopology;
using netmod::GraphTopology;
using netmod::RankState;

extern "C" {

// Their addresses are the marks; what is there is never looked at.
static const int weight_marks[2] = {0, 0};
int* const MPI_UNWEIGHTED = const_cast<int*>(&weight_marks[0]);
int* const MPI_WEIGHTS_EMPTY = const_cast<int*>(&weight_marks[1]);

int PMPI_Topo_test(MPI_Comm comm, int* status) {
  return call("MPI_Topo_test", comm, [&](RankState& rank) {
    const Communicator& on = rank.communicators().named(comm);
    check_pointer(status, "status");
    *status = MPI_UNDEFINED;
    if (on.extras == nullptr || on.extras->topology == nullptr) return;
    const auto& topology = on.extras->topology->shape;
    if (std::holds_alternative<netmod::CartesianTopology>(topology)) *status = MPI_CART;
    if (std::holds_alternative<GraphTopology>(topology)) *status = MPI_GRAPH;
    if (std::holds_alternative<DistributedGraphTopology>(topology)) *status = MPI_DIST_GRAPH;
  });
}
NETMOD_PUBLISH(Topo_test);

int PMPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[],
                      int reorder, MPI_Comm* comm_graph) {
  return call("MPI_Graph_create", comm_old, [&](RankState& rank) {
    const Communicator& old = netmod::intracommunicator(rank, comm_old);
    netmod::Verdict verdict(rank, old);
    verdict.check([&] {
      netmod::check_new(comm_graph, "comm_graph");
      netmod::check_graph(old, nnodes, index, edges);
    });
    netmod::Group members;
    if (verdict.good() && old.rank < nnodes) members = old.group.head(nnodes);
    old.enter();
    Communicator* made = netmod::make_communicator(rank, old, std::move(members), verdict);
    *comm_graph = MPI_COMM_NULL;
    if (nnodes == 0) return;
    GraphTopology topology = netmod::graph_of(nnodes, index, edges);
    if (reorder != 0) {
      netmod::reorder(rank, old, made, nnodes, [&](const netmod::NodePlaces& places) {
        return netmod::map_graph(netmod::edges_of(topology), places);
      });
    }
    if (made == nullptr) return;
    *comm_graph = netmod::give(*made, std::move(topology));
  });
}
NETMOD_PUBLISH(Graph_create);

int PMPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int* newrank) {
  return call("MPI_Graph_map", comm, [&](RankState& rank) {
    const Communicator& on = netmod::intracommunicator(rank, comm);
    check_pointer(newrank, "newrank");
    netmod::check_graph(on, nnodes, index, edges);
    *newrank = MPI_UNDEFINED;
    if (on.rank >= nnodes) return;
    const netmod::NodePlaces places(rank.job(), on.group.head(nnodes));
    const GraphTopology topology = netmod::graph_of(nnodes, index, edges);
    *newrank = netmod::place_of(netmod::map_graph(netmod::edges_of(topology), places), on.rank);
  });
}
NETMOD_PUBLISH(Graph_map);

int PMPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  return call("MPI_Graphdims_get", comm, [&](RankState& rank) {
    const GraphTopology& topology = netmod::graph(rank.communicators().named(comm));
    check_pointer(nnodes, "nnodes");
    check_pointer(nedges, "nedges");
    *nnodes = static_cast<int>(topology.index.size());
    *nedges = static_cast<int>(topology.edges.size());
  });
}
NETMOD_PUBLISH(Graphdims_get);

int PMPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
  return call("MPI_Graph_get", comm, [&](RankState& rank) {
    const GraphTopology& topology = netmod::graph(rank.communicators().named(comm));
    netmod::check_count(maxindex, "maxindex");
    netmod::check_count(maxedges, "maxedges");
    netmod::copy_list(topology.index, maxindex, index, "index");
    netmod::copy_list(topology.edges, maxedges, edges, "edges");
  });
}
NETMOD_PUBLISH(Graph_get);

int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank_in, int* nneighbors) {
  return call("MPI_Graph_neighbors_count", comm, [&](RankState& rank) {
    const auto neighbours = netmod::graph_neighbours(rank, comm, rank_in);
    check_pointer(nneighbors, "nneighbors");
    *nneighbors = static_cast<int>(neighbours.size());
  });
}
NETMOD_PUBLISH(Graph_neighbors_count);

int PMPI_Graph_neighbors(MPI_Comm comm, int rank_in, int maxneighbors, int neighbors[]) {
  return call("MPI_Graph_neighbors", comm, [&](RankState& rank) {
    const auto neighbours = netmod::graph_neighbours(rank, comm, rank_in);
    netmod::check_count(maxneighbors, "maxneighbors");
    netmod::copy_list({neighbours.begin(), neighbours.end()}, maxneighbors, neighbors, "neighbors");
  });
}
NETMOD_PUBLISH(Graph_neighbors);

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                    const int sourceweights[], int outdegree,
                                    const int destinations[], const int destweights[], MPI_Info,
                                    int reorder, MPI_Comm* comm_dist_graph) {
  return call("MPI_Dist_graph_create_adjacent", comm_old, [&](RankState& rank) {
    const Communicator& old = netmod::intracommunicator(rank, comm_old);
    DistributedGraphTopology topology;
    // Where there are no edges it does not matter what is said of their weights.
    const bool weighs_in = sourceweights != MPI_UNWEIGHTED;
    const bool weighs_out = destweights != MPI_UNWEIGHTED;
    topology.weighted = weighs_in || weighs_out;
    netmod::Verdict verdict(rank, old);
    verdict.check([&] {
      netmod::check_new(comm_dist_graph, "comm_dist_graph");
      if ((indegree > 0 && !weighs_in && weighs_out) ||
          (outdegree > 0 && weighs_in && !weighs_out)) {
        netmod::fail(MPI_ERR_ARG,
                     "one of sourceweights and destweights is MPI_UNWEIGHTED: both or "
                     "none may be");
      }
      topology.sources = netmod::checked_ranks(old, indegree, sources, "sources");
      topology.destinations = netmod::checked_ranks(old, outdegree, destinations, "destinations");
      topology.source_weights = netmod::checked_weights(indegree, sourceweights, "sourceweights");
      topology.destination_weights = netmod::checked_weights(outdegree, destweights, "destweights");
    });
    old.enter();
    Communicator& made = *netmod::make_communicator(rank, old, old.group, verdict);
    if (reorder != 0) netmod::reorder_graph(rank, old, made, topology);
    *comm_dist_graph = netmod::give(made, std::move(topology));
  });
}
NETMOD_PUBLISH(Dist_graph_create_adjacent);

int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                           const int destinations[], const int weights[], MPI_Info, int reorder,
                           MPI_Comm* comm_dist_graph) {
  return call("MPI_Dist_graph_create", comm_old, [&](RankState& rank) {
    const Communicator& old = netmod::intracommunicator(rank, comm_old);
    std::vector<netmod::Edge> edges;
    netmod::Verdict verdict(rank, old);
    verdict.check([&] {
      netmod::check_new(comm_dist_graph, "comm_dist_graph");
      edges = netmod::checked_edges(old, n, sources, degrees, destinations, weights);
    });
    old.enter();
    DistributedGraphTopology topology =
        netmod::distribute(netmod::CollectiveCall{rank, old}, edges, weights != MPI_UNWEIGHTED);
    Communicator& made = *netmod::make_communicator(rank, old, old.group, verdict);
    if (reorder != 0) netmod::reorder_graph(rank, old, made, topology);
    *comm_dist_graph = netmod::give(made, std::move(topology));
  });
}
NETMOD_PUBLISH(Dist_graph_create);

int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  return call("MPI_Dist_graph_neighbors_count", comm, [&](RankState& rank) {
    const auto& topology = netmod::distributed_graph(rank.communicators().named(comm));
    check_pointer(indegree, "indegree");
    check_pointer(outdegree, "outdegree");
    check_pointer(weighted, "weighted");
    *indegree = static_cast<int>(topology.sources.size());
    *outdegree = static_cast<int>(topology.destinations.size());
    *weighted = topology.weighted ? 1 : 0;
  });
}
NETMOD_PUBLISH(Dist_graph_neighbors_count);

int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                              int maxoutdegree, int destinations[], int destweights[]) {
  return call("MPI_Dist_graph_neighbors", comm, [&](RankState& rank) {
    const auto& topology = netmod::distributed_graph(rank.communicators().named(comm));
    netmod::check_count(maxindegree, "maxindegree");
    netmod::check_count(maxoutdegree, "maxoutdegree");
    netmod::copy_list(topology.sources, maxindegree, sources, "sources");
    netmod::copy_list(topology.destinations, maxoutdegree, destinations, "destinations");
    netmod::copy_weights(topology, topology.source_weights, maxindegree, sourceweights,
                         "sourceweights");
    netmod::copy_weights(topology, topology.destination_weights, maxoutdegree, destweights,
                         "destweights");
  });
}
NETMOD_PUBLISH(Dist_graph_neighbors);

}  // extern "C"
