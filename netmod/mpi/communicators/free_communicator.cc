// The end of communicators, and what becomes of their attributes.
#include <fmt/format.h>

#include "netmod/mpi/attributes/attributes.h"
#include "netmod/mpi/calls/error_handlers.h"
#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/communicators/make_communicator.h"
#include "netmod/mpi/groups/communicators.h"

namespace netmod {

void check_not_predefined(MPI_Comm handle, const char* what) {
  if (handle != MPI_COMM_WORLD && handle != MPI_COMM_SELF) return;
  fail(MPI_ERR_COMM, fmt::format("a predefined communicator cannot be {}", what));
}

int copy_attributes(RankState& rank, const Communicator& from, Communicator& to) {
  if (from.extras == nullptr || from.extras->attributes.empty()) return MPI_SUCCESS;
  return copy_values(rank, from.handle, from.extras->attributes, to.need_extras().attributes);
}

int delete_attributes(RankState& rank, Communicator& comm) {
  if (comm.extras == nullptr) return MPI_SUCCESS;
  return delete_values(rank, comm.handle, comm.extras->attributes);
}

void free_communicator(RankState& rank, MPI_Comm& handle) {
  Communicator& comm = rank.communicators().named(handle);
  check_not_predefined(handle, "freed");
  const int code = delete_attributes(rank, comm);
  if (code != MPI_SUCCESS) fail(code, "an attribute's delete function failed");
  drop_error_handler(rank, comm.error_handler);
  rank.communicators().made.remove(handle);
  handle = MPI_COMM_NULL;
}

}  // namespace netmod
