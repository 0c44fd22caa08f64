// Interposed libc: malloc and its like. A program's memory is its rank's own (RankHeap); what the
// launcher, the libraries and libc itself allocate is the process's.
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "corespec/threads/process.h"
#include "corespec/threads/thread.h"
#include "launch/libc/rank_heap.h"
#include "launch/libc/rank_program.h"
#include "launch/libc/real.h"

// Sanitizers have a malloc of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

extern "C" {
// libc's own, which it exports under these names.
void* __libc_malloc(std::size_t bytes);
void __libc_free(void* block);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

using launch::RankHeap;
using launch::RankProgram;
namespace rank_heaps = launch::rank_heaps;

/// The heap of the rank whose program (or a library for it) allocates at `caller`; null: the
/// process's. Libc and the dynamic loader allocate what all ranks share at the first call.
RankHeap* callers_heap(const void* caller) {
  const corespec::Thread* const thread = corespec::this_thread_or_null();
  if (thread == nullptr || !thread->allocates_for_rank()) return nullptr;
  const corespec::Process* const process = thread->process();
  if (process == nullptr) return nullptr;
  const auto* const program =
      static_cast<const RankProgram*>(process->state(corespec::Process::Slot::program));
  if (program == nullptr || program->heap == nullptr || !program->running()) return nullptr;
  return rank_heaps::serve_all(caller) ? nullptr : program->heap;
}

void* or_no_memory(void* block) {
  if (block == nullptr) errno = ENOMEM;
  return block;
}

void* aligned(std::size_t alignment, std::size_t bytes, const void* caller) {
  if (RankHeap* const heap = callers_heap(caller)) {
    if (void* const block = heap->allocate(bytes, std::bit_ceil(alignment))) return block;
  }
  return __libc_memalign(alignment, bytes);
}

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

#define CALLER __builtin_return_address(0)

extern "C" {

void* malloc(std::size_t bytes) {
  if (RankHeap* const heap = callers_heap(CALLER)) {
    if (void* const block = heap->allocate(bytes)) return block;
  }
  return __libc_malloc(bytes);
}

void free(void* block) {
  if (rank_heaps::hold(block)) {
    const int before = errno;  // which free() keeps
    rank_heaps::owner(block).free(block);
    errno = before;
  } else {
    __libc_free(block);
  }
}

void* calloc(std::size_t count, std::size_t bytes) {
  std::size_t whole = 0;
  if (__builtin_mul_overflow(count, bytes, &whole)) return or_no_memory(nullptr);
  if (RankHeap* const heap = callers_heap(CALLER)) {
    if (void* const block = heap->allocate_zeroed(whole)) return block;
  }
  return __libc_calloc(count, bytes);
}

void* realloc(void* block, std::size_t bytes) {
  if (block == nullptr) {
    RankHeap* const heap = callers_heap(CALLER);
    void* const made = heap == nullptr ? nullptr : heap->allocate(bytes);
    return made == nullptr ? __libc_malloc(bytes) : made;
  }
  if (!rank_heaps::hold(block)) return __libc_realloc(block, bytes);
  if (bytes == 0) {
    free(block);
    return nullptr;
  }
  RankHeap& heap = rank_heaps::owner(block);
  if (void* const resized = heap.resize(block, bytes)) return resized;
  void* const moved = __libc_malloc(bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(bytes, heap.size(block)));
  heap.free(block);
  return moved;
}

void* reallocarray(void* block, std::size_t count, std::size_t bytes) {
  std::size_t whole = 0;
  if (__builtin_mul_overflow(count, bytes, &whole)) return or_no_memory(nullptr);
  return realloc(block, whole);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  return aligned(alignment, bytes, CALLER);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return aligned(alignment, bytes, CALLER);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  if (alignment % sizeof(void*) != 0 || !std::has_single_bit(alignment)) return EINVAL;
  void* const made = aligned(alignment, bytes, CALLER);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}

void* valloc(std::size_t bytes) { return aligned(page_bytes(), bytes, CALLER); }

void* pvalloc(std::size_t bytes) {
  const std::size_t page = page_bytes();
  return aligned(page, (bytes + page - 1) / page * page, CALLER);
}

std::size_t malloc_usable_size(void* block) {
  if (rank_heaps::hold(block)) return rank_heaps::owner(block).size(block);
  static const auto real = launch::real_function<std::size_t(void*)>("malloc_usable_size");
  return real(block);
}

}  // extern "C"

#endif
