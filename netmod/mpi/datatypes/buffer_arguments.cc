// What the checks of buffers say.
#include "netmod/mpi/datatypes/buffer_arguments.h"

#include <fmt/format.h>

#include "netmod/mpi/calls/errors.h"

namespace netmod {

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

}  // namespace netmod
