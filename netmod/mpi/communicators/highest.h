// The reduction with which ranks agree: the highest of what they offer.
#pragma once

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/operations/op.h"

namespace netmod {

/// Of vectors of std::uint32_t.
inline Reduction highest_of(RankState& rank) {
  return {find_kernel(MPI_MAX, *find_simple(MPI_UINT32_T)), rank.datatypes().known(MPI_UINT32_T)};
}

}  // namespace netmod
