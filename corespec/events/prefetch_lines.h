// Asking the host for lines of memory.
#pragma once

#include <cstddef>

namespace corespec {

/// The host's, and what layouts are made for.
constexpr std::size_t line_bytes = 64;

/// Asks the host for the line of memory at `at`, if it is not null. A hint: reads nothing.
inline void prefetch_line(const void* at) {
  if (at == nullptr) return;  // the host would look through its page tables each time
  __builtin_prefetch(at);
  // GCC 12 takes a function that only asks for one without effects, and drops calls of it.
  asm volatile("");
}

/// The line at `from` and those behind it, `lines` in all.
inline void prefetch_lines(const void* from, std::size_t lines) {
  const auto* at = static_cast<const std::byte*>(from);
  for (std::size_t line = 0; line < lines; ++line) prefetch_line(at + line * line_bytes);
}

}  // namespace corespec
