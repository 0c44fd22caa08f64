// Captured bytes, and the pool that their memory comes from and returns to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "corespec/events/prefetch_lines.h"

namespace ugni {

class PayloadPool;

/// The memory of a payload; its bytes follow it. Whoever takes it out of its payload (release())
/// may chain and tag it, and puts it back by give_back().
struct alignas(16) PayloadBlock {
  struct Store;

  std::span<std::byte> bytes() { return {reinterpret_cast<std::byte*>(this + 1), size}; }
  std::span<const std::byte> bytes() const {
    return {reinterpret_cast<const std::byte*>(this + 1), size};
  }
  /// To where it came from: a pool, or the heap.
  void give_back();

  Store* store;        ///< null: from the heap
  PayloadBlock* next;  ///< the holder's
  std::uint32_t size;
  std::uint16_t size_class;
  std::uint8_t tag;  ///< the holder's
};

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
  /// Owns what was taken out of another by release().
  explicit Payload(PayloadBlock& block) : Payload(&block) {}
  Payload(Payload&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Payload& operator=(Payload&& other) noexcept {
    std::swap(block_, other.block_);
    if (&other != this) other.reset();
    return *this;
  }
  ~Payload() { reset(); }

  std::span<std::byte> bytes() {
    return block_ == nullptr ? std::span<std::byte>() : block_->bytes();
  }
  std::span<const std::byte> bytes() const { return const_cast<Payload*>(this)->bytes(); }
  std::size_t size() const { return block_ == nullptr ? 0 : block_->size; }
  bool empty() const { return block_ == nullptr; }
  /// Asks the host for where the bytes begin.
  void prefetch() const {
    if (block_ != nullptr) corespec::prefetch_lines(block_, 3);
  }

  /// Its memory, null if it is empty; the payload is empty from then on.
  PayloadBlock* release() { return std::exchange(block_, nullptr); }

 private:
  explicit Payload(PayloadBlock* block) : block_(block) {}
  void fill(std::span<const std::byte> from) {
    if (block_ != nullptr) std::memcpy(block_->bytes().data(), from.data(), from.size());
  }
  void reset() {
    if (block_ != nullptr) std::exchange(block_, nullptr)->give_back();
  }

  PayloadBlock* block_ = nullptr;
};

}  // namespace ugni
