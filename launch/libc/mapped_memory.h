// Memory that is no part of the heap.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace launch {

/// Each block is a mapping of its own. For what is as large as the user's paths and environment:
/// the heap's layout, and with it which buffers of a rank come to lie where others have lain, does
/// not depend on them.
template <typename Value>
struct MappedMemory {
  using value_type = Value;

  MappedMemory() = default;
  template <typename Other>
  MappedMemory(const MappedMemory<Other>&) {}  // NOLINT(google-explicit-constructor): allocators

  Value* allocate(std::size_t count) {
    void* const block = mmap(nullptr, count * sizeof(Value), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc();
    return static_cast<Value*>(block);
  }
  void deallocate(Value* block, std::size_t count) { munmap(block, count * sizeof(Value)); }

  bool operator==(const MappedMemory&) const = default;
};

}  // namespace launch
