// Which link or port a router's tile belongs to, and which tile is at its other end.
#pragma once

#include <cstdint>
#include <optional>

#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// A tile of a router.
struct RouterTile {
  RouterId router = 0;
  Tile tile = 0;
  bool operator==(const RouterTile&) const = default;
};

/// What a tile is part of.
struct TilePlace {
  std::optional<std::uint8_t> link;  ///< of the router; nothing: the host port
  unsigned number = 0;               ///< which of that link's or of the host port's tiles
  bool operator==(const TilePlace&) const = default;
};

/// Of any tile below kTiles.
TilePlace place_of(const Topology& topology, RouterTile at);

/// Tile `k` of a link. Where a parameter (CASTOR_TILES_X, ...) gives a link more tiles than a
/// router has for it, the map stays as it is and several share one; with fewer, the last ones have
/// nothing to carry.
Tile tile_of(const Topology& topology, Port port, unsigned k);

/// The tile at the other end. A host tile, and one without a link behind it, leads to itself.
RouterTile far_end(const Topology& topology, RouterTile at);

}  // namespace gemini
