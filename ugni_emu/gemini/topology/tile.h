// The tiles of a router.
#pragma once

#include <cstdint>

namespace gemini {

/// Number of a router's tile, row after row, from 0.
using Tile = std::uint8_t;

inline constexpr unsigned kTileRows = 6;
inline constexpr unsigned kTileColumns = 8;
inline constexpr unsigned kTiles = kTileRows * kTileColumns;

constexpr Tile tile_at(unsigned row, unsigned column) {
  return static_cast<Tile>(row * kTileColumns + column);
}
constexpr unsigned row_of(Tile tile) { return tile / kTileColumns; }
constexpr unsigned column_of(Tile tile) { return tile % kTileColumns; }

}  // namespace gemini
