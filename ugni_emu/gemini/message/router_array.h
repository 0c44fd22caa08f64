// The routers of a network in one array.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "ugni_emu/gemini/message/router.h"

namespace gemini {

/// All routers of a network, by Gemini, side by side (a link names its neighbour by number, so that
/// it fits a cache line) and never moved, which std::vector would ask for. Those of a large network
/// lie on huge pages: a job builds all of them, whichever it uses.
class RouterArray {
 public:
  explicit RouterArray(std::size_t capacity) {
    const std::size_t needed = capacity * sizeof(Router);
    const std::size_t page = needed < huge_page ? alignof(Router) : huge_page;
    const std::size_t bytes = (needed + page - 1) / page * page;
    routers_ = static_cast<Router*>(std::aligned_alloc(page, bytes));
    if (routers_ == nullptr) throw std::bad_alloc();
    if (page == huge_page) madvise(routers_, bytes, MADV_HUGEPAGE);
  }
  ~RouterArray() {
    std::destroy_n(routers_, size_);
    std::free(routers_);
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

  Router* routers_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gemini
