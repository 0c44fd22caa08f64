// Which rank is at which place of a job: MPICH_RANK_REORDER_METHOD.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/config/parameters.h"

namespace launch {

/// The launcher fills nodes with places in order; ALPS numbers the processes so (ALPS_APP_PE).
/// The ranks of all libraries are these places in another order, if the user asks for one.
class RankOrder {
 public:
  RankOrder() = default;  ///< each rank at the place of its number
  /// `rank_at` by place: each rank once.
  explicit RankOrder(std::vector<int> rank_at);

  /// False: each rank is at the place of its number.
  bool reordered() const { return !rank_at_.empty(); }
  int rank_at(int place) const {
    return reordered() ? rank_at_[static_cast<std::size_t>(place)] : place;
  }
  int place_of(int rank) const {
    return reordered() ? place_of_[static_cast<std::size_t>(rank)] : rank;
  }

 private:
  std::vector<int> rank_at_;   ///< by place
  std::vector<int> place_of_;  ///< by rank
};

/// What MPICH_RANK_REORDER_METHOD asks for, where nodes have `per_node` places each. Reads the file
/// of method 3. Throws std::invalid_argument with one line.
RankOrder rank_order(const corespec::Parameters& parameters, int ranks, int per_node);

/// The order that a file named `name` with `text` in it asks for. Throws as above.
RankOrder parse_rank_order(std::string_view name, std::string_view text, int ranks);

/// MPICH_RANK_REORDER_DISPLAY: a line for each rank, as Cray's library has them. `nids` by node.
std::string rank_order_text(const corespec::Parameters& parameters, const RankOrder& order,
                            int ranks, int per_node, const std::vector<int>& nids);

}  // namespace launch
