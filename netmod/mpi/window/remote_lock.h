// Locks in windows: to share or to have alone, in the order of asking.
#pragma once

#include <cstdint>

#include "netmod/mpi/window/posting.h"

namespace netmod {

/// A ticket lock for readers and writers (Mellor-Crummey and Scott 1991) whose words (LockWords)
/// lie with the rank that is locked and are changed by its NIC's AMOs: that rank takes no part in
/// it. Whoever asks draws a ticket; tickets are served in order, those that follow each other to
/// share at once, so that everybody gets in. Without contention it is one round trip.
class RemoteLock {
 public:
  using Ticket = std::uint32_t;

  /// `words`: where the LockWords are. AMOs that nobody waits for are counted in `unattended`.
  RemoteLock(RankState& rank, const RemotePlace& words, rma::Completion& unattended);

  /// Wait until the lock is the caller's.
  Ticket acquire_shared();
  Ticket acquire_exclusive();
  /// Give it back.
  void release_shared();
  void release_exclusive(Ticket ticket);

 private:
  template <class TurnOf>
  Ticket wait_turn(const TurnOf& turn_of);

  RankState& rank_;
  RemotePlace next_;
  RemotePlace served_;
  rma::Completion& unattended_;
};

}  // namespace netmod
