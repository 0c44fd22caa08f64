// Which tiles of the caller's Gemini make up which of its links.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "ugni_emu/gemini/topology/directions.h"
#include "ugni_emu/gemini/topology/tile.h"

namespace papi {

/// The six links of a torus, numbered by their directions, then the host port.
inline constexpr unsigned kLinks = gemini::kDirections.size() + 1;
inline constexpr unsigned kHostPort = gemini::kDirections.size();
/// Of a tile that is in none of them: a dragonfly's.
inline constexpr unsigned kOtherLink = kLinks;

/// "X+", ..., "Z-", "HH": which way a link leads.
constexpr std::string_view link_name(unsigned link) {
  return link == kHostPort ? "HH" : gemini::name_of(gemini::kDirections[link]);
}

/// The link of each tile.
using LinkOfTile = std::array<unsigned, gemini::kTiles>;

/// Nothing if the caller is no rank of a job, which has been said.
std::optional<LinkOfTile> links_of_own_tiles();

}  // namespace papi
