// What a search in a flat map will read, prefetched.
#pragma once

#include <cstdint>

#include "corespec/containers/flat_map.h"
#include "corespec/events/prefetch_lines.h"

namespace corespec {

struct FlatMapPrefetch {
  /// What find() will read, as a rule; reads nothing itself.
  template <typename Value, std::uint64_t empty_key, std::uint32_t inline_slots>
  static void map(const FlatMap<Value, empty_key, inline_slots>& map, std::uint64_t key,
                  LineRequests& lines) {
    lines.add(&map);
    if constexpr (inline_slots != 0) {
      lines.add(&map.inline_[map.hash(key) & (inline_slots - 1)]);
    }
  }

  /// Behind that, with slots elsewhere; reads the map.
  template <typename Value, std::uint64_t empty_key, std::uint32_t inline_slots>
  static void slot(const FlatMap<Value, empty_key, inline_slots>& map, std::uint64_t key,
                   LineRequests& lines) {
    if (map.size_ != 0) lines.add(&map.slots()[map.home(key)]);
  }
};

}  // namespace corespec
