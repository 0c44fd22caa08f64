// What the checks of ranks, tags and roots say.
#include "netmod/mpi/groups/rank_arguments.h"

#include <fmt/format.h>

#include "netmod/mpi/calls/errors.h"

namespace netmod {

void fail_rank(const Communicator& comm, int rank, const char* name, bool wildcard) {
  fail(MPI_ERR_RANK, fmt::format("{} is {} (allowed: 0 to {}, MPI_PROC_NULL{})", name, rank,
                                 comm.peers().size() - 1, wildcard ? ", MPI_ANY_SOURCE" : ""));
}

void fail_tag(int tag, bool wildcard) {
  fail(MPI_ERR_TAG, fmt::format("tag is {} (allowed: 0 to {}{})", tag, INT32_MAX,
                                wildcard ? ", MPI_ANY_TAG" : ""));
}

void fail_root(const Communicator& comm, int root) {
  fail(MPI_ERR_ROOT, fmt::format("root is {} (allowed: 0 to {})", root, comm.size() - 1));
}

}  // namespace netmod
