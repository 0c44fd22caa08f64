// The routers of a network in one array.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "ugni_emu/gemini/router.h"

namespace gemini {

/// All routers of a network, by Gemini, side by side (a link names its neighbour by number, so that
/// it fits a cache line) and never moved, which std::vector would ask for.
class RouterArray {
 public:
  explicit RouterArray(std::size_t capacity)
      : capacity_(capacity), routers_(std::allocator<Router>().allocate(capacity)) {}
  ~RouterArray() {
    std::destroy_n(routers_, size_);
    std::allocator<Router>().deallocate(routers_, capacity_);
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
  std::size_t capacity_;
  Router* routers_;
  std::size_t size_ = 0;
};

}  // namespace gemini
