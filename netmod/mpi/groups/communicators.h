// The communicators and groups of a rank, by handle.
#pragma once

#include <cstdint>
#include <memory>

#include "netmod/include/mpi.h"
#include "netmod/mpi/calls/handles.h"
#include "netmod/mpi/groups/communicator.h"
#include "netmod/mpi/groups/context.h"
#include "netmod/mpi/groups/group.h"

namespace netmod {

class Communicators {
  Communicator world_;  // first: every call touches it

 public:
  /// Of the rank `own` of `ranks`.
  Communicators(int own, int ranks);

  Communicator& world() { return world_; }
  Communicator& self() { return self_; }
  /// Null: the handle names none.
  Communicator* find(MPI_Comm handle);
  /// MPI_ERR_COMM if there is none.
  Communicator& named(MPI_Comm handle);
  /// MPI_ERR_GROUP if there is none.
  const Group& group(MPI_Group handle);
  /// A new handle for a group.
  MPI_Group add_group(Group group);

  HandleTable<std::unique_ptr<Communicator>> made{HandleKind::communicator, 2};
  HandleTable<Group> groups{HandleKind::group, 1};

  /// Numbers of communicators that all members of a parent agree on while they wait, and the
  /// caller's alone.
  ContextNumbers contexts{2, false, {}};
  std::uint32_t next_own_context = 1U << 29;
  /// Beside `contexts`, of agreements that begin only when all members are known to have entered
  /// (non-blocking ones and those that have no parent), so that they never wait for each other.
  ContextNumbers& late_contexts() {
    if (late_contexts_ == nullptr) {
      late_contexts_ = std::make_unique<ContextNumbers>(ContextNumbers{1U << 30, false, {}});
    }
    return *late_contexts_;
  }

 private:
  std::unique_ptr<ContextNumbers> late_contexts_;  ///< few ranks have any
  Communicator self_;
};

}  // namespace netmod
