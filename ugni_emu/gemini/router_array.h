// The routers of a network in one array.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "ugni_emu/gemini/router.h"

namespace gemini {

/// All routers of a network, by Gemini, side by side (a link names its neighbour by number, so that
/// it fits a cache line) and never moved, which std::vector would ask for. Those of a large network
/// lie on huge pages: a job builds all of them, whichever it uses.
class RouterArray {
 public:
  explicit RouterArray(std::size_t capacity) {
    const std::size_t bytes = up_to_huge_page(capacity * sizeof(Router));
    room_ = bytes + huge_page;  // it may begin anywhere
    void* const room =
        mmap(nullptr, room_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) throw std::bad_alloc();
    mapping_ = room;
    routers_ = reinterpret_cast<Router*>(up_to_huge_page(reinterpret_cast<std::uintptr_t>(room)));
    if (capacity * sizeof(Router) >= huge_page) madvise(routers_, bytes, MADV_HUGEPAGE);
  }
  ~RouterArray() {
    std::destroy_n(routers_, size_);
    munmap(mapping_, room_);
  }
  RouterArray(const RouterArray&) = delete;
  RouterArray& operator=(const RouterArray&) = delete;

  Router* data() const { return routers_; }
  /// Throws std::out_of_range.
  Router& at(std::size_t gemini) const {
    if (gemini >= size_) throw std::out_of_range("no Gemini " + std::to_string(gemini));
    return routers_[gemini];
  }
  /// Appends a router; `arguments` are those of its constructor. Not beyond the capacity.
  template <typename... Arguments>
  void emplace_back(Arguments&&... arguments) {
    std::construct_at(routers_ + size_, std::forward<Arguments>(arguments)...);
    ++size_;
  }

 private:
  static constexpr std::size_t huge_page = 2 * 1024 * 1024;

  static constexpr std::uintptr_t up_to_huge_page(std::uintptr_t value) {
    return (value + huge_page - 1) / huge_page * huge_page;
  }

  std::size_t room_ = 0;  ///< of the mapping
  void* mapping_ = nullptr;
  Router* routers_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gemini
