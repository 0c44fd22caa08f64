// What calls for several requests touch, prefetched.
#pragma once

#include "netmod/include/mpi.h"

namespace netmod {

class RankState;

/// Requests that have been waited for are in no cache, and each would be missed by itself.
void prefetch_requests(RankState& rank, int count, const MPI_Request* requests);

}  // namespace netmod
