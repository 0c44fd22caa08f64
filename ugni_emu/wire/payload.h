// Captured bytes, and the pool that their memory comes from and returns to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace ugni {

class PayloadPool;

/// The memory of a payload; its bytes follow it, all of them or those before its tail. A user
/// that takes it out of its payload (release()) may chain and tag it, and calls give_back().
struct alignas(16) PayloadBlock {
  struct Store;
  struct Tail;

  std::span<std::byte> bytes() { return {reinterpret_cast<std::byte*>(this + 1), size}; }
  std::span<const std::byte> bytes() const {
    return {reinterpret_cast<const std::byte*>(this + 1), size};
  }
  /// What comes behind its bytes and lies elsewhere; null: nothing does.
  Tail* tail() {
    return has_tail ? reinterpret_cast<Tail*>(bytes().data() + tail_offset(size)) : nullptr;
  }
  const Tail* tail() const { return const_cast<PayloadBlock*>(this)->tail(); }
  static constexpr std::size_t tail_offset(std::size_t own) { return (own + 7) / 8 * 8; }
  /// Its own and those of its tail.
  std::size_t all_bytes() const;
  /// Where the bytes from `offset` on are now, those of the tail among them.
  const std::byte* at(std::size_t offset) const;
  /// To where it came from: a pool, or the heap.
  void give_back();

  Store* store;        ///< null: from the heap
  PayloadBlock* next;  ///< the holder's
  std::uint32_t size;
  std::uint16_t size_class;
  std::uint8_t tag;  ///< the holder's
  bool has_tail;
};

/// The lender's end of bytes that a payload has not copied but left where they are. It stays where
/// it is as long as it is open. Lender and payload belong to one thread at a time.
class Loan {
 public:
  /// False if there is none, or once the payload has gone.
  bool open() const { return block_ != nullptr; }
  /// The bytes are the lender's again, which may change them: the payload, if it is still there,
  /// copies them first.
  void end();
  /// Of a lender that goes for good: no receiver will look at the payload again.
  void abandon();

 private:
  friend class PayloadPool;
  friend struct PayloadBlock;
  PayloadBlock* block_ = nullptr;
};

struct PayloadBlock::Tail {
  const std::byte* data;
  std::uint32_t size;
  PayloadBlock* copy;  ///< whose bytes they are, once they have been copied
  Loan* loan;          ///< null: it has ended
};

inline std::size_t PayloadBlock::all_bytes() const {
  return has_tail ? size + std::size_t{tail()->size} : size;
}

inline const std::byte* PayloadBlock::at(std::size_t offset) const {
  return offset < size || !has_tail ? bytes().data() + offset : tail()->data + (offset - size);
}

/// Blocks by size, last in, first out: what was freed last is what the caches still hold. One per
/// machine, not per NIC or rank, for the same reason. Free blocks go back to the heap where blocks
/// of another size are made instead, large ones at once. Blocks may outlive the pool. Not for
/// several host threads.
class PayloadPool {
 public:
  PayloadPool();
  ~PayloadPool();
  PayloadPool(const PayloadPool&) = delete;
  PayloadPool& operator=(const PayloadPool&) = delete;

  PayloadBlock& take(std::size_t bytes);
  /// A block with `head`, and with `rest` left where it is: it must not change until `loan`, which
  /// is not open, has been ended.
  PayloadBlock& take(std::span<const std::byte> head, std::span<const std::byte> rest, Loan& loan);
  /// Of memory that it keeps for later.
  std::size_t free_bytes() const;

 private:
  PayloadBlock::Store* store_;
};

/// A block from the heap.
PayloadBlock& heap_block(std::size_t bytes);

/// Captured bytes; owned by the segment that carries them. A pointer's size.
class Payload {
 public:
  Payload() = default;
  explicit Payload(std::size_t bytes) : Payload(bytes == 0 ? nullptr : &heap_block(bytes)) {}
  explicit Payload(std::span<const std::byte> from) : Payload(from.size()) { fill(from); }
  Payload(PayloadPool& pool, std::size_t bytes)
      : Payload(bytes == 0 ? nullptr : &pool.take(bytes)) {}
  Payload(PayloadPool& pool, std::span<const std::byte> from) : Payload(pool, from.size()) {
    fill(from);
  }
  /// `head` and `rest`, one behind the other; with a `loan` `rest` is lent (PayloadPool::take()).
  Payload(PayloadPool& pool, std::span<const std::byte> head, std::span<const std::byte> rest,
          Loan* loan);
  /// Owns what was taken out of another by release().
  explicit Payload(PayloadBlock& block) : Payload(&block) {}
  Payload(Payload&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Payload& operator=(Payload&& other) noexcept {
    std::swap(block_, other.block_);
    if (&other != this) other.reset();
    return *this;
  }
  ~Payload() { reset(); }

  /// All of them, one behind the other: copies what is lent.
  std::span<std::byte> bytes() {
    if (block_ == nullptr) return {};
    if (block_->has_tail) gather();
    return block_->bytes();
  }
  std::span<const std::byte> bytes() const { return const_cast<Payload*>(this)->bytes(); }
  std::size_t size() const { return block_ == nullptr ? 0 : block_->all_bytes(); }
  /// Copies bytes [offset, offset + into.size()).
  void copy_to(std::size_t offset, std::span<std::byte> into) const;
  /// Where the bytes from `offset` on are now; what was captured apart lies apart.
  const std::byte* at(std::size_t offset) const { return block_->at(offset); }
  bool empty() const { return block_ == nullptr; }
  /// Its memory, null if it is empty; the payload is empty from then on.
  PayloadBlock* release() { return std::exchange(block_, nullptr); }

 private:
  friend struct PayloadPrefetch;
  explicit Payload(PayloadBlock* block) : block_(block) {}
  void gather();
  void fill(std::span<const std::byte> from) {
    if (block_ != nullptr) std::memcpy(block_->bytes().data(), from.data(), from.size());
  }
  void reset() {
    if (block_ != nullptr) std::exchange(block_, nullptr)->give_back();
  }

  PayloadBlock* block_ = nullptr;
};

}  // namespace ugni
