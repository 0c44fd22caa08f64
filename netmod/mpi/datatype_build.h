// Making datatypes from others: the type constructors.
#pragma once

#include <span>

#include "netmod/mpi/datatype.h"

namespace netmod {

/// `count` elements of `type`, the first at byte `offset`, then one after another.
struct Part {
  std::int64_t offset = 0;
  std::int64_t count = 0;
  TypeView type;
};

/// The concatenation of parts (every constructor but resized is one). Uncommitted.
Datatype concatenate(std::span<const Part> parts);
/// `type` with other bounds.
Datatype resize(const TypeView& type, std::int64_t lb, std::int64_t extent);
/// A copy (of a simple type: one element of it), committed as the original.
Datatype duplicate(const TypeView& type, bool committed);

}  // namespace netmod
