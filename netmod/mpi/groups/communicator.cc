// A communicator's collective calls; lookup of the kind that has one group.
#include "netmod/mpi/groups/communicator.h"

#include "corespec/threads/thread.h"
#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/groups/communicators.h"

namespace netmod {

void Communicator::enter() const {
  ++entered;
  last_entered = corespec::this_thread().call();
}

int Communicator::schedule_tag() {
  constexpr std::uint32_t first = 64;  // above those of the blocking ones
  constexpr std::uint32_t count = 1U << 24;
  return static_cast<int>(first + need_extras().schedules % count);
}

Communicator& intracommunicator(RankState& rank, MPI_Comm handle) {
  Communicator& found = rank.communicators().named(handle);
  if (found.inter()) fail(MPI_ERR_COMM, "comm is an intercommunicator, which is not allowed here");
  return found;
}

}  // namespace netmod
