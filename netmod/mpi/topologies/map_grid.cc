// Blocks of a grid for nodes.
#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "netmod/mpi/topologies/mapping.h"

namespace netmod {
namespace {

using Sizes = std::vector<int>;

/// Blocks of `ranks` ranks: those whose sizes divide the grid's, or else the one that does so in
/// most dimensions. The least surface first; of equal ones those with the smallest sizes in front.
class BlockShapes {
 public:
  BlockShapes(const Sizes& grid, int ranks) : grid_(grid), ranks_(ranks), shape_(grid.size(), 1) {
    cut(0, ranks);
    std::stable_sort(rated_.begin(), rated_.end(), [](const Rated& a, const Rated& b) {
      return std::tie(a.misfits, a.surface) < std::tie(b.misfits, b.surface);
    });
  }
  /// At most `most`; single ranks if no block has so many.
  std::vector<Sizes> best(std::size_t most) const {
    std::vector<Sizes> shapes;
    for (const Rated& each : rated_) {
      if (shapes.size() == most || (!shapes.empty() && each.misfits != 0)) break;
      shapes.push_back(each.shape);
    }
    if (shapes.empty()) shapes.emplace_back(grid_.size(), 1);
    return shapes;
  }

 private:
  struct Rated {
    int misfits;           ///< dimensions that it does not divide
    std::int64_t surface;  ///< neighbours across its sides, where the grid goes on
    Sizes shape;
  };
  void cut(std::size_t d, int rest) {
    if (d == grid_.size()) {
      if (rest == 1) rate();
      return;
    }
    for (int size = 1; size <= std::min(rest, grid_[d]); ++size) {
      if (rest % size != 0) continue;
      shape_[d] = size;
      cut(d + 1, rest / size);
    }
  }
  void rate() {
    Rated now{0, 0, shape_};
    for (std::size_t d = 0; d < grid_.size(); ++d) {
      now.misfits += grid_[d] % shape_[d] != 0;
      if (shape_[d] < grid_[d]) now.surface += ranks_ / shape_[d];
    }
    rated_.push_back(std::move(now));
  }

  const Sizes& grid_;
  int ranks_;
  Sizes shape_;
  std::vector<Rated> rated_;
};

/// The grid's places, block by block.
class BlockOrder {
 public:
  BlockOrder(const CartesianTopology& grid, const Sizes& block)
      : grid_(grid), block_(block), blocks_(block.size()) {
    for (std::size_t d = 0; d < block_.size(); ++d) {
      blocks_[d] = (grid.dims[d] + block_[d] - 1) / block_[d];
    }
  }
  /// The box of blocks is halved along its longest side, then each half.
  Sizes by_halves() {
    places_.clear();
    halve(Sizes(blocks_.size(), 0), blocks_);
    return std::move(places_);
  }
  /// The last dimension fastest, as ranks are.
  Sizes by_rows() {
    places_.clear();
    Sizes block(blocks_.size(), 0);
    do {
      list(block);
    } while (next(block, Sizes(blocks_.size(), 0), blocks_));
    return std::move(places_);
  }

 private:
  void halve(const Sizes& low, const Sizes& size) {
    const auto longest = std::max_element(size.begin(), size.end());
    if (longest == size.end() || *longest == 1) return list(low);
    const auto d = static_cast<std::size_t>(longest - size.begin());
    Sizes first = size, second = size, middle = low;
    first[d] = size[d] / 2;
    second[d] = size[d] - first[d];
    middle[d] += first[d];
    halve(low, first);
    halve(middle, second);
  }
  void list(const Sizes& block) {
    Sizes begin(block.size()), end(block.size());
    for (std::size_t d = 0; d < block.size(); ++d) {
      begin[d] = block[d] * block_[d];
      end[d] = std::min(begin[d] + block_[d], grid_.dims[d]);
    }
    Sizes at = begin;
    do {
      places_.push_back(grid_.rank_of(at));
    } while (next(at, begin, end));
  }
  /// The place after `at` within a box; false if there is none.
  static bool next(Sizes& at, const Sizes& begin, const Sizes& end) {
    for (std::size_t d = at.size(); d > 0; --d) {
      if (++at[d - 1] < end[d - 1]) return true;
      at[d - 1] = begin[d - 1];
    }
    return false;
  }

  const CartesianTopology& grid_;
  const Sizes& block_;
  Sizes blocks_;
  Sizes places_;
};

MappingCost cost_of(const CartesianTopology& grid, const NodePlaces& places,
                    const std::vector<int>& member_at) {
  MappingCost cost;
  const auto node_at = [&](int place) {
    return places.node_of(member_at[static_cast<std::size_t>(place)]);
  };
  for (int place = 0; place < static_cast<int>(member_at.size()); ++place) {
    for (int d = 0; d < grid.dimensions(); ++d) {
      const int next = grid.shifted(place, d, 1);
      if (next >= 0) cost.add(places, node_at(place), node_at(next), 1);
    }
  }
  return cost;
}

/// The cheapest of what is offered.
class Choice {
 public:
  Choice(const CartesianTopology& grid, const NodePlaces& places, std::vector<int> own)
      : grid_(grid), places_(places), best_(std::move(own)), cost_(cost_of(grid, places, best_)) {}

  /// Places in the order in which they go to members.
  void offer(const Sizes& order, const std::vector<int>& members) {
    std::vector<int> mapped(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      mapped[static_cast<std::size_t>(order[i])] = members[i];
    }
    const MappingCost cost = cost_of(grid_, places_, mapped);
    if (cost >= cost_) return;
    cost_ = cost;
    best_ = std::move(mapped);
  }
  std::vector<int> best() { return std::move(best_); }

 private:
  const CartesianTopology& grid_;
  const NodePlaces& places_;
  std::vector<int> best_;
  MappingCost cost_;
};

/// Shapes that are tried: those after them have far more surface.
constexpr std::size_t most_shapes = 8;

}  // namespace

std::vector<int> map_grid(const CartesianTopology& grid, const NodePlaces& places) {
  std::vector<int> own(places.members().size());
  std::iota(own.begin(), own.end(), 0);
  if (places.nodes() < 2) return own;
  int most = 0;
  for (int node = 0; node < places.nodes(); ++node) most = std::max(most, places.room(node));
  Choice choice(grid, places, std::move(own));
  for (const Sizes& shape : BlockShapes(grid.dims, most).best(most_shapes)) {
    BlockOrder order(grid, shape);
    choice.offer(order.by_halves(), places.members());
    choice.offer(order.by_rows(), places.members_by_nid());
  }
  return choice.best();
}

}  // namespace netmod
