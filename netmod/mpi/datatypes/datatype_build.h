// Making datatypes from others: the type constructors.
#pragma once

#include <span>

#include "netmod/mpi/datatypes/datatype.h"

namespace netmod {

/// `blocks` blocks at a distance of `stride` bytes, the first at byte `offset`, of `count` elements
/// of `type` each, one after another.
struct Part {
  std::int64_t offset = 0;
  std::int64_t count = 0;
  TypeView type;
  std::int64_t blocks = 1;
  std::int64_t stride = 0;
};

// MPI_ERR_ARG if the size, a bound or a place of the datatype would not fit into 64 bits.

/// The concatenation of parts (most constructors are one). Uncommitted.
Datatype concatenate(std::span<const Part> parts);
/// `type` with other bounds.
Datatype resize(const TypeView& type, std::int64_t lb, std::int64_t extent);
/// A copy (of a simple type: one element of it), committed as the original; no name, no attributes.
Datatype duplicate(const TypeView& type, bool committed);

/// One dimension of an array whose parts belong to ranks.
struct Dimension {
  std::int64_t size = 0;
  std::int64_t start = 0;  ///< of the first block
  std::int64_t block = 0;  ///< elements
  std::int64_t blocks = 1;
  std::int64_t stride = 0;  ///< elements from one block to the next
  std::int64_t rest = 0;    ///< elements of a shorter block behind them
};
/// The part of an array of `type` that `dimensions` name, the fastest first; its bounds are the
/// whole array's.
Datatype part_of_array(std::span<const Dimension> dimensions, const TypeView& type);

}  // namespace netmod
