// The pool of payload memory: free blocks by size, and as many of them as pay.
#include "ugni_emu/wire/payload.h"

#include <algorithm>
#include <array>
#include <new>

#include "corespec/events/prefetch_lines.h"
#include "corespec/host/check.h"

namespace ugni {
namespace {

constexpr std::size_t step = 32;  // between sizes
// Larger ones are rare, and the heap's: a whole eager message with its header is not among them.
constexpr std::size_t largest_pooled = 9 * 1024;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool pooled = false;  // so that the sanitizer sees a use of a block after its end
#else
constexpr bool pooled = true;
#endif

PayloadBlock& make_block(PayloadBlock::Store* store, std::size_t room, std::size_t bytes) {
  return *new (::operator new(std::max(room, sizeof(PayloadBlock))))
      PayloadBlock{store,
                   nullptr,
                   static_cast<std::uint32_t>(bytes),
                   static_cast<std::uint16_t>(store == nullptr ? 0 : room / step),
                   0,
                   false};
}

}  // namespace

/// Outlives its pool while blocks are in use: ranks and NICs go in any order.
struct PayloadBlock::Store {
  std::array<PayloadBlock*, largest_pooled / step + 1> free{};
  std::size_t used_bytes = 0;
  std::size_t free_bytes = 0;
  std::size_t dropping = 0;  ///< the size that trade() is at
  bool orphaned = false;

  /// What is in use goes up and down with every step of a program, so free blocks stay; but a size
  /// that lacks some has the heap take back as much of the others first.
  void trade(std::size_t bytes) {
    constexpr std::size_t always_kept = 1024 * 1024;
    while (bytes != 0 && free_bytes > always_kept) {
      PayloadBlock*& first = free[dropping];
      if (first == nullptr) {
        dropping = (dropping + 1) % free.size();
        continue;
      }
      const std::size_t room = dropping * step;
      ::operator delete(std::exchange(first, first->next));
      free_bytes -= room;
      bytes -= std::min(bytes, room);
    }
  }

  PayloadBlock& take(std::size_t bytes);
  /// One of the same store as `block`.
  static PayloadBlock& another(const PayloadBlock& block, std::size_t bytes) {
    return block.store == nullptr ? heap_block(bytes) : block.store->take(bytes);
  }

  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store() {
    for (PayloadBlock* block : free) {
      while (block != nullptr) ::operator delete(std::exchange(block, block->next));
    }
  }
};

PayloadPool::PayloadPool() : store_(new PayloadBlock::Store) {}

PayloadPool::~PayloadPool() {
  store_->orphaned = true;
  if (store_->used_bytes == 0) delete store_;
}

PayloadBlock& PayloadBlock::Store::take(std::size_t bytes) {
  const std::size_t multiple = (sizeof(PayloadBlock) + bytes + step - 1) / step;
  if (!pooled || multiple >= free.size()) return heap_block(bytes);
  const std::size_t room = multiple * step;
  used_bytes += room;
  PayloadBlock*& first = free[multiple];
  if (first == nullptr) {
    trade(room);
    return make_block(this, room, bytes);
  }
  free_bytes -= room;
  PayloadBlock& block = *std::exchange(first, first->next);
  corespec::prefetch_line(first);
  block.next = nullptr;
  block.size = static_cast<std::uint32_t>(bytes);
  block.tag = 0;
  block.has_tail = false;
  return block;
}

PayloadBlock& PayloadPool::take(std::size_t bytes) { return store_->take(bytes); }

PayloadBlock& PayloadPool::take(std::span<const std::byte> head, std::span<const std::byte> rest,
                                Loan& loan) {
  CASTOR_CHECK(!loan.open(), "bytes are lent before an earlier loan has ended");
  PayloadBlock& block = take(PayloadBlock::tail_offset(head.size()) + sizeof(PayloadBlock::Tail));
  block.size = static_cast<std::uint32_t>(head.size());
  block.has_tail = true;
  if (!head.empty()) std::memcpy(block.bytes().data(), head.data(), head.size());
  new (block.tail())
      PayloadBlock::Tail{rest.data(), static_cast<std::uint32_t>(rest.size()), nullptr, &loan};
  loan.block_ = &block;
  return block;
}

void Loan::end() {
  if (block_ == nullptr) return;
  PayloadBlock::Tail& tail = *block_->tail();
  tail.loan = nullptr;
  tail.copy = &PayloadBlock::Store::another(*block_, tail.size);
  std::memcpy(tail.copy->bytes().data(), tail.data, tail.size);
  tail.data = tail.copy->bytes().data();
  block_ = nullptr;
}

void Loan::abandon() {
  if (block_ != nullptr) block_->tail()->loan = nullptr;
  block_ = nullptr;
}

std::size_t PayloadPool::free_bytes() const { return store_->free_bytes; }

PayloadBlock& heap_block(std::size_t bytes) {
  return make_block(nullptr, sizeof(PayloadBlock) + bytes, bytes);
}

void PayloadBlock::give_back() {
  if (Tail* const lent = tail()) {
    if (lent->loan != nullptr) lent->loan->block_ = nullptr;
    if (lent->copy != nullptr) lent->copy->give_back();
  }
  Store* const pool = store;
  if (pool == nullptr) {
    ::operator delete(this);
    return;
  }
  const std::size_t room = size_class * step;
  pool->used_bytes -= room;
  next = pool->free[size_class];
  pool->free[size_class] = this;
  pool->free_bytes += room;
  if (pool->used_bytes == 0 && pool->orphaned) delete pool;
}

Payload::Payload(PayloadPool& pool, std::span<const std::byte> head,
                 std::span<const std::byte> rest, Loan* loan) {
  if (loan != nullptr) {
    block_ = &pool.take(head, rest, *loan);
    return;
  }
  if (head.empty() && rest.empty()) return;
  block_ = &pool.take(head.size() + rest.size());
  std::byte* const to = block_->bytes().data();
  if (!head.empty()) std::memcpy(to, head.data(), head.size());
  if (!rest.empty()) std::memcpy(to + head.size(), rest.data(), rest.size());
}

void Payload::copy_to(std::size_t offset, std::span<std::byte> into) const {
  if (into.empty()) return;
  const std::size_t own = block_->size;
  const std::size_t first = offset < own ? std::min(into.size(), own - offset) : 0;
  if (first != 0) std::memcpy(into.data(), at(offset), first);
  if (first == into.size()) return;
  std::memcpy(into.data() + first, at(offset + first), into.size() - first);
}

void Payload::gather() {
  PayloadBlock& whole = PayloadBlock::Store::another(*block_, size());
  copy_to(0, whole.bytes());
  whole.next = block_->next;
  whole.tag = block_->tag;
  std::exchange(block_, &whole)->give_back();
}

}  // namespace ugni
