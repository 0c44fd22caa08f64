// Buffered sends: messages in the memory that the program attached.
#pragma once

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/point_to_point/request.h"

namespace netmod {

/// Copies the message into the attached buffer and starts to send it; MPI_ERR_BUFFER: no room. Null
/// if there is no rank to send to.
std::shared_ptr<Request> send_buffered(RankState& rank, Operation operation);
/// Waits until all are out; nothing is attached then.
void detach_buffer(RankState& rank);

}  // namespace netmod
