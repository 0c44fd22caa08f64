// Asking the host for lines of memory.
#pragma once

#include <cstddef>

namespace corespec {

/// The host's, and what layouts are made for.
constexpr std::size_t line_bytes = 64;

/// Asks the host for the line at `from` and those behind it, `lines` in all. A hint: reads nothing.
inline void prefetch_lines(const void* from, std::size_t lines) {
  const auto* at = static_cast<const std::byte*>(from);
  for (std::size_t line = 0; line < lines; ++line) __builtin_prefetch(at + line * line_bytes);
}

}  // namespace corespec
