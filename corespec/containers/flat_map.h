// A small hash map in one array: open addressing, nothing allocated while it holds little.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace corespec {

/// Maps 64-bit keys to trivially copyable values. Lookups are one multiplication and, as a rule,
/// one cache line. It is never walked in an order that could reach a result: for_each() is for
/// clean-up only. `empty_key` cannot be stored. The first `inline_slots` (0 or a power of two) lie
/// in the map itself. Of all slots, three in four are used, but of sixteen fourteen: what a rank
/// has one of for each of a dozen peers then fits.
template <typename Value, std::uint64_t empty_key = ~std::uint64_t{0},
          std::uint32_t inline_slots = 0>
class FlatMap {
 public:
  FlatMap() = default;
  FlatMap(const FlatMap&) = delete;
  FlatMap& operator=(const FlatMap&) = delete;

  Value* find(std::uint64_t key) {
    if (size_ == 0 || key == empty_key) return nullptr;
    Slot* const slots = this->slots();
    for (std::size_t slot = home(key);; slot = next(slot)) {
      if (slots[slot].key == key) return &slots[slot].value;
      if (slots[slot].key == empty_key) return nullptr;
    }
  }
  const Value* find(std::uint64_t key) const { return const_cast<FlatMap*>(this)->find(key); }

  /// Stores `value` under `key`, over a value that is there already.
  Value& insert(std::uint64_t key, Value value) {
    if (Value* present = find(key)) return *present = value;
    if (size_ + 1 > capacity_ - capacity_ / (capacity_ == 16 ? 8 : 4)) grow();
    ++size_;
    return *place(key, value);
  }

  bool erase(std::uint64_t key) {
    if (size_ == 0 || key == empty_key) return false;
    std::size_t slot = home(key);
    Slot* const slots = this->slots();
    while (slots[slot].key != key) {
      if (slots[slot].key == empty_key) return false;
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
    Slot* const slots = this->slots();
    for (std::size_t slot = 0; slot < capacity_; ++slot) {
      if (slots[slot].key != empty_key) function(slots[slot].key, slots[slot].value);
    }
  }

 private:
  friend struct FlatMapPrefetch;
  struct Slot {
    std::uint64_t key = empty_key;
    Value value{};
  };

  /// An empty std::array takes room.
  struct NoSlots {
    static constexpr Slot* data() { return nullptr; }
  };
  using InlineSlots =
      std::conditional_t<inline_slots == 0, NoSlots, std::array<Slot, inline_slots>>;

  Slot* slots() { return heap_ != nullptr ? heap_.get() : inline_.data(); }
  const Slot* slots() const { return const_cast<FlatMap*>(this)->slots(); }

  static std::size_t hash(std::uint64_t key) {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> 32);
  }
  std::size_t home(std::uint64_t key) const { return hash(key) & (capacity_ - 1); }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (capacity_ - 1); }

  Value* place(std::uint64_t key, Value value) {
    Slot* const slots = this->slots();
    std::size_t slot = home(key);
    while (slots[slot].key != empty_key) slot = next(slot);
    slots[slot] = {key, value};
    return &slots[slot].value;
  }

  void grow() {
    const std::uint32_t old_capacity = capacity_;
    const std::uint32_t capacity = old_capacity == 0 ? 4 : old_capacity * 2;
    auto fresh = std::make_unique<Slot[]>(capacity);  // may throw: nothing has changed yet
    const auto old_heap = std::exchange(heap_, std::move(fresh));
    const auto old_inline = inline_;
    const Slot* old = old_heap != nullptr ? old_heap.get() : old_inline.data();
    capacity_ = capacity;
    for (std::uint32_t slot = 0; slot < old_capacity; ++slot) {
      if (old[slot].key != empty_key) place(old[slot].key, old[slot].value);
    }
  }

  // Moves later entries of the same run forward, so that no lookup meets a gap.
  void close_gap(std::size_t gap) {
    Slot* const slots = this->slots();
    for (std::size_t slot = next(gap); slots[slot].key != empty_key; slot = next(slot)) {
      const std::size_t wanted = home(slots[slot].key);
      if (((slot - wanted) & (capacity_ - 1)) >= ((slot - gap) & (capacity_ - 1))) {
        slots[gap] = slots[slot];
        gap = slot;
      }
    }
    slots[gap] = Slot{};
  }

  std::unique_ptr<Slot[]> heap_;
  std::uint32_t capacity_ = inline_slots;
  std::uint32_t size_ = 0;
  [[no_unique_address]] InlineSlots inline_{};
};

}  // namespace corespec
