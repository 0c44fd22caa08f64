// Locks in windows: to share or to have alone, in the order of asking.
#pragma once

#include <cstdint>
#include <memory>

#include "corespec/time/time.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/windows/posting.h"

namespace netmod {

/// A ticket lock for readers and writers (Mellor-Crummey and Scott 1991) whose words (LockWords)
/// lie with the rank that is locked and are changed by its NIC's AMOs: that rank takes no part in
/// it. A rank draws a ticket; tickets are served in order, those that follow each other to
/// share at once, so that each rank gets in. Without contention it is one round trip.
class RemoteLock {
  class Alarm;

 public:
  using Ticket = std::uint32_t;

  /// The way to a lock in steps, for callers with other things to do meanwhile: draws a ticket,
  /// and looks now and then whose turn it is. Lasts until the lock is the caller's.
  class Asking {
   public:
    ~Asking();
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;
    /// It is time for step(). Looks only.
    bool may_step() const;
    /// True: the lock is the caller's.
    bool step();
    Ticket ticket() const { return static_cast<Ticket>(ticket_); }

   private:
    friend class RemoteLock;
    using TurnOf = std::uint32_t(std::uint64_t served);
    Asking(const RemoteLock& lock, TurnOf* turn_of);
    void look();

    RankState& rank_;
    RemotePlace served_;
    TurnOf* turn_of_;
    corespec::Time begin_;
    corespec::Time round_trip_;
    std::uint64_t ticket_ = 0;
    std::uint64_t turn_ = 0;  ///< LockWords::served
    bool drawn_ = false;
    rma::Completion moved_;
    std::unique_ptr<Alarm> alarm_;
  };

  /// `words`: where the LockWords are. AMOs that no call waits for are counted in `unattended`.
  RemoteLock(RankState& rank, const RemotePlace& words, rma::Completion& unattended);

  /// Wait until the lock is the caller's.
  Ticket acquire_shared();
  Ticket acquire_exclusive();
  /// The same, in steps that the caller takes.
  std::unique_ptr<Asking> ask_exclusive() const;
  /// Give it back.
  void release_shared();
  void release_exclusive(Ticket ticket);

 private:
  Ticket wait_turn(Asking::TurnOf* turn_of);

  RankState& rank_;
  RemotePlace next_;
  RemotePlace served_;
  rma::Completion& unattended_;
};

}  // namespace netmod
