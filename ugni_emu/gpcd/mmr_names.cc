// The registers that GPCD's clients can name.
#include "ugni_emu/gpcd/mmr_names.h"

#include <array>
#include <functional>
#include <string>

namespace gpcd {
namespace {

constexpr std::string_view counters = "TILE_PERFORMANCE_COUNTERS_";

/// GPCD's addresses: a block for each tile, in which the fixed counters lie together.
constexpr std::uint64_t address_of(RegisterId id) {
  constexpr std::uint64_t tiles = 0x2001000, row = 0x20000, column = 0x2000, fixed = 0x380;
  return tiles + gemini::row_of(id.tile) * row + gemini::column_of(id.tile) * column + fixed +
         8 * std::uint64_t{id.counter};
}

/// Descriptors and the names that they point to. Clients' type has no const; nothing changes it.
class Registers {
 public:
  Registers() {
    for (std::size_t number = 0; number < kRegisters; ++number) {
      const RegisterId id{static_cast<gemini::Tile>(number / kCounters),
                          static_cast<unsigned>(number % kCounters)};
      names_[number] = "GM_" + std::to_string(gemini::row_of(id.tile)) + "_" +
                       std::to_string(gemini::column_of(id.tile)) + "_" + std::string(counters) +
                       std::to_string(id.counter);
      items_[number] = {address_of(id), names_[number].data()};
    }
  }
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;

  const std::array<gpcd_mmr_desc_t, kRegisters>& items() const { return items_; }

 private:
  std::array<std::string, kRegisters> names_;
  std::array<gpcd_mmr_desc_t, kRegisters> items_{};
};

const Registers& registers() {
  static const Registers all;
  return all;
}

/// A digit below `end`, taken off the front.
bool take_digit(std::string_view& text, unsigned end, unsigned& digit) {
  if (text.empty() || text.front() < '0') return false;
  digit = static_cast<unsigned>(text.front() - '0');
  text.remove_prefix(1);
  return digit < end;
}

bool take(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

}  // namespace

gpcd_mmr_desc_t* register_at(std::size_t number) {
  return const_cast<gpcd_mmr_desc_t*>(&registers().items()[number]);
}

gpcd_mmr_desc_t* find_register(std::string_view name) {
  if (!take(name, "GM")) return nullptr;
  const bool apart = take(name, "_");
  unsigned row = 0, column = 0, counter = 0;
  const bool found = take_digit(name, gemini::kTileRows, row) && (!apart || take(name, "_")) &&
                     take_digit(name, gemini::kTileColumns, column) && take(name, "_") &&
                     take(name, counters) && take_digit(name, kCounters, counter) && name.empty();
  if (!found) return nullptr;
  return register_at(std::size_t{gemini::tile_at(row, column)} * kCounters + counter);
}

bool is_register(const gpcd_mmr_desc_t* item) {
  const auto& items = registers().items();
  const std::less<> before;
  return !before(item, items.data()) && before(item, items.data() + items.size());
}

RegisterId id_of(const gpcd_mmr_desc_t* item) {
  const auto number = static_cast<std::size_t>(item - registers().items().data());
  return {static_cast<gemini::Tile>(number / kCounters), static_cast<unsigned>(number % kCounters)};
}

}  // namespace gpcd
