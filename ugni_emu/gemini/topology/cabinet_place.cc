// Where a Gemini of a torus stands in the machine room, and its name.
#include "ugni_emu/gemini/topology/cabinet_place.h"

#include <charconv>

namespace gemini {
namespace {

/// Columns as a folded ring of `size`.
std::uint16_t folded_column(unsigned x, unsigned size) {
  return static_cast<std::uint16_t>(2 * x <= size ? (x == 0 ? 0 : 2 * x - 1) : 2 * (size - x));
}

unsigned x_of(unsigned column, unsigned size) {
  if (column == 0) return 0;
  return column % 2 != 0 ? (column + 1) / 2 : size - column / 2;
}

/// A letter and the number behind it, taken off the front of `text`.
bool take(std::string_view& text, char letter, std::uint16_t& number) {
  if (text.empty() || text.front() != letter) return false;
  text.remove_prefix(1);
  // A number has no zeros in front, so that each place has one name.
  if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

CabinetPlace cabinet_place(Coordinates at, const TorusSizes& sizes) {
  CabinetPlace place;
  place.column = folded_column(at.x, sizes[0]);
  place.row = static_cast<std::uint16_t>(at.y / 2);
  place.cage = static_cast<std::uint16_t>(at.z / kSlots);
  place.slot = static_cast<std::uint16_t>(at.z % kSlots);
  place.gemini = static_cast<std::uint16_t>(at.y % 2);
  return place;
}

std::optional<Coordinates> coordinates_of(const CabinetPlace& place, const TorusSizes& sizes) {
  if (place.column >= sizes[0] || place.slot >= kSlots || place.gemini > 1) return std::nullopt;
  const unsigned y = 2U * place.row + place.gemini;
  const unsigned z = kSlots * place.cage + place.slot;
  if (y >= sizes[1] || z >= sizes[2]) return std::nullopt;
  return Coordinates{static_cast<std::uint16_t>(x_of(place.column, sizes[0])),
                     static_cast<std::uint16_t>(y), static_cast<std::uint16_t>(z)};
}

std::string cname(const CabinetPlace& place) {
  const auto part = [](char letter, unsigned number) { return letter + std::to_string(number); };
  return part('c', place.column) + part('-', place.row) + part('c', place.cage) +
         part('s', place.slot) + part('g', place.gemini);
}

std::optional<CabinetPlace> parse_cname(std::string_view text) {
  CabinetPlace place;
  const bool is_name = take(text, 'c', place.column) && take(text, '-', place.row) &&
                       take(text, 'c', place.cage) && take(text, 's', place.slot) &&
                       take(text, 'g', place.gemini) && text.empty() && place.slot < kSlots &&
                       place.gemini <= 1;
  if (!is_name) return std::nullopt;
  return place;
}

}  // namespace gemini
