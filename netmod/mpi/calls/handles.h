// Integer handles and the tables behind them: a number, checked, to an object.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace netmod {

/// What a handle names (bits 26-29 of the MPICH ABI).
enum class HandleKind : std::uint32_t {
  communicator = 1,
  group = 2,
  datatype = 3,
  error_handler = 5,
  operation = 6,
  info = 7,
  window = 8,
  key_value = 9,
  request = 11,
};

/// Objects made by calls: handle <-> object in O(1), with a free list. Memory comes in chunks, so
/// that objects never move, and only with the first object: most ranks never fill most tables. A
/// slot's reuse changes its handle: a stale one is not taken for its successor until
/// 2^generation_bits reuses later.
template <class T>
class HandleTable {
 public:
  /// `reserved`: numbers from 0 that predefined handles occupy.
  explicit HandleTable(HandleKind kind, std::uint32_t reserved = 0)
      : tag_(made_by_call | static_cast<std::uint32_t>(kind) << kind_shift), reserved_(reserved) {}

  /// The object, or null if the handle names none.
  T* find(int handle) {
    const auto bits = static_cast<std::uint32_t>(handle);
    const std::uint32_t slot = slot_of(handle);
    if ((bits & tag_mask) != tag_ || table_ == nullptr || slot >= table_->used) return nullptr;
    Slot& found = table_->at(slot);
    if (!found.taken || found.generation != ((bits >> index_bits) & generation_mask))
      return nullptr;
    return &found.object;
  }

  /// A new object (value-initialised); `handle` is its name. Null if the numbers are used up.
  T* add(int& handle) {
    if (table_ == nullptr) table_ = std::make_unique<Table>();
    std::uint32_t slot = table_->free;
    if (slot != none) {
      table_->free = table_->at(slot).next_free;
    } else {
      if (table_->used + reserved_ > index_mask) return nullptr;
      slot = table_->used++;
      if (slot != 0 && slot % chunk == 0) table_->more.push_back(std::make_unique<Slot[]>(chunk));
    }
    Slot& found = table_->at(slot);
    found.taken = true;
    ++table_->count;
    handle = static_cast<int>(tag_ | found.generation << index_bits | (slot + reserved_));
    return &found.object;
  }

  /// Ends an object; its handle must be valid.
  void remove(int handle) {
    const std::uint32_t slot = slot_of(handle);
    Slot& found = table_->at(slot);
    found.object = T();
    found.taken = false;
    found.generation = (found.generation + 1) & generation_mask;
    found.next_free = table_->free;
    table_->free = slot;
    --table_->count;
  }

  /// `visit(object)` for all, in the order of their slots.
  template <class Visit>
  void for_each(const Visit& visit) const {
    if (table_ == nullptr) return;
    for (std::uint32_t slot = 0; slot < table_->used; ++slot) {
      if (table_->at(slot).taken) visit(std::as_const(table_->at(slot).object));
    }
  }
  /// Objects that exist.
  std::uint32_t count() const { return table_ == nullptr ? 0 : table_->count; }

 private:
  friend struct RequestsPrefetch;
  static constexpr std::uint32_t made_by_call = 0x80000000u;
  static constexpr std::uint32_t kind_shift = 26;
  static constexpr std::uint32_t tag_mask = 0xfc000000u;
  static constexpr std::uint32_t index_bits = 20;
  static constexpr std::uint32_t index_mask = (1u << index_bits) - 1;
  static constexpr std::uint32_t generation_mask = (1u << (kind_shift - index_bits)) - 1;
  static constexpr std::uint32_t chunk = 16;
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Slot {
    T object{};
    std::uint32_t next_free = none;
    std::uint16_t generation = 0;
    bool taken = false;
  };
  struct Table {
    Slot& at(std::uint32_t slot) {
      return slot < chunk ? first[slot] : more[slot / chunk - 1][slot % chunk];
    }
    std::uint32_t used = 0;
    std::uint32_t count = 0;
    std::uint32_t free = none;
    std::array<Slot, chunk> first;
    std::vector<std::unique_ptr<Slot[]>> more;  ///< further chunks
  };

  /// Of a predefined handle: beyond all slots.
  std::uint32_t slot_of(int handle) const {
    return (static_cast<std::uint32_t>(handle) & index_mask) - reserved_;
  }

  std::uint32_t tag_;
  std::uint32_t reserved_;
  std::unique_ptr<Table> table_;
};

}  // namespace netmod
