// The communicators and groups of a rank: lookup of handles.
#include "netmod/mpi/groups/communicators.h"

#include <utility>

#include "netmod/mpi/calls/errors.h"

namespace netmod {

Communicators::Communicators(int own, int ranks) {
  world_.handle = MPI_COMM_WORLD;
  world_.rank = own;
  world_.group = Group(0, 1, ranks);
  world_.context = 0;
  self_.handle = MPI_COMM_SELF;
  self_.group = Group(own, 1, 1);
  self_.context = 1;
}

Communicator* Communicators::find(MPI_Comm handle) {
  if (handle == MPI_COMM_WORLD) return &world_;
  if (handle == MPI_COMM_SELF) return &self_;
  const auto* found = made.find(handle);
  return found == nullptr ? nullptr : found->get();
}

Communicator& Communicators::named(MPI_Comm handle) {
  if (Communicator* found = find(handle)) return *found;
  fail_handle(MPI_ERR_COMM, handle, MPI_COMM_NULL, "comm", "MPI_COMM_NULL", "a communicator");
}

const Group& Communicators::group(MPI_Group handle) {
  static const Group empty;
  if (handle == MPI_GROUP_EMPTY) return empty;
  if (const Group* found = groups.find(handle)) return *found;
  fail_handle(MPI_ERR_GROUP, handle, MPI_GROUP_NULL, "group", "MPI_GROUP_NULL", "a group");
}

MPI_Group Communicators::add_group(Group group) {
  if (group.size() == 0) return MPI_GROUP_EMPTY;
  MPI_Group handle = MPI_GROUP_NULL;
  Group* place = groups.add(handle);
  if (place == nullptr) fail(MPI_ERR_NO_MEM, "too many groups");
  *place = std::move(group);
  return handle;
}

}  // namespace netmod
