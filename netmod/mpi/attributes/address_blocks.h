// Blocks of a range of addresses: taken, and given back. What is behind the addresses is not looked
// at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace netmod {

/// Takes the first gap that is large enough; blocks begin and end with a page.
class AddressBlocks {
 public:
  AddressBlocks(std::uintptr_t first, std::size_t bytes) : first_(first), bytes_(bytes) {}

  /// 0: no gap is large enough.
  std::uintptr_t take(std::size_t bytes) {
    if (bytes > bytes_) return 0;
    const std::size_t wanted = (bytes + page - 1) / page * page;
    std::uintptr_t gap = first_;
    auto next = taken_.begin();
    for (; next != taken_.end() && next->first - gap < wanted; ++next) {
      gap = next->first + next->second;
    }
    if (next == taken_.end() && first_ + bytes_ - gap < wanted) return 0;
    taken_.emplace_hint(next, gap, wanted);
    return gap;
  }
  /// False: no block begins there.
  bool give_back(std::uintptr_t address) { return taken_.erase(address) != 0; }

 private:
  static constexpr std::size_t page = 4096;
  std::uintptr_t first_;
  std::size_t bytes_;  ///< whole pages
  std::map<std::uintptr_t, std::size_t> taken_;
};

}  // namespace netmod
