// The two sides of a trace's messages find each other before the replay.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "apps/traces/replay/clocks.h"
#include "apps/traces/replay/messages.h"

namespace replay {

/// What one rank knows after it.
struct Matching {
  Clock clock;  ///< this rank's
  /// Halves that have no other half in the trace, by their call: a recording that begins or ends in
  /// the middle has them. A replay leaves them out, or would wait for them for ever.
  std::map<std::uint64_t, std::vector<std::pair<Half, std::size_t>>> left_out;
};

/// Messages of a pair of ranks with the same communicator and tag match in their order. If one
/// side has more of them, the surplus is at its beginning or at its end: whichever has fewer
/// messages received before they were sent, and of equal ones the end. A rank that has received
/// from unknown senders takes no part. All ranks of MPI_COMM_WORLD call it together.
Matching match(const RankMessages& own);

}  // namespace replay
