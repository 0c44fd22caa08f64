// Accumulates that take the target's lock: put off until the rank waits for them, then all at once.
#pragma once

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/windows/accumulate.h"

namespace netmod {

/// Keeps an accumulate until the rank waits for its target: then it does no harm to hold the lock,
/// since nothing but the network comes in between. Until then the caller's elements stay as they
/// are, unless they are few.
void put_off(RankState& rank, Window& window, const Accumulation& accumulation,
             const LocalData& from, const RemoteData& to);

/// Does what was put off, for all targets or for one, and returns when it is done: targets side by
/// side; each under its lock, taken once, and what does not overlap at the same time.
void run_updates(RankState& rank, Window& window);
void run_updates(RankState& rank, Window& window, Target& target);

/// The lock that such accumulates on a target take.
RemotePlace accumulate_lock(const Target& target);

}  // namespace netmod
