// A rank's own heap: best fit in the rank's addresses, by Boost.Interprocess's algorithm.
#define BOOST_ENABLE_ASSERT_HANDLER  // see assertion_failed()
#include "launch/libc/rank_heap.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "launch/reports/signal_text.h"

/// What the algorithm finds wrong with a block is the program's fault, as in any malloc.
void boost::assertion_failed(const char*, const char*, const char*, long) {
  launch::SignalText line;
  line << "free(): this is no block of the rank's heap, or it was freed before\n";
  line.print();
  std::abort();
}

namespace launch {
namespace {

namespace ipc = boost::interprocess;
using BestFit = ipc::rbtree_best_fit<ipc::null_mutex_family, void*, alignof(std::max_align_t)>;

constexpr std::size_t page = 4096;
constexpr std::size_t small_bytes = 4 * page;      ///< of a rank's first piece
constexpr std::size_t given_back_from = 4U << 20;  ///< the pages of blocks so large
constexpr std::size_t room_beside = 256;           ///< what a block takes besides its bytes
constexpr std::size_t huge_page = 2U << 20;
constexpr std::size_t most_for_rank = std::size_t{1} << 38;

constexpr std::size_t rounded(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// The whole pages between two addresses read as zeros from now on, and take no memory.
void clear_pages(std::byte* begin, std::byte* end) {
  const std::uintptr_t first = rounded(reinterpret_cast<std::uintptr_t>(begin), page);
  const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(end) / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace

class RankHeap::Part::Algorithm final : public BestFit {
 public:
  explicit Algorithm(std::size_t bytes) : BestFit(bytes, 0) {}
};

void* RankHeap::Part::take(std::size_t bytes, std::size_t alignment) {
  return alignment <= alignof(std::max_align_t) ? algorithm().allocate(bytes)
                                                : algorithm().allocate_aligned(bytes, alignment);
}

bool RankHeap::Part::grow(std::size_t bytes) {
  const std::size_t used = begun_ ? algorithm().get_size() : 0;
  const std::size_t left = piece_.bytes - used;
  // What is free may lie at the end, so that less is missing.
  const std::size_t free = begun_ ? algorithm().get_free_memory() : 0;
  if (left == 0 || left + free < bytes) return false;
  const std::size_t more = std::min(rounded(std::max(bytes, used / 4), page), left);
  if (begun_) {
    algorithm().grow(more);
  } else {
    new (piece_.begin) Algorithm(more);
    begun_ = true;
  }
  return true;
}

void* RankHeap::Part::allocate(std::size_t bytes, std::size_t alignment) {
  // With what the algorithm adds, and its own data at the beginning.
  const std::size_t most = bytes + alignment + room_beside;
  if (most < bytes || (!begun_ && !grow(most))) return nullptr;
  if (void* const block = take(bytes, alignment)) return block;
  return grow(most) ? take(bytes, alignment) : nullptr;
}

void RankHeap::Part::free(void* block) {
  const std::size_t bytes = size(block);
  if (bytes >= given_back_from) {
    // The free block's own data lie at its ends.
    auto* const begin = static_cast<std::byte*>(block);
    clear_pages(begin + room_beside, begin + bytes);
  }
  algorithm().deallocate(block);
}

bool RankHeap::Part::resize_in_place(void* block, std::size_t bytes) {
  const std::size_t before = size(block);
  if (bytes <= before && before - bytes <= before / 2) return true;
  auto* reused = static_cast<char*>(block);
  std::size_t received = bytes;
  if (bytes <= before) {
    algorithm().allocation_command<char>(ipc::shrink_in_place | ipc::nothrow_allocation, before,
                                         received, reused);
    return true;
  }
  return algorithm().allocation_command<char>(ipc::expand_fwd | ipc::nothrow_allocation, bytes,
                                              received, reused) != nullptr;
}

std::size_t RankHeap::Part::size(const void* block) const { return algorithm().size(block); }

// ---- lists of freed blocks

std::size_t RankHeap::Lists::sort_for(std::size_t bytes) {
  return bytes <= word ? 0 : (bytes - word + step - 1) / step;
}

void* RankHeap::Lists::take(std::size_t bytes) {
  const std::size_t sort = sort_for(bytes);
  if (sort >= sorts || first[sort] == nullptr) return nullptr;
  return std::exchange(first[sort], first[sort]->next);
}

bool RankHeap::Lists::keep(void* block, std::size_t size) {
  if (!have(size)) return false;
  const std::size_t sort = (size - word) / step;
  first[sort] = new (block) Freed{first[sort]};
  return true;
}

// ---- the heap

RankHeap::RankHeap(const Piece& small, const Piece& large) : small_(small), large_(large) {}

void* RankHeap::cut(std::size_t bytes, std::size_t alignment) {
  if (bytes < small_bytes) {
    if (void* const block = small_.allocate(bytes, alignment)) return block;
  }
  return large_.allocate(bytes, alignment);
}

void* RankHeap::allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t wanted = std::max<std::size_t>(bytes, 1);
  if (alignment <= alignof(std::max_align_t)) {
    if (lists_ != nullptr) {
      if (void* const block = lists_->take(wanted)) return block;
    }
  }
  return cut(wanted, alignment);
}

void* RankHeap::allocate_zeroed(std::size_t bytes) {
  void* const block = allocate(bytes);
  if (block == nullptr) return nullptr;
  auto* const begin = static_cast<std::byte*>(block);
  if (bytes < given_back_from) {
    std::memset(begin, 0, bytes);
  } else {
    std::memset(begin, 0, page);
    std::memset(begin + bytes - page, 0, page);
    clear_pages(begin, begin + bytes);
  }
  return block;
}

void RankHeap::free(void* block) {
  Part& part = part_of(block);
  const std::size_t bytes = part.size(block);
  if (lists_ == nullptr && Lists::have(bytes)) {
    if (void* const made = cut(sizeof(Lists), alignof(Lists))) lists_ = new (made) Lists{};
  }
  if (lists_ == nullptr || !lists_->keep(block, bytes)) part.free(block);
}

void* RankHeap::resize(void* block, std::size_t bytes) {
  Part& part = part_of(block);
  if (part.resize_in_place(block, std::max<std::size_t>(bytes, 1))) return block;
  void* const moved = allocate(bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(bytes, part.size(block)));
  free(block);
  return moved;
}

std::size_t RankHeap::size(const void* block) { return part_of(block).size(block); }

namespace rank_heaps {
namespace {

/// What stands at the beginning of the range: how it is divided, then the heaps by rank.
struct Head {
  std::size_t ranks;
  std::byte* small;
  std::byte* large;
  std::size_t share;  ///< bytes of large addresses that a rank has
  struct Code {
    const std::byte* begin;
    const std::byte* end;
  };
  Code serving[2];  ///< libc and the dynamic loader
  RankHeap* heaps() { return reinterpret_cast<RankHeap*>(this + 1); }
};

Head& head() { return *reinterpret_cast<Head*>(first_address); }

/// The library that a function of its lies in.
struct SoughtCode {
  const void* function;
  Head::Code found;
};

int find_code(dl_phdr_info* library, std::size_t, void* context) {
  auto& sought = *static_cast<SoughtCode*>(context);
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& part = library->dlpi_phdr[i];
    const auto* const begin = reinterpret_cast<const std::byte*>(library->dlpi_addr + part.p_vaddr);
    const Head::Code code{begin, begin + part.p_memsz};
    if (part.p_type != PT_LOAD || sought.function < code.begin || sought.function >= code.end)
      continue;
    sought.found = code;
    return 1;
  }
  return 0;
}

Head::Code code_with(const char* function) {
  SoughtCode sought{dlsym(RTLD_DEFAULT, function), {}};
  dl_iterate_phdr(find_code, &sought);
  return sought.found;
}

}  // namespace

bool are_used() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#else
  return true;
#endif
}

bool reserve(int ranks) {
  void* const wanted = reinterpret_cast<void*>(first_address);
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  void* const mapped = mmap(wanted, range_bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapped != wanted) {
    if (mapped != MAP_FAILED) munmap(mapped, range_bytes);  // an old kernel took it for a wish
    return false;
  }
  // A huge page for each rank would be more than there is; a dump of the range would have no end.
  madvise(mapped, range_bytes, MADV_NOHUGEPAGE);
  madvise(mapped, range_bytes, MADV_DONTDUMP);
  const auto count = static_cast<std::size_t>(ranks);
  auto* const begin = static_cast<std::byte*>(mapped);
  Head& made = *new (mapped) Head{};
  made.ranks = count;
  made.serving[0] = code_with("__libc_malloc");
  made.serving[1] = code_with("__tls_get_addr");
  made.small = begin + rounded(sizeof(Head) + count * sizeof(RankHeap), huge_page);
  made.large = made.small + rounded(count * small_bytes, huge_page);
  const auto left = static_cast<std::size_t>(begin + range_bytes - made.large);
  made.share = std::min(std::bit_floor(left / count), most_for_rank);
  for (std::size_t rank = 0; rank < count; ++rank) {
    new (made.heaps() + rank) RankHeap({made.small + rank * small_bytes, small_bytes},
                                       {made.large + rank * made.share, made.share});
  }
  return true;
}

RankHeap& of(int rank) { return head().heaps()[rank]; }

RankHeap& owner(const void* block) {
  Head& of_all = head();
  const auto* const at = static_cast<const std::byte*>(block);
  const std::size_t rank = at < of_all.large
                               ? static_cast<std::size_t>(at - of_all.small) / small_bytes
                               : static_cast<std::size_t>(at - of_all.large) / of_all.share;
  return of_all.heaps()[std::min(rank, of_all.ranks - 1)];
}

bool serve_all(const void* caller) {
  const auto in = [caller](const Head::Code& code) {
    return caller >= code.begin && caller < code.end;
  };
  return in(head().serving[0]) || in(head().serving[1]);
}

}  // namespace rank_heaps
}  // namespace launch
