// Link types by position, and their bandwidths from the parameter table's tiles.
#include "ugni_emu/gemini/links/links.h"

#include <array>

namespace gemini {
namespace {

constexpr int kCage = 8;  // slots of a cage, neighbours in Z over the backplane

/// Type of the link from `at` to its neighbour in plus direction.
LinkType plus_link_type(const Torus& torus, Coordinates at, int dimension) {
  if (dimension == 0) return LinkType::cable;
  if (dimension == 1) {
    const bool blade = at.y % 2 == 0 && at.y + 1 < torus.size(1);
    return blade ? LinkType::mezzanine : LinkType::cable;
  }
  const bool cage = at.z % kCage != kCage - 1 && at.z + 1 < torus.size(2);
  return cage ? LinkType::backplane : LinkType::cable;
}

double tile_rate(const corespec::Parameters& parameters, LinkType type) {
  switch (type) {
    case LinkType::mezzanine:
      return parameters.tile_mezzanine;
    case LinkType::backplane:
      return parameters.tile_backplane;
    case LinkType::cable:
      return parameters.tile_cable;
    case LinkType::host:
      return parameters.tile_host;
  }
  return 0;
}

}  // namespace

std::string_view name_of(LinkType type) {
  constexpr std::array<std::string_view, 4> names = {"mezzanine", "backplane", "cable", "host"};
  return names[static_cast<std::size_t>(type)];
}

LinkType link_type(const Torus& torus, Coordinates at, Direction direction) {
  if (is_minus(direction)) at = neighbour(torus, at, direction);
  return plus_link_type(torus, at, dimension_of(direction));
}

double link_bandwidth(const corespec::Parameters& parameters, const Torus& torus, Coordinates at,
                      Direction direction) {
  const int dimension = dimension_of(direction);
  if (torus.size(dimension) == 1) return 0;
  return link_bandwidth(parameters, dimension, link_type(torus, at, direction));
}

double link_bandwidth(const corespec::Parameters& parameters, int dimension, LinkType type) {
  const std::array<std::int64_t, 3> tiles = {parameters.tiles_x, parameters.tiles_y,
                                             parameters.tiles_z};
  return static_cast<double>(tiles[static_cast<std::size_t>(dimension)]) *
         tile_rate(parameters, type);
}

double host_bandwidth(const corespec::Parameters& parameters) {
  return static_cast<double>(parameters.tiles_host) * tile_rate(parameters, LinkType::host);
}

}  // namespace gemini
