// Rounding to pages.
#pragma once

#include <cstdint>

namespace launch {

constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t page_floor(std::uint64_t value) { return value / page_bytes * page_bytes; }
constexpr std::uint64_t page_ceiling(std::uint64_t value) {
  return page_floor(value + page_bytes - 1);
}

}  // namespace launch
