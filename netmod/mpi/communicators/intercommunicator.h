// Intercommunicators: two groups, each of whose ranks talks to the other's.
#pragma once

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/groups/communicator.h"

namespace netmod {

class RankState;
class Verdict;

/// The leaders of the two groups: a rank of the local communicator, and at that rank the other
/// group's in a communicator that both leaders share.
struct Leaders {
  int local = 0;
  MPI_Comm peer_comm = MPI_COMM_NULL;
  int remote = 0;
  int tag = 0;
};

/// Collective over two groups, each with a `local` of its own.
Communicator& make_intercommunicator(RankState& rank, const Communicator& local,
                                     const Leaders& leaders);
/// Collective over both groups: one communicator of all, the group first that is not `high`; if
/// both say the same the one whose first rank is lower in the job.
Communicator& merge_intercommunicator(RankState& rank, const Communicator& inter, bool high);

/// Collective over both groups: intercommunicators between ranks of equal color in both, ordered as
/// in split_group(). Null without a color, or if the other group has no rank with it.
Communicator* split_intercommunicator(RankState& rank, const Communicator& inter, int color,
                                      int key, const Verdict& verdict);
/// Collective over both groups: an intercommunicator between the group given in one (by all there
/// alike) and that given in the other. Null outside of them, or if one is empty.
Communicator* part_of_intercommunicator(RankState& rank, const Communicator& inter,
                                        const Group& members, const Verdict& verdict);

}  // namespace netmod
