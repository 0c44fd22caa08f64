// The messages of one rank's trace, as far as the trace says what they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "apps/traces/dumpi/trace_file.h"

namespace replay {

enum class Half : std::uint8_t { send, receive };

/// One half of a message.
struct Message {
  Half half;
  /// 0: MPI_COMM_WORLD; from 1: its duplicates, in the order in which the trace makes them.
  std::int32_t comm;
  std::int32_t peer;  ///< a rank of MPI_COMM_WORLD
  std::int32_t tag;
  /// The call that sends it or posts its receive, from 0; of Startall the place in it.
  std::uint64_t call;
  std::size_t place;
  /// When the call of a send was entered; when the call that completed a receive returned. In ns
  /// since 1970 of the rank's own clock. None: the trace does not have it.
  std::optional<std::int64_t> time;
};

struct RankMessages {
  /// Those on MPI_COMM_WORLD and its duplicates, in the order of their calls.
  std::vector<Message> all;
  /// Receives of which the trace does not say who sent them.
  std::uint64_t of_unknown_sender = 0;
  /// When the rank's calls begin: MPI_Init's return, or the entry of the first call; in ns.
  std::int64_t begin = 0;
};

/// std::runtime_error if the trace has no wall times.
RankMessages messages_of(const dumpi::RankTrace& trace);

}  // namespace replay
