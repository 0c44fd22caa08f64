// The pool of payload memory: slabs cut into blocks, free blocks by size.
#include "ugni_emu/wire/payload.h"

#include <algorithm>
#include <array>
#include <new>
#include <vector>

namespace ugni {
namespace {

constexpr std::size_t step = 32;  // between sizes, and the alignment
// Larger ones are rare, and the heap's: a whole eager message with its header is not among them.
constexpr std::size_t largest_pooled = 9 * 1024;
constexpr std::size_t first_slab = 16 * 1024;
constexpr std::size_t largest_slab = 1024 * 1024;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool pooled = false;  // so that the sanitizer sees who uses a block after its end
#else
constexpr bool pooled = true;
#endif

std::byte* heap_memory(std::size_t bytes) {
  return static_cast<std::byte*>(::operator new (bytes, std::align_val_t{step}));
}
void free_heap_memory(void* memory) { ::operator delete (memory, std::align_val_t{step}); }

PayloadBlock& make_block(void* memory, PayloadBlock::Store* store, std::size_t bytes,
                         std::size_t size_class) {
  return *new (memory) PayloadBlock{store, nullptr, static_cast<std::uint32_t>(bytes),
                                    static_cast<std::uint16_t>(size_class), 0};
}

}  // namespace

/// Outlives its pool while blocks are in use: ranks and NICs go in any order.
struct PayloadBlock::Store {
  std::array<PayloadBlock*, largest_pooled / step + 1> free{};
  std::size_t in_use = 0;
  bool orphaned = false;
  std::byte* next = nullptr;  // what the last slab still has
  std::byte* end = nullptr;
  std::size_t slab_bytes = first_slab;
  std::vector<std::byte*> slabs;

  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store() {
    for (std::byte* slab : slabs) free_heap_memory(slab);
  }
  void* cut(std::size_t bytes) {
    if (static_cast<std::size_t>(end - next) < bytes) {
      slabs.push_back(heap_memory(slab_bytes));
      next = slabs.back();
      end = next + slab_bytes;
      slab_bytes = std::min(slab_bytes * 2, largest_slab);
    }
    return std::exchange(next, next + bytes);
  }
};

PayloadPool::PayloadPool() : store_(new PayloadBlock::Store) {}

PayloadPool::~PayloadPool() {
  store_->orphaned = true;
  if (store_->in_use == 0) delete store_;
}

PayloadBlock& PayloadPool::take(std::size_t bytes) {
  const std::size_t size_class = (sizeof(PayloadBlock) + bytes + step - 1) / step;
  if (!pooled || size_class >= store_->free.size()) return heap_block(bytes);
  ++store_->in_use;
  PayloadBlock*& free = store_->free[size_class];
  if (free == nullptr) return make_block(store_->cut(size_class * step), store_, bytes, size_class);
  PayloadBlock& block = *std::exchange(free, free->next);
  block.next = nullptr;
  block.size = static_cast<std::uint32_t>(bytes);
  block.tag = 0;
  return block;
}

PayloadBlock& heap_block(std::size_t bytes) {
  return make_block(heap_memory(sizeof(PayloadBlock) + bytes), nullptr, bytes, 0);
}

void PayloadBlock::give_back() {
  if (store == nullptr) {
    free_heap_memory(this);
    return;
  }
  next = store->free[size_class];
  store->free[size_class] = this;
  if (--store->in_use == 0 && store->orphaned) delete store;
}

}  // namespace ugni
