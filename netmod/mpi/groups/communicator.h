// Communicators: a group, a message space of its own, an error handler, attributes, a name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "netmod/include/mpi.h"
#include "netmod/mpi/attributes/attribute.h"
#include "netmod/mpi/groups/group.h"

namespace netmod {

class RankState;
struct Topology;

/// What a rank keeps of a communicator whose nodes no rule describes. Made on first use.
struct NodeTable {
  std::vector<int> members;  ///< of the caller's node, ascending
  /// The lowest rank on each node, ascending. Only ranks that have led keep it, so all of it
  /// together is at most a table like the group's own.
  std::vector<int> leaders;
  std::vector<std::pair<int, int>> numbers;  ///< nid, number among the leaders; by nid
};

/// What few communicators have.
struct CommunicatorExtras {
  std::string name;
  Attributes attributes;
  std::uint32_t schedules = 0;  ///< non-blocking collectives started so far
  std::shared_ptr<const Topology> topology;
  std::vector<std::pair<std::string, std::string>> info;  ///< hints
};

struct Communicator {
  Group group;  ///< of an intercommunicator: the caller's
  MPI_Comm handle = MPI_COMM_NULL;
  int rank = 0;               ///< the caller's, in its own group
  std::uint32_t context = 0;  ///< the same at all members, unlike any other a member has
  /// MPI_ERRHANDLER_NULL: none was set, and that of MPI_COMM_WORLD hears of errors.
  MPI_Errhandler error_handler = MPI_ERRHANDLER_NULL;
  std::unique_ptr<const Group> remote;  ///< the other group, of an intercommunicator
  // For a user's question which ranks are missing: how many collective calls this rank has entered,
  // and the last one (null: none).
  mutable const char* last_entered = nullptr;
  mutable std::uint32_t entered = 0;
  mutable std::unique_ptr<NodeTable> nodes;  ///< TwoLevel's
  std::unique_ptr<CommunicatorExtras> extras;

  /// The calling thread's library call, a collective one, takes part from now on.
  void enter() const;

  int size() const { return group.size(); }
  bool inter() const { return remote != nullptr; }
  /// Whom ranks in point-to-point calls name.
  const Group& peers() const { return remote == nullptr ? group : *remote; }
  /// Context of point-to-point and of collective messages on the wire.
  std::uint32_t message_context() const { return 2 * context; }
  std::uint32_t collective_context() const { return 2 * context + 1; }

  /// Of the messages of the next non-blocking collective: the same on all ranks.
  int schedule_tag();

  CommunicatorExtras& need_extras() {
    if (extras == nullptr) extras = std::make_unique<CommunicatorExtras>();
    return *extras;
  }
};

/// By handle; MPI_ERR_COMM if it is none or an intercommunicator.
Communicator& intracommunicator(RankState& rank, MPI_Comm handle);

}  // namespace netmod
