// Attributes of communicators: copied with them, deleted with them.
#pragma once

#include "netmod/mpi/rank_state.h"

namespace netmod {

/// Copies `from`'s attributes to its duplicate, as their keys' functions say; returns the first
/// error code such a function gave.
int copy_attributes(RankState& rank, const Communicator& from, Communicator& to);
/// Deletes all attributes; returns the first error code a function gave.
int delete_attributes(RankState& rank, Communicator& comm);
/// Deletes a communicator with its attributes; the handle becomes MPI_COMM_NULL.
void free_communicator(RankState& rank, MPI_Comm& handle);
/// Gives a use of a key (a handle's or an attribute's) up.
void drop_key(RankState& rank, int key);
/// Gives a use of an error handler (a handle's or a communicator's) up.
void drop_error_handler(RankState& rank, MPI_Errhandler handler);

}  // namespace netmod
