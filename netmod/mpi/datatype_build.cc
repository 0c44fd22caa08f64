// The type constructors: concatenation of parts, new bounds, copies.
#include "netmod/mpi/datatype_build.h"

#include <algorithm>

namespace netmod {
namespace {

void append(std::vector<Block>& blocks, Block block) {
  if (block.bytes == 0) return;
  if (!blocks.empty()) {
    Block& last = blocks.back();
    if (last.offset + last.bytes == block.offset && last.element == block.element) {
      last.bytes += block.bytes;
      return;
    }
  }
  blocks.push_back(block);
}

/// Appends the type map of `part` to `blocks`.
void append_part(std::vector<Block>& blocks, const Part& part) {
  const TypeView& type = part.type;
  if (type.size == 0) return;
  if (type.layout == nullptr) {
    const bool two = type.basic->kind == BasicKind::pair;
    append(blocks, {part.offset, type.size * part.count,
                    static_cast<std::uint32_t>(two ? type.size / 2 : type.size)});
    return;
  }
  for (std::int64_t i = 0; i < part.count; ++i) {
    for (Block block : type.layout->blocks) {
      block.offset += part.offset + i * type.extent;
      append(blocks, block);
    }
  }
}

struct Bounds {
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

/// Bounds of a part's elements: those of the first and of the last.
Bounds bounds_of(const Part& part) {
  Bounds bounds;
  const std::int64_t lb = part.offset + lower_bound_of(part.type);
  const std::int64_t step = (part.count - 1) * part.type.extent;
  bounds.cover(lb, lb + part.type.extent);
  bounds.cover(lb + step, lb + step + part.type.extent);
  return bounds;
}

}  // namespace

Datatype concatenate(std::span<const Part> parts) {
  Datatype made;
  Bounds natural, marked_low, marked_high;
  bool mixed = false;
  for (const Part& part : parts) {
    if (part.count == 0) continue;
    if (part.type.handle == MPI_LB || part.type.handle == MPI_UB) {
      (part.type.handle == MPI_LB ? marked_low : marked_high).cover(part.offset, part.offset);
      continue;
    }
    const Bounds bounds = bounds_of(part);
    natural.cover(bounds.lb, bounds.ub);
    const Datatype* layout = part.type.layout;
    if (layout != nullptr && layout->marked_lb) marked_low.cover(bounds.lb, bounds.lb);
    if (layout != nullptr && layout->marked_ub) marked_high.cover(bounds.ub, bounds.ub);
    append_part(made.blocks, part);
    made.size += part.type.size * part.count;
    made.alignment = std::max(made.alignment, alignment_of_view(part.type));
    mixed = mixed || part.type.basic == nullptr ||
            (made.basic != nullptr && made.basic != part.type.basic);
    made.basic = part.type.basic;
  }
  if (mixed) made.basic = nullptr;
  Bounds real;
  for (const Block& block : made.blocks) real.cover(block.offset, block.offset + block.bytes);
  made.true_lb = real.lb;
  made.true_ub = real.ub;
  made.marked_lb = marked_low.any;
  made.marked_ub = marked_high.any;
  made.lb = marked_low.any ? marked_low.lb : natural.lb;
  made.ub = marked_high.any ? marked_high.ub : natural.ub;
  return made;
}

Datatype resize(const TypeView& type, std::int64_t lb, std::int64_t extent) {
  Datatype made = duplicate(type, false);
  made.lb = lb;
  made.ub = lb + extent;
  made.marked_lb = made.marked_ub = true;
  return made;
}

Datatype duplicate(const TypeView& type, bool committed) {
  Datatype made;
  if (type.layout != nullptr) {
    made = *type.layout;
  } else {
    const Part part{0, 1, type};
    made = concatenate({&part, 1});
  }
  made.committed = committed;
  return made;
}

}  // namespace netmod
