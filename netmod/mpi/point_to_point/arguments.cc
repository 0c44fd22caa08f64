// What the checks of arguments say.
#include "netmod/mpi/point_to_point/arguments.h"

#include <fmt/format.h>

namespace netmod {

void fail_rank(const Communicator& comm, int rank, const char* name, bool wildcard) {
  fail(MPI_ERR_RANK, fmt::format("{} is {} (allowed: 0 to {}, MPI_PROC_NULL{})", name, rank,
                                 comm.peers().size() - 1, wildcard ? ", MPI_ANY_SOURCE" : ""));
}

void fail_tag(int tag, bool wildcard) {
  fail(MPI_ERR_TAG, fmt::format("tag is {} (allowed: 0 to {}{})", tag, INT32_MAX,
                                wildcard ? ", MPI_ANY_TAG" : ""));
}

void fail_buffer(const char* name, std::int64_t count) {
  fail(MPI_ERR_BUFFER, fmt::format("{} is a null pointer, but there are {} elements", name, count));
}

void fail_in_place(const char* name) {
  fail(MPI_ERR_BUFFER, fmt::format("{} is MPI_IN_PLACE, which is not allowed here", name));
}

void fail_aliases() {
  fail(MPI_ERR_BUFFER,
       "sendbuf and recvbuf are the same memory: MPI_IN_PLACE is for that, where it is allowed");
}

void fail_root(const Communicator& comm, int root) {
  fail(MPI_ERR_ROOT, fmt::format("root is {} (allowed: 0 to {})", root, comm.size() - 1));
}

}  // namespace netmod
