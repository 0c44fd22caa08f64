// What each recorded call becomes.
#pragma once

#include <span>

#include "apps/traces/dumpi/calls.h"
#include "apps/traces/replay/replayed_rank.h"

namespace replay {

/// Makes the call again.
using Make = void (*)(ReplayedRank& rank, const dumpi::Call& call);

struct ReplayedCall {
  dumpi::Label label;
  Make make;
};

// Tables, each in the file of its name.
std::span<const ReplayedCall> message_calls();     ///< sends, receives, probes
std::span<const ReplayedCall> completion_calls();  ///< Wait, Test and their kind
std::span<const ReplayedCall> collective_calls();
std::span<const ReplayedCall> object_calls();  ///< communicators, groups, windows
std::span<const ReplayedCall> local_calls();   ///< and files
std::span<const ReplayedCall> one_sided_calls();

/// Null: such a call is not replayed.
Make find_make(dumpi::Label label);

}  // namespace replay
