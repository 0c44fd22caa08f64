// Graphs whose edges are given anywhere: each edge is told to the ranks at its ends.
#pragma once

#include <vector>

#include "netmod/mpi/collectives/algorithms/collectives.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/topologies/process_topology.h"

namespace netmod {

struct Edge {
  int source = 0;
  int destination = 0;
  int weight = 1;
};

/// Ranks of the communicator, non-negative weights (none if MPI_UNWEIGHTED), and the edges that
/// MPI_Dist_graph_create's arrays name; else MPI_ERR_RANK, MPI_ERR_ARG, MPI_ERR_COUNT.
std::vector<int> checked_ranks(const Communicator& comm, int count, const int* ranks,
                               const char* name);
std::vector<int> checked_weights(int count, const int* weights, const char* name);
std::vector<Edge> checked_edges(const Communicator& comm, int n, const int* sources,
                                const int* degrees, const int* destinations, const int* weights);

/// Collective: the caller's edges of all that ranks gave, by the rank that gave them, then in its
/// order. Ranks that do not agree on `weighted` hear MPI_ERR_ARG.
DistributedGraphTopology distribute(const CollectiveCall& call, const std::vector<Edge>& edges,
                                    bool weighted);

/// Collective: at the first rank, all ranks' edges (each as its source has it); none elsewhere.
std::vector<Edge> collect(const CollectiveCall& call, const DistributedGraphTopology& own);

/// Collective: gives one's own part of the graph to rank `to` and gets that of rank `from`.
DistributedGraphTopology pass_on(const CollectiveCall& call, const DistributedGraphTopology& own,
                                 int to, int from);

}  // namespace netmod
