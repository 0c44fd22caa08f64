// Blocks of a grid for nodes.
#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "netmod/mpi/topologies/mapping.h"

namespace netmod {
namespace {

using Sizes = std::vector<int>;

/// A block of `ranks` ranks: sizes that divide the grid's if there are such, then the least
/// surface. Of equally good ones the first, with the smallest sizes in front.
class BlockShape {
 public:
  BlockShape(const Sizes& grid, int ranks) : grid_(grid), ranks_(ranks), shape_(grid.size(), 1) {
    cut(0, ranks);
  }
  /// Single ranks if no block has so many.
  Sizes best() const { return best_ ? best_->shape : Sizes(grid_.size(), 1); }

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
    if (!best_ || std::tie(now.misfits, now.surface) < std::tie(best_->misfits, best_->surface)) {
      best_ = std::move(now);
    }
  }

  const Sizes& grid_;
  int ranks_;
  Sizes shape_;
  std::optional<Rated> best_;
};

/// The grid's places, block by block: the box of blocks is halved along its longest side, then
/// each half.
class BlockOrder {
 public:
  BlockOrder(const CartesianTopology& grid, Sizes block)
      : grid_(grid), block_(std::move(block)), blocks_(block_.size()) {
    for (std::size_t d = 0; d < block_.size(); ++d) {
      blocks_[d] = (grid.dims[d] + block_[d] - 1) / block_[d];
    }
  }
  Sizes places() {
    halve(Sizes(blocks_.size(), 0), blocks_);
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
    for (Sizes at = begin;;) {
      places_.push_back(grid_.rank_of(at));
      std::size_t d = at.size();
      for (; d > 0; --d) {
        if (++at[d - 1] < end[d - 1]) break;
        at[d - 1] = begin[d - 1];
      }
      if (d == 0) return;
    }
  }

  const CartesianTopology& grid_;
  Sizes block_, blocks_;
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

}  // namespace

std::vector<int> map_grid(const CartesianTopology& grid, const NodePlaces& places) {
  const std::size_t size = places.members().size();
  std::vector<int> own(size);
  std::iota(own.begin(), own.end(), 0);
  if (places.nodes() < 2) return own;
  int most = 0;
  for (int node = 0; node < places.nodes(); ++node) most = std::max(most, places.room(node));
  const Sizes order = BlockOrder(grid, BlockShape(grid.dims, most).best()).places();
  std::vector<int> mapped(size);
  for (std::size_t i = 0; i < size; ++i) {
    mapped[static_cast<std::size_t>(order[i])] = places.members()[i];
  }
  return cost_of(grid, places, mapped) < cost_of(grid, places, own) ? mapped : own;
}

}  // namespace netmod
