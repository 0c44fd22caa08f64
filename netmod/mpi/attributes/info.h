// Info objects by handle.
#pragma once

#include "netmod/mpi/attributes/attribute_tables.h"
#include "netmod/mpi/calls/rank_state.h"

namespace netmod {

/// MPI_ERR_INFO if there is none; MPI_INFO_ENV is there and empty.
const InfoObject& readable_info(RankState& rank, MPI_Info info);

}  // namespace netmod
