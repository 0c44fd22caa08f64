// An allocator whose knowledge of blocks lies outside the memory it gives out.
#include "ugni_emu/rma/block_heap.h"

#include <algorithm>
#include <cstring>

namespace rma {
namespace {

std::size_t rounded(std::size_t bytes) {
  return (bytes + BlockHeap::alignment - 1) / BlockHeap::alignment * BlockHeap::alignment;
}

}  // namespace

BlockHeap::BlockHeap(std::byte* base, std::size_t bytes)
    : base_(base), bytes_(bytes / alignment * alignment) {
  if (bytes_ != 0) free_.emplace(0, bytes_);
}

void* BlockHeap::allocate(std::size_t bytes) {
  if (bytes == 0 || bytes > bytes_) return nullptr;
  const std::size_t wanted = rounded(bytes);
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const auto [offset, room] = *it;
    if (room < wanted) continue;
    free_.erase(it);
    if (room > wanted) free_.emplace(offset + wanted, room - wanted);
    blocks_.emplace(offset, wanted);
    used_ += wanted;
    return base_ + offset;
  }
  return nullptr;
}

void* BlockHeap::reallocate(void* block, std::size_t bytes) {
  if (block == nullptr) return allocate(bytes);
  const auto it = blocks_.find(static_cast<std::size_t>(static_cast<std::byte*>(block) - base_));
  if (it == blocks_.end() || bytes == 0 || bytes > bytes_) return nullptr;
  const std::size_t wanted = rounded(bytes);
  if (wanted <= it->second) {
    const std::size_t rest = it->second - wanted;
    it->second = wanted;
    used_ -= rest;
    if (rest != 0) add_free(it->first + wanted, rest);
    return block;
  }
  if (grow(it, wanted)) return block;
  void* moved = allocate(bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, it->second);
  release(block);
  return moved;
}

bool BlockHeap::grow(std::map<std::size_t, std::size_t>::iterator block, std::size_t bytes) {
  const auto next = free_.find(block->first + block->second);
  const std::size_t more = bytes - block->second;
  if (next == free_.end() || next->second < more) return false;
  const auto [offset, room] = *next;
  free_.erase(next);
  if (room > more) free_.emplace(offset + more, room - more);
  block->second = bytes;
  used_ += more;
  return true;
}

bool BlockHeap::release(void* block) {
  const auto it = blocks_.find(static_cast<std::size_t>(static_cast<std::byte*>(block) - base_));
  if (it == blocks_.end()) return false;
  const auto [offset, bytes] = *it;
  blocks_.erase(it);
  used_ -= bytes;
  add_free(offset, bytes);
  return true;
}

void BlockHeap::add_free(std::size_t offset, std::size_t bytes) {
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + bytes == next->first) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  free_.emplace(offset, bytes);
}

std::size_t BlockHeap::largest_free() const {
  std::size_t largest = 0;
  for (const auto& [offset, bytes] : free_) largest = std::max(largest, bytes);
  return largest;
}

}  // namespace rma
