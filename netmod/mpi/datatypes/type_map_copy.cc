// Packing and unpacking by type map, from any packed byte on.
#include <algorithm>
#include <cstring>

#include "netmod/mpi/datatypes/type_map.h"
#include "ugni_emu/rma/by_length.h"

namespace netmod {
namespace {

/// Between elements (`Data`) and packed bytes, which move on.
struct Packing {
  using Data = const std::byte*;
  std::byte* packed;
  template <class Length>
  void move(Data data, Length bytes) {
    std::memcpy(packed, data, bytes);
    packed += bytes;
  }
};
struct Unpacking {
  using Data = std::byte*;
  const std::byte* packed;
  template <class Length>
  void move(Data data, Length bytes) {
    std::memcpy(data, packed, bytes);
    packed += bytes;
  }
};

template <class Direction>
void move_part(const TypeMap& map, typename Direction::Data data, std::int64_t first,
               std::int64_t bytes, Direction& direction);

/// Whole units `from` to `to` of a loop.
template <class Direction>
void move_units(const Loop& loop, typename Direction::Data data, std::int64_t from, std::int64_t to,
                Direction& direction) {
  if (from >= to) return;
  if (loop.child != nullptr) {
    for (std::int64_t i = from; i < to; ++i) {
      const std::int64_t at =
          loop.list != nullptr ? loop.list->offsets[static_cast<std::size_t>(i)] : i * loop.stride;
      move_part(*loop.child, data + loop.offset + at, 0, loop.unit, direction);
    }
    return;
  }
  Direction moving = direction;  // a copy that the compiler keeps in registers
  if (loop.list == nullptr) {
    rma::by_length(loop.unit, [&](auto length) {
      const std::int64_t stride = loop.stride;
      typename Direction::Data at = data + loop.offset + from * stride;
      for (std::int64_t left = to - from; left > 0; --left, at += stride) moving.move(at, length);
    });
  } else if (loop.list->starts.empty()) {
    rma::by_length(loop.unit, [&](auto length) {
      const std::int64_t* offsets = loop.list->offsets.data();
      for (std::int64_t i = from; i < to; ++i) {
        moving.move(data + loop.offset + offsets[i], length);
      }
    });
  } else {
    const OffsetList& list = *loop.list;
    for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
      moving.move(data + loop.offset + list.offsets[i],
                  static_cast<std::size_t>(list.starts[i + 1] - list.starts[i]));
    }
  }
  direction = moving;
}

/// The packed bytes [first, first + bytes) of one unit.
template <class Direction>
void move_within(const Loop& loop, typename Direction::Data data, std::int64_t number,
                 std::int64_t first, std::int64_t bytes, Direction& direction) {
  if (bytes <= 0) return;
  const std::int64_t at = loop.list != nullptr
                              ? loop.list->offsets[static_cast<std::size_t>(number)]
                              : number * loop.stride;
  data += loop.offset + at;
  if (loop.child != nullptr) {
    move_part(*loop.child, data, first, bytes, direction);
  } else {
    direction.move(data + first, static_cast<std::size_t>(bytes));
  }
}

/// Which unit a packed byte of the loop is in, and where that unit begins.
struct Place {
  std::int64_t unit;
  std::int64_t start;
};
Place find_unit(const Loop& loop, std::int64_t byte) {
  if (loop.list == nullptr || loop.list->starts.empty()) {
    return {byte / loop.unit, byte / loop.unit * loop.unit};
  }
  const auto& starts = loop.list->starts;
  const auto behind = std::upper_bound(starts.begin(), starts.end() - 1, byte);
  return {behind - starts.begin() - 1, *(behind - 1)};
}
std::int64_t unit_bytes(const Loop& loop, std::int64_t number) {
  if (loop.list == nullptr || loop.list->starts.empty()) return loop.unit;
  const auto index = static_cast<std::size_t>(number);
  return loop.list->starts[index + 1] - loop.list->starts[index];
}

/// The packed bytes [first, end) of a loop, first < end.
template <class Direction>
void move_loop(const Loop& loop, typename Direction::Data data, std::int64_t first,
               std::int64_t end, Direction& direction) {
  if (first == 0 && end == loop.bytes()) {
    move_units(loop, data, 0, loop.count, direction);
    return;
  }
  auto [unit, start] = find_unit(loop, first);
  if (first > start) {
    const std::int64_t unit_end = std::min(end, start + unit_bytes(loop, unit));
    move_within(loop, data, unit, first - start, unit_end - first, direction);
    if (unit_end == end) return;
    ++unit;
  }
  if (end == loop.bytes()) {
    move_units(loop, data, unit, loop.count, direction);
    return;
  }
  const auto [last, last_start] = find_unit(loop, end);
  move_units(loop, data, unit, last, direction);
  move_within(loop, data, last, 0, end - last_start, direction);
}

template <class Direction>
void move_part(const TypeMap& map, typename Direction::Data data, std::int64_t first,
               std::int64_t bytes, Direction& direction) {
  if (bytes <= 0) return;
  const std::int64_t end = first + bytes;
  const std::vector<Loop>& loops = map.loops();
  auto loop = loops.begin();
  if (first > 0) {
    loop = std::upper_bound(loops.begin(), loops.end(), first,
                            [](std::int64_t byte, const Loop& at) { return byte < at.start; }) -
           1;
  }
  for (; loop != loops.end() && loop->start < end; ++loop) {
    const std::int64_t from = std::max<std::int64_t>(0, first - loop->start);
    const std::int64_t to = std::min(loop->bytes(), end - loop->start);
    if (from < to) move_loop(*loop, data, from, to, direction);
  }
}

}  // namespace

void pack_map(const TypeMap& map, const std::byte* data, std::int64_t first, std::int64_t bytes,
              std::byte* packed) {
  Packing direction{packed};
  move_part(map, data, first, bytes, direction);
}

void unpack_map(const TypeMap& map, std::byte* data, std::int64_t first, std::int64_t bytes,
                const std::byte* packed) {
  Unpacking direction{packed};
  move_part(map, data, first, bytes, direction);
}

}  // namespace netmod
