// The order of a grid's ranks in which those of a cell are neighbours.
#include "launch/grid_order/cell_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace launch {
namespace {

using Sizes = std::vector<int>;

int product(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>());
}

/// Counts `at` on within `sizes`, the last place fastest. False: at the end, all zeros again.
bool step(Sizes& at, const Sizes& sizes) {
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (++at[d] < sizes[d]) return true;
    at[d] = 0;
  }
  return false;
}

/// A grid whose last coordinate runs fastest.
class CellWalk {
 public:
  CellWalk(const Sizes& grid, const Sizes& cell, bool alternating)
      : grid_(grid), cell_(cell), alternating_(alternating) {
    for (std::size_t d = 0; d < grid.size(); ++d) {
      cells_.push_back((grid[d] + cell[d] - 1) / cell[d]);
    }
  }

  std::vector<int> ranks() {
    Sizes cell(grid_.size(), 0);
    do {
      list(turned(cell));
    } while (step(cell, cells_));
    return std::move(ranks_);
  }

 private:
  /// Backwards along each dimension in which the walk has turned an odd number of times.
  Sizes turned(Sizes cell) const {
    int turns = 0;  // of the dimensions before: the number of their row in the walk
    for (std::size_t d = 0; alternating_ && d < cell.size(); ++d) {
      const int along = cell[d];
      if (turns % 2 != 0) cell[d] = cells_[d] - 1 - along;
      turns = turns * cells_[d] + along;
    }
    return cell;
  }

  void list(const Sizes& cell) {
    Sizes size(grid_.size());
    for (std::size_t d = 0; d < size.size(); ++d) {
      size[d] = std::min(cell_[d], grid_[d] - cell[d] * cell_[d]);
    }
    Sizes at(size.size(), 0);
    do {
      int rank = 0;
      for (std::size_t d = 0; d < at.size(); ++d) {
        rank = rank * grid_[d] + cell[d] * cell_[d] + at[d];
      }
      ranks_.push_back(rank);
    } while (step(at, size));
  }

  Sizes grid_, cell_;
  bool alternating_;
  Sizes cells_;
  std::vector<int> ranks_;
};

}  // namespace

std::vector<int> cell_order(const GridRequest& request) {
  Sizes grid = request.grid;
  Sizes cell = request.cell;
  if (request.major == GridRequest::Major::column) {
    std::reverse(grid.begin(), grid.end());
    std::reverse(cell.begin(), cell.end());
  }
  std::vector<int> order = CellWalk(grid, cell, request.alternating).ranks();
  const int in_grid = product(grid);
  const int ranks = request.ranks == 0 ? in_grid : request.ranks;
  order.erase(std::remove_if(order.begin(), order.end(), [&](int rank) { return rank >= ranks; }),
              order.end());
  for (int rank = in_grid; rank < ranks; ++rank) order.push_back(rank);
  return order;
}

std::string order_file(const GridRequest& request) {
  std::string text = fmt::format("# grid_order -{} -{} -c {} -g {}{}\n",
                                 request.major == GridRequest::Major::column ? 'C' : 'R',
                                 request.alternating ? 'P' : 'Z', fmt::join(request.cell, ","),
                                 fmt::join(request.grid, ","),
                                 request.ranks == 0 ? "" : fmt::format(" -m {}", request.ranks));
  const std::vector<int> order = cell_order(request);
  const std::size_t per_line =
      request.per_line == 0 ? static_cast<std::size_t>(product(request.cell)) : request.per_line;
  for (std::size_t at = 0; at < order.size(); at += per_line) {
    const std::size_t end = std::min(at + per_line, order.size());
    text += fmt::format("{}\n", fmt::join(order.begin() + static_cast<std::ptrdiff_t>(at),
                                          order.begin() + static_cast<std::ptrdiff_t>(end), ","));
  }
  return text;
}

}  // namespace launch
