// An allocator whose knowledge of blocks lies outside the memory it gives out.
#pragma once

#include <cstddef>
#include <map>

namespace rma {

/// First fit by address. What it knows of blocks lies outside the heap, so that a peer's stray PUT
/// cannot break it.
class BlockHeap {
 public:
  static constexpr std::size_t alignment = 16;

  BlockHeap(std::byte* base, std::size_t bytes);

  /// Null if there is no room, or `bytes` is 0.
  void* allocate(std::size_t bytes);
  /// Keeps the block's place if it can; else moves the contents. Null, and the block stays, if
  /// there is no room or it is none. A null block: allocate().
  void* reallocate(void* block, std::size_t bytes);
  /// False if it is no block.
  bool release(void* block);

  std::byte* base() const { return base_; }
  std::size_t size() const { return bytes_; }
  std::size_t used() const { return used_; }
  std::size_t largest_free() const;

 private:
  void add_free(std::size_t offset, std::size_t bytes);
  bool grow(std::map<std::size_t, std::size_t>::iterator block, std::size_t bytes);

  std::byte* base_;
  std::size_t bytes_;
  std::size_t used_ = 0;
  std::map<std::size_t, std::size_t> free_;    ///< bytes by offset; neighbours are merged
  std::map<std::size_t, std::size_t> blocks_;  ///< the same of what is in use
};

}  // namespace rma
