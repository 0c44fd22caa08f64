// Epochs of windows.
#include "netmod/mpi/windows/epochs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "corespec/threads/node.h"
#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/algorithms/collectives.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/windows/awaited_window.h"
#include "netmod/mpi/windows/posting.h"
#include "netmod/mpi/windows/remote_lock.h"
#include "netmod/mpi/windows/updates.h"

namespace netmod {
namespace {

using Access = Epochs::Access;

/// Messages in the window's own communicator: from a target that has posted to its origins, and
/// from an origin that has completed to its targets.
enum EpochTag : int { posted_tag = 1, completed_tag };

void check_assertion(int assertion, int known) {
  if ((assertion & ~known) != 0) {
    fail(MPI_ERR_ASSERT, fmt::format("assert is {}, which is not allowed here", assertion));
  }
}

const char* text_of(Access access) {
  switch (access) {
    case Access::none:
      return "no epoch is open";
    case Access::fence:
      return "the epoch is one of MPI_Win_fence";
    case Access::start:
      return "the epoch is one of MPI_Win_start";
    case Access::lock:
      return "the epoch is one of MPI_Win_lock";
    case Access::lock_all:
      return "the epoch is one of MPI_Win_lock_all";
  }
  return "";
}

[[noreturn]] void fail_epoch(const Window& window) {
  fail(MPI_ERR_RMA_SYNC, text_of(window.epochs.access));
}

/// An epoch may be opened: none is open but one of a fence in which nothing has been done.
void check_may_open(const Window& window) {
  const Epochs& epochs = window.epochs;
  if (epochs.access == Access::none || (epochs.access == Access::fence && !epochs.fence_used)) {
    return;
  }
  fail_epoch(window);
}

void check_rank(const Window& window, int target) {
  if (target >= 0 && target < window.members->size()) return;
  fail(MPI_ERR_RANK, fmt::format("rank is {} (allowed: 0 to {}, MPI_PROC_NULL)", target,
                                 window.members->size() - 1));
}

std::vector<int> ranks_of(const Window& window, const Group& group) {
  std::vector<int> ranks = window.members->group.members_of(group.job_ranks());
  if (std::find(ranks.begin(), ranks.end(), -1) != ranks.end()) {
    fail(MPI_ERR_GROUP, "the group has members that the window has not");
  }
  return ranks;
}

void tell(RankState& rank, const Window& window, int whom, EpochTag tag) {
  const Communicator& members = *window.members;
  Device& device = rank.device();
  device.release(device.send(nullptr, 0, members.group.job_rank(whom),
                             {members.rank, tag, members.message_context()}, SendMode::standard,
                             DataStays::until_complete));
}

Request* hear(RankState& rank, const Window& window, int whom, EpochTag tag) {
  return rank.device().receive(nullptr, 0, {whom, tag, window.members->message_context()});
}

RemoteLock epoch_lock(RankState& rank, Window& window, const Target& target) {
  return {rank,
          {target.job_rank, target.entry.control + offsetof(WindowControl, epochs),
           target.entry.control_handle},
          window.unattended};
}

void acquire(RankState& rank, Window& window, Target& target, LockHeld how) {
  const int number = window.members->group.member(target.job_rank);
  const AwaitedWindow for_people(rank, window, number);
  if (how == LockHeld::shared) target.ticket = epoch_lock(rank, window, target).acquire_shared();
  if (how == LockHeld::exclusive) {
    target.ticket = epoch_lock(rank, window, target).acquire_exclusive();
  }
  target.lock = how;
}

void release(RankState& rank, Window& window, Target& target) {
  const LockHeld held = std::exchange(target.lock, LockHeld::none);
  if (held == LockHeld::shared) epoch_lock(rank, window, target).release_shared();
  if (held == LockHeld::exclusive) {
    epoch_lock(rank, window, target).release_exclusive(target.ticket);
  }
}

void wait_for_target(RankState& rank, Window& window, Target& target, Flush how) {
  run_updates(rank, window, target);
  const auto done = [&target, how] {
    return how == Flush::remote ? target.complete() : target.locally_complete();
  };
  if (done()) return;
  const AwaitedWindow for_people(rank, window);
  rank.wait_until(done);
}

void wait_for_all_targets(RankState& rank, Window& window, Flush how) {
  run_updates(rank, window);
  for (auto& [number, target] : window.targets) wait_for_target(rank, window, target, how);
}

/// The post of a target that MPI_Win_start has named.
void wait_for_post(RankState& rank, Request*& post) {
  if (post == nullptr) return;
  Request* const awaited = post;
  rank.wait(*awaited);
  if (post == nullptr) return;  // another thread was here
  rank.device().release(awaited);
  post = nullptr;
}

bool all_complete(const std::vector<Request*>& requests) {
  return std::all_of(requests.begin(), requests.end(),
                     [](const Request* request) { return request->complete(); });
}

void close_exposure(RankState& rank, Window& window) {
  for (Request* request : window.epochs.completions) rank.device().release(request);
  window.epochs.completions.clear();
  window.epochs.exposed = false;
}

}  // namespace

void fence(RankState& rank, Window& window, int assertion) {
  check_assertion(assertion,
                  MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED);
  Epochs& epochs = window.epochs;
  if (epochs.access != Access::none && epochs.access != Access::fence) fail_epoch(window);
  if (epochs.exposed) fail(MPI_ERR_RMA_SYNC, "the exposure of MPI_Win_post has not ended");
  window.members->enter();
  wait_for_all_targets(rank, window, Flush::remote);
  barrier(CollectiveCall{rank, *window.members});
  epochs.access = (assertion & MPI_MODE_NOSUCCEED) != 0 ? Access::none : Access::fence;
  epochs.fence_used = false;
}

void post_exposure(RankState& rank, Window& window, const Group& group, int assertion) {
  check_assertion(assertion, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
  Epochs& epochs = window.epochs;
  if (epochs.exposed) fail(MPI_ERR_RMA_SYNC, "MPI_Win_post has been called already");
  if (epochs.access == Access::fence && epochs.fence_used) fail_epoch(window);
  const std::vector<int> origins = ranks_of(window, group);
  epochs.exposed = true;
  for (const int origin : origins) {
    epochs.completions.push_back(hear(rank, window, origin, completed_tag));
    if ((assertion & MPI_MODE_NOCHECK) == 0) tell(rank, window, origin, posted_tag);
  }
}

void wait_exposure(RankState& rank, Window& window) {
  Epochs& epochs = window.epochs;
  if (!epochs.exposed) fail(MPI_ERR_RMA_SYNC, "MPI_Win_post has not been called");
  const auto complete = [&epochs] { return all_complete(epochs.completions); };
  const AwaitedWindow for_people(rank, window);
  rank.wait_until(complete);
  close_exposure(rank, window);
}

bool test_exposure(RankState& rank, Window& window) {
  Epochs& epochs = window.epochs;
  if (!epochs.exposed) fail(MPI_ERR_RMA_SYNC, "MPI_Win_post has not been called");
  if (!all_complete(epochs.completions)) rank.device().progress();
  if (!all_complete(epochs.completions)) return false;
  close_exposure(rank, window);
  return true;
}

void start_access(RankState& rank, Window& window, const Group& group, int assertion) {
  check_assertion(assertion, MPI_MODE_NOCHECK);
  check_may_open(window);
  const std::vector<int> targets = ranks_of(window, group);
  Epochs& epochs = window.epochs;
  epochs.access = Access::start;
  for (const int target : targets) {
    const bool posts = (assertion & MPI_MODE_NOCHECK) == 0;
    epochs.started[target] = posts ? hear(rank, window, target, posted_tag) : nullptr;
  }
}

void complete_access(RankState& rank, Window& window) {
  Epochs& epochs = window.epochs;
  if (epochs.access != Access::start) fail_epoch(window);
  wait_for_all_targets(rank, window, Flush::remote);
  for (auto& [target, post] : epochs.started) {
    wait_for_post(rank, post);
    tell(rank, window, target, completed_tag);
  }
  epochs.started.clear();
  epochs.access = Access::none;
}

void lock(RankState& rank, Window& window, int type, int target, int assertion) {
  if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE) {
    fail(MPI_ERR_LOCKTYPE,
         fmt::format("lock_type is {} (allowed: MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE)", type));
  }
  check_assertion(assertion, MPI_MODE_NOCHECK);
  Epochs& epochs = window.epochs;
  if (target != MPI_PROC_NULL) check_rank(window, target);
  if (epochs.access != Access::lock) check_may_open(window);
  if (target == MPI_PROC_NULL) {
    if (epochs.nobody_locked) fail(MPI_ERR_RMA_SYNC, "MPI_PROC_NULL is locked already");
    epochs.nobody_locked = true;
  } else {
    Target& locked = find_target(rank, window, target);
    if (locked.lock != LockHeld::none) {
      fail(MPI_ERR_RMA_SYNC, fmt::format("rank {} is locked already", target));
    }
    const LockHeld wanted = type == MPI_LOCK_SHARED ? LockHeld::shared : LockHeld::exclusive;
    acquire(rank, window, locked,
            (assertion & MPI_MODE_NOCHECK) != 0 ? LockHeld::unchecked : wanted);
  }
  ++epochs.locks;
  epochs.access = Access::lock;
}

void unlock(RankState& rank, Window& window, int target) {
  Epochs& epochs = window.epochs;
  if (target != MPI_PROC_NULL) check_rank(window, target);
  if (epochs.access != Access::lock) fail_epoch(window);
  if (target == MPI_PROC_NULL) {
    if (!epochs.nobody_locked) fail(MPI_ERR_RMA_SYNC, "MPI_PROC_NULL is not locked");
    epochs.nobody_locked = false;
  } else {
    const auto found = window.targets.find(target);
    if (found == window.targets.end() || found->second.lock == LockHeld::none) {
      fail(MPI_ERR_RMA_SYNC, fmt::format("rank {} is not locked", target));
    }
    wait_for_target(rank, window, found->second, Flush::remote);
    release(rank, window, found->second);
  }
  if (--epochs.locks == 0) epochs.access = Access::none;
}

void lock_all(RankState& rank, Window& window, int assertion) {
  check_assertion(assertion, MPI_MODE_NOCHECK);
  check_may_open(window);
  Epochs& epochs = window.epochs;
  epochs.access = Access::lock_all;
  epochs.all_unchecked = (assertion & MPI_MODE_NOCHECK) != 0;
  if (epochs.all_unchecked) return;
  const Communicator& members = *window.members;
  const bool shared = window.flavor == MPI_WIN_FLAVOR_SHARED;
  const int first = shared ? 0 : members.rank;
  const int last = shared ? members.size() - 1 : members.rank;
  for (int target = first; target <= last; ++target) {
    acquire(rank, window, find_target(rank, window, target), LockHeld::shared);
  }
}

void unlock_all(RankState& rank, Window& window) {
  Epochs& epochs = window.epochs;
  if (epochs.access != Access::lock_all) fail_epoch(window);
  wait_for_all_targets(rank, window, Flush::remote);
  for (auto& [number, target] : window.targets) release(rank, window, target);
  epochs.access = Access::none;
}

void check_passive(const Window& window, const char* what) {
  const Access access = window.epochs.access;
  if (access == Access::lock || access == Access::lock_all) return;
  fail(MPI_ERR_RMA_SYNC, fmt::format("{} needs an epoch of MPI_Win_lock or MPI_Win_lock_all; {}",
                                     what, text_of(access)));
}

void flush(RankState& rank, Window& window, int target, Flush how) {
  check_passive(window, "a flush");
  if (target == MPI_PROC_NULL) return;
  check_rank(window, target);
  const auto found = window.targets.find(target);
  const bool touched = found != window.targets.end();
  if (window.epochs.access == Access::lock && (!touched || found->second.lock == LockHeld::none)) {
    fail(MPI_ERR_RMA_SYNC, fmt::format("rank {} is not locked", target));
  }
  if (touched) wait_for_target(rank, window, found->second, how);
}

void flush_all(RankState& rank, Window& window, Flush how) {
  check_passive(window, "a flush");
  wait_for_all_targets(rank, window, how);
}

Target& begin_access(RankState& rank, Window& window, int target) {
  check_rank(window, target);
  Epochs& epochs = window.epochs;
  switch (epochs.access) {
    case Access::none:
      fail_epoch(window);
    case Access::fence:
      epochs.fence_used = true;
      return find_target(rank, window, target);
    case Access::start: {
      const auto started = epochs.started.find(target);
      if (started == epochs.started.end()) {
        fail(MPI_ERR_RMA_SYNC, fmt::format("rank {} is not in MPI_Win_start's group", target));
      }
      wait_for_post(rank, started->second);
      return find_target(rank, window, target);
    }
    case Access::lock: {
      Target& locked = find_target(rank, window, target);
      if (locked.lock == LockHeld::none) {
        fail(MPI_ERR_RMA_SYNC, fmt::format("rank {} is not locked", target));
      }
      return locked;
    }
    case Access::lock_all: {
      Target& locked = find_target(rank, window, target);
      if (locked.lock == LockHeld::none) {
        acquire(rank, window, locked,
                epochs.all_unchecked ? LockHeld::unchecked : LockHeld::shared);
      }
      return locked;
    }
  }
  fail_epoch(window);
}

void check_closed(const Window& window) {
  const Epochs& epochs = window.epochs;
  if (epochs.exposed) fail(MPI_ERR_RMA_SYNC, "the exposure of MPI_Win_post has not ended");
  check_may_open(window);
}

}  // namespace netmod
