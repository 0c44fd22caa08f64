// One side of a collective: a checked buffer.
#pragma once

#include <fmt/format.h>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/datatypes/buffer_arguments.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"

namespace netmod {

struct Side {
  void* buffer = nullptr;
  std::int64_t count = 0;
  TypeView type;
  bool in_place = false;

  std::int64_t bytes() const { return type.packed_bytes(count); }
};

/// The caller's own part, what it sends and where that goes, not of one in place.
inline void check_aliases(const Side& sent, const void* part, const Side& received,
                          const void* place) {
  if (sent.in_place || received.in_place) return;
  check_aliases(part, sent.type, sent.count, place, received.type, received.count);
}
/// The same; the place is that of `rank` among parts that follow each other.
inline const void* part_at(const Side& side, int rank) {
  return static_cast<const std::byte*>(side.buffer) + side.count * rank * side.type.extent;
}

inline Side side_of(RankState& rank, const void* buffer, std::int64_t count, MPI_Datatype datatype,
                    const char* name, bool may_be_in_place = false) {
  Side side;
  side.buffer = const_cast<void*>(buffer);
  if (buffer == MPI_IN_PLACE && may_be_in_place) {
    side.in_place = true;
    return side;
  }
  check_count(count);
  check_in_place(buffer, count, name);
  side.count = count;
  side.type = rank.datatypes().in_use(datatype, count);
  check_buffer(buffer, count, side.type, name);
  return side;
}

}  // namespace netmod
