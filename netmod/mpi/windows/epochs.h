// Epochs of windows: when a rank may access others' memory, and when that is complete.
#pragma once

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/windows/window.h"

namespace netmod {

// MPI-3.1, 11.5. What is out of place is MPI_ERR_RMA_SYNC; assertions that a call does not know are
// MPI_ERR_ASSERT.

void fence(RankState& rank, Window& window, int assertion);

/// The members of `group` may access the caller's memory, until wait_exposure().
void post_exposure(RankState& rank, Window& window, const Group& group, int assertion);
void wait_exposure(RankState& rank, Window& window);
/// wait_exposure() if that need not wait.
bool test_exposure(RankState& rank, Window& window);
/// The caller accesses the memory of the members of `group`, until complete_access(). Whether they
/// have posted is looked at when that is needed.
void start_access(RankState& rank, Window& window, const Group& group, int assertion);
void complete_access(RankState& rank, Window& window);

void lock(RankState& rank, Window& window, int type, int target, int assertion);
void unlock(RankState& rank, Window& window, int target);
/// Each rank is locked when it is first accessed; those whose memory the caller can reach without
/// any call at once.
void lock_all(RankState& rank, Window& window, int assertion);
void unlock_all(RankState& rank, Window& window);

enum class Flush : std::uint8_t { local, remote };
void flush(RankState& rank, Window& window, int target, Flush how);
void flush_all(RankState& rank, Window& window, Flush how);
/// In an epoch of MPI_Win_lock or MPI_Win_lock_all.
void check_passive(const Window& window, const char* what);

/// Before an access to `target`: it is in an epoch that is open for it, and may begin.
Target& begin_access(RankState& rank, Window& window, int target);

/// No epoch is open.
void check_closed(const Window& window);

}  // namespace netmod
