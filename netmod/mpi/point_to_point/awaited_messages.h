// What waits for requests and messages are for, as text for people. Nothing here is done on the way
// of a call but the making of an Awaited where a wait begins.
#pragma once

#include <span>

#include "corespec/threads/situation.h"
#include "netmod/device/interface/device.h"
#include "netmod/include/mpi.h"

namespace netmod {

class RankState;

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

}  // namespace netmod
