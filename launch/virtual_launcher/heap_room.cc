// The heap of a job of many ranks: address space in advance, on huge pages.
#include "launch/virtual_launcher/heap_room.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace launch {
namespace {

constexpr int many_ranks = 4096;                    // fewer stay in the caches
constexpr std::size_t bytes_per_rank = 32 * 1024;   // some of it the program's own
constexpr std::size_t most = std::size_t{1} << 30;  // well below the largest trim threshold
constexpr std::size_t huge_page = 2 * 1024 * 1024;
constexpr int mapped_from = 4 * 1024 * 1024;  // larger buffers: mappings of their own
constexpr int mappings = 65536;               // malloc's own limit

// glibc's malloc on 64-bit machines.
constexpr std::size_t block_step = 16;
constexpr std::size_t largest_listed = 1032;  // freed blocks up to this size wait in lists
constexpr std::size_t mapped_by_default = 128 * 1024;
constexpr std::size_t largest_gap = 64 * 1024 * 1024;
constexpr std::uintptr_t settled_at = 64 * 1024;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool own_heap = false;
#else
constexpr bool own_heap = true;
#endif

bool has_room(int ranks) { return own_heap && ranks >= many_ranks; }

/// Setting one of these by hand turns off malloc's own adjusting: without the others, large
/// buffers that come and go would be mapped and cleared anew each time.
void serve_from_heap() {
  mallopt(M_TRIM_THRESHOLD, INT32_MAX);
  mallopt(M_MMAP_THRESHOLD, mapped_from);
  mallopt(M_MMAP_MAX, mappings);
}

/// Where the heap ends that malloc has given out of; beyond it everything is free.
std::uintptr_t end_of_use() {
  return reinterpret_cast<std::uintptr_t>(sbrk(0)) - mallinfo2().keepcost;
}

/// Takes every free block of at least `size` bytes that lies before `end`, for good.
void use_up(std::size_t size, std::uintptr_t end) {
  for (;;) {
    void* const block = std::malloc(size);
    if (block == nullptr) return;
    if (reinterpret_cast<std::uintptr_t>(block) < end) continue;
    // Small blocks would be kept in lists of their own, where they would be found again.
    if (size > largest_listed) std::free(block);
    return;
  }
}

}  // namespace

void settle_heap(int ranks) {
  if (!own_heap) return;
  mallopt(M_MMAP_MAX, 0);  // a mapping is no free block
  const std::uintptr_t end = end_of_use();
  for (std::size_t size = largest_gap; size > mapped_by_default; size /= 2) {
    if (mallinfo2().fordblks - mallinfo2().keepcost >= size) use_up(size, end);
  }
  for (std::size_t size = mapped_by_default; size > block_step; size -= block_step) {
    use_up(size - sizeof(void*), end);
  }
  const std::uintptr_t used = end_of_use();
  // The rest is one block that is too large for the lists, so that it comes from the end.
  const std::uintptr_t border = (used + largest_listed + settled_at) / settled_at * settled_at;
  // Through a volatile, or the compiler leaves out a block that no code uses.
  [[maybe_unused]] void* volatile rest = std::malloc(border - used - sizeof(void*));
  serve_from_heap();
  // A large block is a mapping only if it does not fit in what is left at the end of the heap.
  if (!has_room(ranks)) malloc_trim(0);
}

void prepare_heap(int ranks) {
  if (!has_room(ranks)) return;
  const std::size_t bytes = std::min(static_cast<std::size_t>(ranks) * bytes_per_rank, most);
  // One block that is not a mapping of its own lies at the end of the heap. Given back at once and
  // not trimmed, it is the room that the heap grows in; the advice stays with its addresses.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT32_MAX);
  void* room = std::malloc(bytes);
  if (room != nullptr) {
    const std::uintptr_t begin =
        (reinterpret_cast<std::uintptr_t>(room) + huge_page - 1) / huge_page * huge_page;
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(room) + bytes;
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
    std::free(room);
  }
  serve_from_heap();
}

}  // namespace launch
