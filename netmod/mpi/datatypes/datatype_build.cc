// The type constructors: concatenation of parts, new bounds, copies.
#include "netmod/mpi/datatypes/datatype_build.h"

#include <algorithm>

#include "netmod/mpi/datatypes/checked.h"
#include "netmod/mpi/datatypes/datatype.h"

namespace netmod {
namespace {

/// The bytes of one element.
TypeMap map_of(const TypeView& type) {
  return type.layout != nullptr ? type.layout->map : TypeMap::of_run(type.size);
}

/// Adds the type map of `part` and its elements.
void append_part(Datatype& made, const Part& part) {
  const TypeView& type = part.type;
  made.map.append(map_of(type)
                      .repeated(part.count, type.extent)
                      .repeated(part.blocks, part.stride)
                      .moved(part.offset));
  const std::int64_t elements = times(part.count, part.blocks);
  made.size = plus(made.size, times(type.size, elements));
  if (type.layout != nullptr) {
    made.signature.append(elements, type.layout->signature);
  } else {
    append_simple(made.signature, elements, *type.basic);
  }
}

struct Hull {
  std::int64_t lb = 0, ub = 0;
  bool any = false;
  void cover(std::int64_t low, std::int64_t high) {
    lb = any ? std::min(lb, low) : low;
    ub = any ? std::max(ub, high) : high;
    any = true;
  }
};

std::int64_t lower_bound_of(const TypeView& type) {
  return type.layout == nullptr ? 0 : type.layout->lb;
}

std::int64_t alignment_of_view(const TypeView& type) {
  return type.layout == nullptr ? alignment_of(*type.basic) : type.layout->alignment;
}

/// Hull of a part's elements: those of the first and the last of the first and the last block.
Hull hull_of(const Part& part) {
  Hull bounds;
  const std::int64_t lb = plus(part.offset, lower_bound_of(part.type));
  for (const std::int64_t block : {std::int64_t{0}, times(part.blocks - 1, part.stride)}) {
    for (const std::int64_t step : {std::int64_t{0}, times(part.count - 1, part.type.extent)}) {
      const std::int64_t low = plus(plus(lb, block), step);
      bounds.cover(low, plus(low, part.type.extent));
    }
  }
  return bounds;
}

/// Both fit.
void check_extents(const Datatype& made) {
  minus(made.ub, made.lb);
  minus(made.true_ub, made.true_lb);
}

}  // namespace

Datatype concatenate(std::span<const Part> parts) {
  Datatype made;
  Hull natural, marked_low, marked_high;
  bool mixed = false;
  for (const Part& part : parts) {
    if (part.count == 0 || part.blocks == 0) continue;
    if (part.type.handle == MPI_LB || part.type.handle == MPI_UB) {
      (part.type.handle == MPI_LB ? marked_low : marked_high).cover(part.offset, part.offset);
      continue;
    }
    const Hull bounds = hull_of(part);
    natural.cover(bounds.lb, bounds.ub);
    const Datatype* layout = part.type.layout;
    if (layout != nullptr && layout->marked_lb) marked_low.cover(bounds.lb, bounds.lb);
    if (layout != nullptr && layout->marked_ub) marked_high.cover(bounds.ub, bounds.ub);
    append_part(made, part);
    made.alignment = std::max(made.alignment, alignment_of_view(part.type));
    mixed = mixed || part.type.basic == nullptr ||
            (made.basic != nullptr && made.basic != part.type.basic);
    made.basic = part.type.basic;
  }
  if (mixed) made.basic = nullptr;
  made.map.compress();
  made.true_lb = made.map.low();
  made.true_ub = made.map.high();
  made.marked_lb = marked_low.any;
  made.marked_ub = marked_high.any;
  made.lb = marked_low.any ? marked_low.lb : natural.lb;
  made.ub = marked_high.any ? marked_high.ub : natural.ub;
  check_extents(made);
  return made;
}

Datatype resize(const TypeView& type, std::int64_t lb, std::int64_t extent) {
  Datatype made = duplicate(type, false);
  made.lb = lb;
  made.ub = plus(lb, extent);
  made.marked_lb = made.marked_ub = true;
  return made;
}

Datatype duplicate(const TypeView& type, bool committed) {
  Datatype made;
  if (type.layout != nullptr) {
    made = *type.layout;
    made.extras = ObjectExtras();
    made.handles = 1;
    made.predefined = false;
  } else {
    const Part part{0, 1, type};
    made = concatenate({&part, 1});
  }
  made.committed = committed;
  return made;
}

Datatype part_of_array(std::span<const Dimension> dimensions, const TypeView& type) {
  Datatype made;
  made.map = map_of(type);
  std::int64_t elements = 1;
  std::int64_t distance = type.extent;  // of neighbours in this dimension
  for (const Dimension& dimension : dimensions) {
    const TypeMap row = made.map;
    TypeMap map = row.repeated(dimension.block, distance)
                      .repeated(dimension.blocks, times(dimension.stride, distance));
    if (dimension.rest > 0) {
      map.append(row.repeated(dimension.rest, distance)
                     .moved(times(times(dimension.blocks, dimension.stride), distance)));
    }
    made.map = map.moved(times(dimension.start, distance));
    made.map.compress();
    elements = times(elements, plus(times(dimension.block, dimension.blocks), dimension.rest));
    distance = times(distance, dimension.size);
  }
  made.size = times(elements, type.size);
  made.signature.append(elements, signature_of(type));
  made.ub = distance;
  made.true_lb = made.map.low();
  made.true_ub = made.map.high();
  made.marked_lb = made.marked_ub = true;
  made.alignment = alignment_of_view(type);
  made.basic = type.basic;
  check_extents(made);
  return made;
}

}  // namespace netmod
