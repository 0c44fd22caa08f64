// Which link or port a router's tile belongs to, and which tile is at its other end.
#include "ugni_emu/gemini/links/tile_map.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

namespace gemini {
namespace {

/// Which of `tiles` it is.
std::optional<unsigned> number_in(std::span<const Tile> tiles, Tile tile) {
  const auto found = std::find(tiles.begin(), tiles.end(), tile);
  if (found == tiles.end()) return std::nullopt;
  return static_cast<unsigned>(found - tiles.begin());
}

}  // namespace

TilePlace place_of(const Topology& topology, RouterTile at) {
  for (unsigned each = 0; each < topology.links_per_router(); ++each) {
    const auto link = static_cast<std::uint8_t>(each);
    if (const auto number = number_in(topology.tiles_of({at.router, link}), at.tile)) {
      return {link, *number};
    }
  }
  if (const auto number = number_in(topology.host_tiles(), at.tile)) return {{}, *number};
  throw std::out_of_range("a router has no tile " + std::to_string(at.tile));
}

Tile tile_of(const Topology& topology, Port port, unsigned k) {
  const std::span<const Tile> tiles = topology.tiles_of(port);
  return tiles[k % tiles.size()];
}

RouterTile far_end(const Topology& topology, RouterTile at) {
  const TilePlace place = place_of(topology, at);
  if (!place.link) return at;
  const Port far = topology.far_end({at.router, *place.link});
  return {far.router, topology.tiles_of(far)[place.number]};
}

}  // namespace gemini
