// The runs of bytes of elements in memory.
#include "netmod/mpi/windows/run_cursor.h"

#include "netmod/mpi/datatypes/datatype.h"

namespace netmod {

RunCursor::RunCursor(const TypeView& type, std::int64_t count) {
  if (type.contiguous()) {
    bytes_ = type.packed_bytes(count);
    return;
  }
  map_ = &type.layout->map;
  extent_ = type.extent;
  elements_ = count;
  find_next();
}

void RunCursor::find_next() {
  if (map_ == nullptr) return;
  for (;;) {
    if (levels_.empty()) {
      if (elements_ == 0) return;
      --elements_;
      levels_.push_back({map_, 0, 0, element_});
      element_ += extent_;
    }
    Level& level = levels_.back();
    if (level.loop == level.map->loops().size()) {
      levels_.pop_back();
      continue;
    }
    const Loop& loop = level.map->loops()[level.loop];
    if (level.unit == loop.count) {
      ++level.loop;
      level.unit = 0;
      continue;
    }
    const auto number = static_cast<std::size_t>(level.unit);
    ++level.unit;
    const std::int64_t at =
        level.base + loop.offset +
        (loop.list != nullptr ? loop.list->offsets[number]
                              : static_cast<std::int64_t>(number) * loop.stride);
    if (loop.child != nullptr) {
      levels_.push_back({loop.child.get(), 0, 0, at});
      continue;
    }
    const bool unequal = loop.list != nullptr && !loop.list->starts.empty();
    bytes_ = unequal ? loop.list->starts[number + 1] - loop.list->starts[number] : loop.unit;
    offset_ = at;
    if (bytes_ > 0) return;
  }
}

}  // namespace netmod
