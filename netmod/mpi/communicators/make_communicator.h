// Making communicators, and their end.
#pragma once

#include <cstdint>

#include "netmod/include/mpi.h"
#include "netmod/mpi/groups/communicators.h"

namespace netmod {

class RankState;
class Verdict;

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

/// MPI_ERR_COMM if it is one; `what` was to be done.
void check_not_predefined(MPI_Comm handle, const char* what);
/// copy_values() and delete_values() for a communicator and its duplicate.
int copy_attributes(RankState& rank, const Communicator& from, Communicator& to);
int delete_attributes(RankState& rank, Communicator& comm);
/// Deletes a communicator with its attributes; the handle becomes MPI_COMM_NULL.
void free_communicator(RankState& rank, MPI_Comm& handle);

}  // namespace netmod
