// A small hash map in one array: open addressing, nothing allocated while it is empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace nic {

/// Maps 64-bit keys to trivially copyable values. Lookups are one multiplication and, as a rule,
/// one cache line. It is never walked in an order that could reach a result: for_each() is for
/// clean-up only. `empty_key` cannot be stored.
template <typename Value, std::uint64_t empty_key = ~std::uint64_t{0}>
class FlatMap {
 public:
  Value* find(std::uint64_t key) {
    if (size_ == 0 || key == empty_key) return nullptr;
    for (std::size_t slot = home(key);; slot = next(slot)) {
      if (slots_[slot].key == key) return &slots_[slot].value;
      if (slots_[slot].key == empty_key) return nullptr;
    }
  }
  const Value* find(std::uint64_t key) const { return const_cast<FlatMap*>(this)->find(key); }

  /// Stores `value` under `key`, over a value that is there already.
  Value& insert(std::uint64_t key, Value value) {
    if (Value* present = find(key)) return *present = value;
    if ((size_ + 1) * 4 > capacity_ * 3) grow();
    ++size_;
    return *place(key, value);
  }

  bool erase(std::uint64_t key) {
    if (size_ == 0 || key == empty_key) return false;
    std::size_t slot = home(key);
    while (slots_[slot].key != key) {
      if (slots_[slot].key == empty_key) return false;
      slot = next(slot);
    }
    close_gap(slot);
    --size_;
    return true;
  }

  std::size_t size() const { return size_; }

  /// `function(key, value)` for each entry; it must not change the map.
  template <typename Function>
  void for_each(Function function) {
    for (std::size_t slot = 0; slot < capacity_; ++slot) {
      if (slots_[slot].key != empty_key) function(slots_[slot].key, slots_[slot].value);
    }
  }

 private:
  struct Slot {
    std::uint64_t key = empty_key;
    Value value{};
  };

  std::size_t home(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> 32) & (capacity_ - 1);
  }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (capacity_ - 1); }

  Value* place(std::uint64_t key, Value value) {
    std::size_t slot = home(key);
    while (slots_[slot].key != empty_key) slot = next(slot);
    slots_[slot] = {key, value};
    return &slots_[slot].value;
  }

  void grow() {
    const std::size_t old_capacity = capacity_;
    auto old = std::move(slots_);
    capacity_ = old_capacity == 0 ? 4 : old_capacity * 2;
    slots_ = std::make_unique<Slot[]>(capacity_);
    for (std::size_t slot = 0; slot < old_capacity; ++slot) {
      if (old[slot].key != empty_key) place(old[slot].key, old[slot].value);
    }
  }

  // Moves later entries of the same run forward, so that no lookup meets a gap.
  void close_gap(std::size_t gap) {
    for (std::size_t slot = next(gap); slots_[slot].key != empty_key; slot = next(slot)) {
      const std::size_t wanted = home(slots_[slot].key);
      if (((slot - wanted) & (capacity_ - 1)) >= ((slot - gap) & (capacity_ - 1))) {
        slots_[gap] = slots_[slot];
        gap = slot;
      }
    }
    slots_[gap] = Slot{};
  }

  std::unique_ptr<Slot[]> slots_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace nic
