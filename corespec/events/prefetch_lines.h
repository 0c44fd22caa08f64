// Prefetching: lines of memory that the host is to bring into its caches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace corespec {

/// Bytes of a line of the host's memory, for which layouts are made.
constexpr std::size_t line_bytes = 64;

/// Prefetches the line of memory at `from` and those behind it, `lines` in all, if it is not null:
/// for that the host would look through its page tables each time. A hint: reads nothing.
inline void prefetch_lines(const void* from, std::size_t lines) {
  if (from == nullptr) return;
  const auto* at = static_cast<const std::byte*>(from);
  for (std::size_t line = 0; line < lines; ++line) __builtin_prefetch(at + line * line_bytes);
  // GCC 12 takes a function that only prefetches for one without effects, and drops calls of it.
  asm volatile("");
}

inline void prefetch_line(const void* at) { prefetch_lines(at, 1); }

/// Prefetches a line that is going to be written, so that no other CPU keeps it. (GCC emits this
/// instruction only if it may assume that the processor is not one of the first with 64 bits.)
inline void prefetch_line_to_write(const void* at) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
  asm volatile("");
#endif
}

/// Lines that are going to be needed: prefetched together, when the list is full or ends. A
/// prefetch whose page's translation is not at hand holds up all that follows it, on some hosts as
/// long as a line takes to come; several right behind each other hold it up once. And a read
/// between them waits where the host has no room for more of them.
class LineRequests {
 public:
  LineRequests(const LineRequests&) = delete;
  LineRequests& operator=(const LineRequests&) = delete;

  static constexpr std::size_t longest_run = 32;

  /// As prefetch_lines() does; of a longer run, its first lines.
  void add(const void* from, std::size_t lines = 1) {
    if (from == nullptr) return;
    const auto* at = static_cast<const std::byte*>(from);
    lines = std::min(lines, longest_run);
    if (count_ + lines > room_) prefetch();
    const void** const to = lines_ + count_;
    for (std::size_t line = 0; line < lines; ++line) to[line] = at + line * line_bytes;
    count_ += lines;
  }

 protected:
  LineRequests(const void** lines, std::size_t room) : lines_(lines), room_(room) {}
  ~LineRequests() { prefetch(); }

 private:
  void prefetch() {
    for (std::size_t i = 0; i < count_; ++i) __builtin_prefetch(lines_[i]);
    asm volatile("");  // as in prefetch_lines()
    count_ = 0;
  }

  const void** lines_;
  std::size_t room_;
  std::size_t count_ = 0;
};

/// The memory of a list, there before and after it.
template <std::size_t room>
struct LineRoom {
  std::array<const void*, room> lines;  // NOLINT: as many as were added are set
};

/// A list of so many.
template <std::size_t room>
class LineList final : LineRoom<room>, public LineRequests {
  static_assert(room >= longest_run);

 public:
  LineList() : LineRequests(LineRoom<room>::lines.data(), room) {}
};

}  // namespace corespec
