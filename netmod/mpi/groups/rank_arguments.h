// Checks of arguments: ranks, tags, roots, where a new communicator goes.
#pragma once

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/groups/communicator.h"

namespace netmod {

[[noreturn]] void fail_rank(const Communicator& comm, int rank, const char* name, bool wildcard);
[[noreturn]] void fail_tag(int tag, bool wildcard);
[[noreturn]] void fail_root(const Communicator& comm, int root);

/// Where the handle of a new communicator goes: MPI_COMM_NULL until there is one.
inline void check_new(MPI_Comm* made, const char* name) {
  check_pointer(made, name);
  *made = MPI_COMM_NULL;
}

/// A rank that messages can go to: of the communicator, or MPI_PROC_NULL.
inline void check_destination(const Communicator& comm, int rank) {
  if (rank >= 0 && rank < comm.peers().size()) [[likely]]
    return;
  if (rank != MPI_PROC_NULL) fail_rank(comm, rank, "dest", false);
}
/// The same, or MPI_ANY_SOURCE.
inline void check_source(const Communicator& comm, int rank) {
  if (rank >= MPI_ANY_SOURCE && rank < comm.peers().size()) [[likely]]
    return;
  fail_rank(comm, rank, "source", true);
}
inline void check_send_tag(int tag) {
  if (tag < 0) fail_tag(tag, false);
}
inline void check_receive_tag(int tag) {
  if (tag < MPI_ANY_TAG) fail_tag(tag, true);
}
inline void check_root(const Communicator& comm, int root) {
  if (root < 0 || root >= comm.size()) fail_root(comm, root);
}
}  // namespace netmod
