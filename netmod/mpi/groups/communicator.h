// Communicators: a group, a message space of its own, an error handler, attributes, a name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "netmod/include/mpi.h"
#include "netmod/mpi/attributes/attribute.h"
#include "netmod/mpi/collectives/engine/two_level.h"
#include "netmod/mpi/groups/group.h"
#include "netmod/mpi/topologies/topology.h"

namespace netmod {

class RankState;
class Verdict;

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
  // For people who ask who is missing: how many collective calls this rank has entered, and the
  // last one (null: none).
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

/// So many communicators a rank may have at a time: more than MPICH's 2,048, but few enough that a
/// program that forgets to free them hears of it.
constexpr std::uint32_t most_communicators = 16384;
/// Whether the caller may have one more, for a ContextAgreement: 0, or no_room. `made`: so many of
/// those it has are being made.
std::uint32_t failure_for_room(const RankState& rank, std::uint32_t made = 0);
/// `context`, or MPI_ERR_OTHER if there was no room.
std::uint32_t checked_context(std::uint32_t context);

/// A number that no communicator of any member of `parent` (of both groups) has had: collective
/// over `parent`. MPI_ERR_OTHER, at all of them: one has too many communicators; so any other error
/// of one's part.
std::uint32_t agree_on_context(RankState& rank, const Communicator& parent, const Verdict& verdict);

/// A new communicator without extras, with the error handler of `like`.
Communicator& add_communicator(RankState& rank, const Communicator& like, Group group,
                               std::uint32_t context);

/// Collective over `parent`: every member gives the group it will be in (all members of a group
/// give the same) or an empty one. Returns the new communicator, null for an empty group.
Communicator* make_communicator(RankState& rank, const Communicator& parent, Group group,
                                const Verdict& verdict);

/// Collective over `group` alone, whose members are in `parent`, the caller among them. `tag` tells
/// calls apart that are under way together.
Communicator& make_communicator_of(RankState& rank, const Communicator& parent, const Group& group,
                                   int tag);

/// A communicator like `parent` with its topology and info, but without a context: to be given one
/// or to be freed.
Communicator& copy_communicator(RankState& rank, const Communicator& parent);
/// Gives `made` a context when all members of `parent` have started the same.
MPI_Request start_agreement(RankState& rank, Communicator& parent, const Communicator& made);

/// Collective over `parent`: the members of the caller's color, by key, then by rank. An empty
/// group if color is MPI_UNDEFINED.
Group split_group(RankState& rank, const Communicator& parent, int color, int key);

}  // namespace netmod
