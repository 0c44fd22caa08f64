// Process topologies: coordinates and ranks, neighbours, balanced dimensions.
#include "netmod/mpi/topologies/process_topology.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/groups/communicator.h"

namespace netmod {
namespace {

template <class Kind>
const Kind& topology_of(const Communicator& comm, const char* kind) {
  if (comm.extras != nullptr && comm.extras->topology != nullptr) {
    if (const Kind* found = std::get_if<Kind>(&comm.extras->topology->shape)) return *found;
  }
  fail(MPI_ERR_TOPOLOGY, std::string("the communicator has no ") + kind);
}

Neighbours on_grid(const CartesianTopology& grid, int rank) {
  Neighbours found;
  for (int d = 0; d < grid.dimensions(); ++d) {
    for (const int distance : {-1, 1}) found.sources.push_back(grid.shifted(rank, d, distance));
    found.taking_order.push_back(2 * d + 1);
    found.taking_order.push_back(2 * d);
  }
  found.destinations = found.sources;
  return found;
}

Neighbours in_order(std::vector<int> sources, std::vector<int> destinations) {
  Neighbours found{std::move(sources), std::move(destinations), {}};
  found.taking_order.resize(found.sources.size());
  std::iota(found.taking_order.begin(), found.taking_order.end(), 0);
  return found;
}

/// Cuts a count into factors, largest first; keeps the best balanced.
class Balance {
 public:
  Balance(std::int64_t count, std::size_t parts) : current_(parts), best_(parts) {
    for (std::int64_t low = 1; low * low <= count; ++low) {
      if (count % low != 0) continue;
      divisors_.push_back(low);
      if (low != count / low) divisors_.push_back(count / low);
    }
    std::sort(divisors_.begin(), divisors_.end());
    cut(count, 0);
  }
  const std::vector<std::int64_t>& best() const { return best_; }

 private:
  void cut(std::int64_t rest, std::size_t place) {
    const std::size_t left = current_.size() - place;
    const std::int64_t largest = place == 0 ? rest : current_[0];
    const std::int64_t bound = place == 0 ? rest : current_[place - 1];
    if (left == 1) {
      if (rest > bound) return;
      current_[place] = rest;
      const std::int64_t first = current_[0];
      // Of equally good ones that with the larger smallest factor, then the next, as in MPICH.
      if (difference_ < 0 || first - rest < difference_ ||
          (first - rest == difference_ &&
           std::lexicographical_compare(best_.rbegin(), best_.rend(), current_.rbegin(),
                                        current_.rend()))) {
        difference_ = first - rest;
        best_ = current_;
      }
      return;
    }
    for (const std::int64_t factor : divisors_) {
      if (factor > bound || difference_ == 0) return;
      if (rest % factor != 0 || !reaches(factor, left, rest)) continue;
      // None of the following can be larger: what is left is at least this much smaller.
      if (place > 0 && difference_ >= 0 && largest - factor > difference_) continue;
      if (place == 0 && difference_ >= 0 && least_difference(factor, left, rest) > difference_) {
        return;
      }
      current_[place] = factor;
      cut(rest / factor, place + 1);
    }
  }

  /// Is factor^left at least `rest`?
  static bool reaches(std::int64_t factor, std::size_t left, std::int64_t rest) {
    std::int64_t power = 1;
    for (std::size_t i = 0; i < left; ++i) {
      power *= factor;
      if (power >= rest) return true;
      if (factor == 1) return false;
    }
    return false;
  }
  /// With this largest factor the smallest is not above the root of the rest; a larger factor
  /// leaves a smaller rest.
  static std::int64_t least_difference(std::int64_t factor, std::size_t left, std::int64_t rest) {
    const std::int64_t smaller = rest / factor;
    const double root = std::pow(static_cast<double>(smaller), 1.0 / double(left - 1));
    return factor - static_cast<std::int64_t>(std::floor(root + 1e-6));
  }

  std::vector<std::int64_t> divisors_;
  std::vector<std::int64_t> current_;
  std::vector<std::int64_t> best_;
  std::int64_t difference_ = -1;  ///< of best_; negative: none yet
};

}  // namespace

std::vector<int> CartesianTopology::coordinates_of(int rank) const {
  std::vector<int> coordinates(dims.size());
  for (std::size_t d = dims.size(); d-- > 0;) {
    coordinates[d] = rank % dims[d];
    rank /= dims[d];
  }
  return coordinates;
}

int CartesianTopology::rank_of(std::span<const int> coordinates) const {
  int rank = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    int at = coordinates[d];
    if (at < 0 || at >= dims[d]) {
      if (!periods[d]) return MPI_PROC_NULL;
      at %= dims[d];
      if (at < 0) at += dims[d];
    }
    rank = rank * dims[d] + at;
  }
  return rank;
}

int CartesianTopology::shifted(int rank, int dimension, std::int64_t distance) const {
  const auto d = static_cast<std::size_t>(dimension);
  std::vector<int> coordinates = coordinates_of(rank);
  std::int64_t at = coordinates[d] + distance;
  if (at < 0 || at >= dims[d]) {
    if (!periods[d]) return MPI_PROC_NULL;
    at %= dims[d];
    if (at < 0) at += dims[d];
  }
  coordinates[d] = static_cast<int>(at);
  return rank_of(coordinates);
}

std::span<const int> GraphTopology::neighbours_of(int rank) const {
  const auto i = static_cast<std::size_t>(rank);
  const int begin = i == 0 ? 0 : index[i - 1];
  return std::span(edges).subspan(static_cast<std::size_t>(begin),
                                  static_cast<std::size_t>(index[i] - begin));
}

const CartesianTopology& cartesian(const Communicator& comm) {
  return topology_of<CartesianTopology>(comm, "Cartesian topology");
}
const GraphTopology& graph(const Communicator& comm) {
  return topology_of<GraphTopology>(comm, "graph topology");
}
const DistributedGraphTopology& distributed_graph(const Communicator& comm) {
  return topology_of<DistributedGraphTopology>(comm, "distributed graph topology");
}

Neighbours neighbours_of(const Communicator& comm) {
  if (comm.extras == nullptr || comm.extras->topology == nullptr) {
    fail(MPI_ERR_TOPOLOGY, "the communicator has no topology");
  }
  const auto& topology = comm.extras->topology->shape;
  if (const auto* grid = std::get_if<CartesianTopology>(&topology)) {
    return on_grid(*grid, comm.rank);
  }
  if (const auto* all = std::get_if<GraphTopology>(&topology)) {
    const auto mine = all->neighbours_of(comm.rank);
    const std::vector<int> list(mine.begin(), mine.end());
    return in_order(list, list);
  }
  const auto& mine = std::get<DistributedGraphTopology>(topology);
  return in_order(mine.sources, mine.destinations);
}

bool balance_dimensions(std::int64_t count, std::span<int> dims) {
  std::size_t free = 0;
  for (const int dim : dims) {
    if (dim == 0) {
      ++free;
    } else if (count % dim != 0) {
      return false;
    } else {
      count /= dim;
    }
  }
  if (free == 0) return count == 1;
  const Balance balance(count, free);
  std::size_t next = 0;
  for (int& dim : dims) {
    if (dim == 0) dim = static_cast<int>(balance.best()[next++]);
  }
  return true;
}

}  // namespace netmod
