// Process topologies: grids, graphs, and graphs of which each rank knows its own edges.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace netmod {

class RankState;
struct Communicator;

/// A grid; the last dimension's coordinate runs fastest with the rank.
struct CartesianTopology {
  std::vector<int> dims;
  std::vector<bool> periods;

  int dimensions() const { return static_cast<int>(dims.size()); }
  std::vector<int> coordinates_of(int rank) const;
  /// Coordinates are taken modulo a periodic dimension; MPI_PROC_NULL outside of another one.
  int rank_of(std::span<const int> coordinates) const;
  /// The rank `distance` further along a dimension.
  int shifted(int rank, int dimension, std::int64_t distance) const;
};

/// All edges, as MPI_Graph_create has them: those of rank i end before index[i].
struct GraphTopology {
  std::vector<int> index;
  std::vector<int> edges;

  std::span<const int> neighbours_of(int rank) const;
};

/// The caller's edges; weights are empty if there are none.
struct DistributedGraphTopology {
  std::vector<int> sources, source_weights;
  std::vector<int> destinations, destination_weights;
  bool weighted = false;
};

/// Does not change once made: duplicates of a communicator share it.
struct Topology {
  std::variant<CartesianTopology, GraphTopology, DistributedGraphTopology> shape;
};

/// Of the communicator; MPI_ERR_TOPOLOGY if it has none, or another kind.
const CartesianTopology& cartesian(const Communicator& comm);
const GraphTopology& graph(const Communicator& comm);
const DistributedGraphTopology& distributed_graph(const Communicator& comm);

/// With whom the neighbourhood collectives exchange, in the order of the parts of the buffers;
/// MPI_PROC_NULL where a grid ends.
struct Neighbours {
  std::vector<int> sources, destinations;
  /// Sources in the order in which what they send is taken. Where one rank is a neighbour more
  /// than once, its messages come in the order of its destinations; on a grid (of one or two ranks
  /// along a periodic dimension) what went down comes from above.
  std::vector<int> taking_order;
};
Neighbours neighbours_of(const Communicator& comm);

/// Fills the zeros of `dims` so that their product is `count`: as close to each other as can be
/// (the difference between largest and smallest is least, then the largest), none larger than the
/// one before. False: `count` is not a multiple of the others' product.
bool balance_dimensions(std::int64_t count, std::span<int> dims);

}  // namespace netmod
