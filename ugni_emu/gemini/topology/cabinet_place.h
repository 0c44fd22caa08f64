// Where a Gemini of a torus stands in the machine room, and its name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ugni_emu/gemini/topology/torus_shape.h"

namespace gemini {

/// A Gemini's place: cabinets stand in columns and rows; a cabinet has cages of eight blades, a
/// blade two Geminis.
///
/// Which coordinates that are (S0, figure 2, and NERSC's map of Hopper; gemini-facts, section 8):
/// * x: columns as a folded ring, so that no cable skips more than one cabinet: 0, 1, 3, 5, ... up
///   and ..., 6, 4, 2 back.
/// * y: twice the row plus the Gemini of the blade. Rows are not folded (an estimate).
/// * z: eight times the cage plus the slot. A cabinet has as many cages as z needs.
struct CabinetPlace {
  std::uint16_t column = 0, row = 0, cage = 0, slot = 0, gemini = 0;
  bool operator==(const CabinetPlace&) const = default;
};

/// Slots of a cage, neighbours in Z over the backplane.
inline constexpr unsigned kSlots = 8;

using TorusSizes = std::array<std::uint16_t, 3>;

CabinetPlace cabinet_place(Coordinates at, const TorusSizes& sizes);

/// The inverse; nothing where the torus has no such place.
std::optional<Coordinates> coordinates_of(const CabinetPlace& place, const TorusSizes& sizes);

/// "c0-1c2s7g1": column, row, cage, slot, Gemini.
std::string cname(const CabinetPlace& place);

/// The inverse; nothing where `text` is no Gemini's name.
std::optional<CabinetPlace> parse_cname(std::string_view text);

}  // namespace gemini
