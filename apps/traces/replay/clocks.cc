// Kruskal's algorithm, with an offset on each way up to a tree's root.
#include "apps/traces/replay/clocks.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace replay {
namespace {

class Trees {
 public:
  explicit Trees(std::size_t ranks) : up_(ranks), to_up_(ranks, 0) {
    std::iota(up_.begin(), up_.end(), std::size_t{0});
  }

  /// The root of a rank's tree, and the rank's clock less the root's. Ways get short by it.
  std::pair<std::size_t, std::int64_t> root_of(std::size_t rank) {
    std::vector<std::size_t> way;
    for (; up_[rank] != rank; rank = up_[rank]) way.push_back(rank);
    std::int64_t offset = 0;
    for (auto each = way.rbegin(); each != way.rend(); ++each) {
      offset += to_up_[*each];
      up_[*each] = rank;
      to_up_[*each] = offset;
    }
    return {rank, offset};
  }

  void join(const ClockPair& pair) {
    const auto [one, one_offset] = root_of(static_cast<std::size_t>(pair.one));
    const auto [other, other_offset] = root_of(static_cast<std::size_t>(pair.other));
    if (one == other) return;
    up_[other] = one;
    to_up_[other] = one_offset + pair.difference_ns - other_offset;
  }

 private:
  std::vector<std::size_t> up_;
  std::vector<std::int64_t> to_up_;
};

}  // namespace

std::vector<Clock> clocks_of(std::size_t ranks, std::vector<ClockPair> pairs) {
  // Equal bounds in one order everywhere.
  std::sort(pairs.begin(), pairs.end(), [](const ClockPair& left, const ClockPair& right) {
    return std::tuple(left.bound_ns, left.one, left.other) <
           std::tuple(right.bound_ns, right.one, right.other);
  });
  Trees trees(ranks);
  for (const ClockPair& pair : pairs) trees.join(pair);
  std::vector<Clock> clocks(ranks);
  if (ranks == 0) return clocks;
  const auto [first, first_offset] = trees.root_of(0);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto [root, offset] = trees.root_of(rank);
    if (root == first) clocks[rank] = {offset - first_offset, true};
  }
  return clocks;
}

}  // namespace replay
