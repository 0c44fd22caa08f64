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

/// Asks for a line that is going to be written, so that nobody else keeps it. (GCC asks for it in
/// this way only if it may take it that the processor is not one of the first with 64 bits.)
inline void prefetch_line_to_write(const void* at) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
  asm volatile("");
#endif
}

/// The line at `from` and those behind it, `lines` in all.
inline void prefetch_lines(const void* from, std::size_t lines) {
  const auto* at = static_cast<const std::byte*>(from);
  for (std::size_t line = 0; line < lines; ++line) prefetch_line(at + line * line_bytes);
}

}  // namespace corespec
