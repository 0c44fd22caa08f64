// What a rank's MPI calls wait for, as text for people. Nothing here is done on the way of a call
// but the making of an Awaited where a wait begins.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "corespec/threads/situation.h"
#include "netmod/device/interface/device.h"
#include "netmod/include/mpi.h"

namespace netmod {

class RankState;
struct Communicator;
struct RequestRecord;
struct Window;

/// A wait for the requests that a condition counts: a blocking send or receive, a collective.
class AwaitedCondition final : public corespec::Awaited {
 public:
  AwaitedCondition(RankState& rank, const Condition& condition)
      : Awaited(corespec::this_thread()), rank_(rank), condition_(condition) {}
  bool describe(corespec::Situation& to) const override;

 private:
  RankState& rank_;
  const Condition& condition_;
};

/// A wait for all or any of the program's requests.
class AwaitedRequests final : public corespec::Awaited {
 public:
  AwaitedRequests(RankState& rank, std::span<const MPI_Request> requests)
      : Awaited(corespec::this_thread()), rank_(rank), requests_(requests) {}
  bool describe(corespec::Situation& to) const override;

 private:
  RankState& rank_;
  std::span<const MPI_Request> requests_;
};

/// A wait for a message to be there: MPI_Probe.
class AwaitedMessage final : public corespec::Awaited {
 public:
  AwaitedMessage(RankState& rank, const Envelope& envelope)
      : Awaited(corespec::this_thread()), rank_(rank), envelope_(envelope) {}
  bool describe(corespec::Situation& to) const override;

 private:
  RankState& rank_;
  const Envelope& envelope_;
};

/// A wait for all sends of the rank: MPI_Finalize, MPI_Buffer_detach.
class AwaitedSends final : public corespec::Awaited {
 public:
  explicit AwaitedSends(RankState& rank) : Awaited(corespec::this_thread()), rank_(rank) {}
  bool describe(corespec::Situation& to) const override;

 private:
  RankState& rank_;
};

/// A wait for a window's transfers, for the ends of others' epochs, or for a rank's lock there.
class AwaitedWindow final : public corespec::Awaited {
 public:
  AwaitedWindow(RankState& rank, const Window& window, int lock_of = -1)
      : Awaited(corespec::this_thread()), rank_(rank), window_(window), lock_of_(lock_of) {}
  bool describe(corespec::Situation& to) const override;

 private:
  RankState& rank_;
  const Window& window_;
  int lock_of_;  ///< rank of the window; -1: another wait
};

/// The messages that no receive has met, the collectives entered, the locks held.
void add_facts(RankState& rank, corespec::Situation& to);

}  // namespace netmod
