// The order of a grid's ranks in which those of a cell are neighbours.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace launch {

/// A grid, its cells and how the ranks are to be counted: the command line of grid_order.
struct GridRequest {
  enum class Major { unset, row, column };  ///< the last, or the first coordinate runs fastest
  Major major = Major::unset;
  std::vector<int> grid;     ///< -g
  std::vector<int> cell;     ///< -c: as many sizes as `grid` has
  bool alternating = false;  ///< -P: every second row of cells backwards
  int ranks = 0;             ///< -m: of the job; 0: the grid's
  std::size_t per_line = 0;  ///< -n; 0: a cell to a line
};

/// Every rank of the job once: those of the grid's cells, then the ones beyond the grid. Cells at
/// the grid's end are smaller where their size does not divide the grid's.
std::vector<int> cell_order(const GridRequest& request);

/// The same as a file for MPICH_RANK_REORDER_METHOD=3.
std::string order_file(const GridRequest& request);

}  // namespace launch
