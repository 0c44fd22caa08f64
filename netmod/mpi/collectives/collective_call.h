// The entry of collective functions: at once, or as a request.
#pragma once

#include <utility>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/point_to_point/request.h"

namespace netmod {

/// Runs `body(const CollectiveCall&)` as the MPI function `function` on `comm`.
template <class Body>
int collective(const char* function, MPI_Comm comm, Body&& body) {
  return call(function, comm, [&](RankState& rank) {
    const Communicator& on = rank.communicators().named(comm);
    on.enter();
    LateFailure failure;
    body(CollectiveCall{rank, on, nullptr, &failure});
    failure.report();
  });
}

/// Writes down what `body` does, starts it, and makes its request.
template <class Body>
int start_collective(const char* function, MPI_Comm comm, MPI_Request* request, Body&& body) {
  return call(function, comm, [&](RankState& rank) {
    check_pointer(request, "request");
    Communicator& on = rank.communicators().named(comm);
    auto schedule = std::make_unique<Schedule>(rank, on.schedule_tag());
    body(CollectiveCall{rank, on, schedule.get()});
    *request = start_schedule(rank, comm, std::move(schedule));
  });
}

}  // namespace netmod
