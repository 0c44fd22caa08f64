// Asking the host for lines of memory.
#pragma once

#include <array>
#include <cstddef>

namespace corespec {

/// The host's, and what layouts are made for.
constexpr std::size_t line_bytes = 64;

/// Asks the host for the line of memory at `from` and those behind it, `lines` in all, if it is not
/// null: the host would look through its page tables each time. A hint: reads nothing.
inline void prefetch_lines(const void* from, std::size_t lines) {
  if (from == nullptr) return;
  const auto* at = static_cast<const std::byte*>(from);
  for (std::size_t line = 0; line < lines; ++line) __builtin_prefetch(at + line * line_bytes);
  // GCC 12 takes a function that only asks for some without effects, and drops calls of it.
  asm volatile("");
}

inline void prefetch_line(const void* at) { prefetch_lines(at, 1); }

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

/// Lines that are going to be needed: asked for together, when a burst of them is full or the list
/// ends. A request whose page's translation is not at hand holds up all that follows it, on some
/// hosts as long as a line takes to come; several right behind each other hold it up once.
class LineRequests {
 public:
  LineRequests() = default;
  ~LineRequests() { ask(); }
  LineRequests(const LineRequests&) = delete;
  LineRequests& operator=(const LineRequests&) = delete;

  /// As prefetch_lines() does.
  void add(const void* from, std::size_t lines = 1) {
    if (from == nullptr) return;
    const auto* at = static_cast<const std::byte*>(from);
    for (std::size_t line = 0; line < lines; ++line) {
      if (count_ == burst) ask();
      lines_[count_++] = at + line * line_bytes;
    }
  }

 private:
  static constexpr std::size_t burst = 64;

  void ask() {
    for (std::size_t i = 0; i < count_; ++i) __builtin_prefetch(lines_[i]);
    asm volatile("");  // as in prefetch_lines()
    count_ = 0;
  }

  std::size_t count_ = 0;
  std::array<const void*, burst> lines_;  // NOLINT: the first count_ of them are set
};

}  // namespace corespec
