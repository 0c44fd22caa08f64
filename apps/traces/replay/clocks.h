// How far apart the clocks of a trace's ranks were, by its messages.
#pragma once

#include <cstdint>
#include <vector>

namespace replay {

/// Two ranks that have sent each other messages. No message is received before it is sent: the
/// fastest message of each direction bounds the difference of the clocks from one side, and in the
/// middle both directions are equally fast.
struct ClockPair {
  std::int32_t one, other;
  std::int64_t difference_ns;  ///< the other's clock less the one's
  std::int64_t bound_ns;       ///< it may be so much more or less
};

struct Clock {
  std::int64_t offset_ns = 0;  ///< later than rank 0's clock
  bool is_known = false;       ///< false: no messages lead from rank 0 to this rank
};

/// A clock for each rank. Of all ways from rank 0 to a rank the pairs with the closest bounds are
/// used, each rank by one way (a minimum spanning tree).
std::vector<Clock> clocks_of(std::size_t ranks, std::vector<ClockPair> pairs);

}  // namespace replay
