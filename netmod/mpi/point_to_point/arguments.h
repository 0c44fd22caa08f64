// The message operation that a call's arguments describe, checked.
#pragma once

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/datatypes/buffer_arguments.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/groups/rank_arguments.h"
#include "netmod/mpi/point_to_point/request.h"

namespace netmod {

/// The send or receive that a call's arguments describe, checked.
inline Operation send_operation(RankState& rank, const void* buffer, int count,
                                MPI_Datatype datatype, int destination, int tag, MPI_Comm comm,
                                bool synchronous) {
  const Communicator& on = rank.communicators().named(comm);
  check_count(count);
  const TypeView type = rank.datatypes().in_use(datatype, count);
  check_destination(on, destination);
  check_send_tag(tag);
  check_buffer(buffer, count, type);
  const int job_rank = destination == MPI_PROC_NULL ? 0 : on.peers().job_rank(destination);
  return {.buffer = const_cast<void*>(buffer),
          .count = count,
          .type = type,
          .peer = destination,
          .tag = tag,
          .comm = comm,
          .synchronous = synchronous,
          .own_rank = on.rank,
          .job_rank = job_rank,
          .context = on.message_context()};
}
inline Operation receive_operation(RankState& rank, void* buffer, int count, MPI_Datatype datatype,
                                   int source, int tag, MPI_Comm comm) {
  const Communicator& on = rank.communicators().named(comm);
  check_count(count);
  const TypeView type = rank.datatypes().in_use(datatype, count);
  check_source(on, source);
  check_receive_tag(tag);
  check_buffer(buffer, count, type);
  return {.buffer = buffer,
          .count = count,
          .type = type,
          .peer = source,
          .tag = tag,
          .comm = comm,
          .receive = true,
          .context = on.message_context()};
}

}  // namespace netmod
