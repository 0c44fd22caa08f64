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

}  // namespace

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
