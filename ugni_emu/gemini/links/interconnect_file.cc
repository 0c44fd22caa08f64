// The lines of `rtr --interconnect`: which tile is joined to which, by what.
#include "ugni_emu/gemini/links/interconnect_file.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "ugni_emu/gemini/links/tile_map.h"

namespace gemini {
namespace {

/// `rtr`'s word for a link.
std::string link_type(const Torus& torus, Port port) {
  const LinkType type = torus.link_classes()[torus.link_class(port)].type;
  if (type != LinkType::cable) return std::string(name_of(type));
  const CabinetPlace here = torus.cabinet_place(port.router);
  const CabinetPlace there = torus.cabinet_place(torus.far_end(port).router);
  const auto length = [](int from, int to) { return std::abs(from - to) <= 1 ? 11 : 18; };
  switch (dimension_of(static_cast<Direction>(port.link))) {
    case 0:
      return fmt::format("cable{}x", length(here.column, there.column));
    case 1:
      return fmt::format("cable{}y", length(here.row, there.row));
    default:
      return "cable15z";
  }
}

/// A Gemini as the file has it: its name, and its coordinates in brackets.
struct GeminiText {
  std::string name, coordinates;
};

GeminiText text_of(const Torus& torus, RouterId router) {
  const Coordinates at = torus.coordinates(router);
  return {cname(torus.cabinet_place(router)), fmt::format("[({},{},{})]", at.x, at.y, at.z)};
}

/// What the lines of one link have in common.
struct LinkText {
  GeminiText far;
  std::string type;
};

}  // namespace

std::string interconnect_lines(const Torus& torus, RouterId router) {
  const GeminiText near = text_of(torus, router);
  std::array<LinkText, kDirections.size()> links;
  for (const Direction direction : kDirections) {
    const Port port = torus.port(torus.coordinates(router), direction);
    if (!torus.has_link(port)) continue;
    links[port.link] = {text_of(torus, torus.far_end(port).router), link_type(torus, port)};
  }
  fmt::memory_buffer lines;
  for (Tile tile = 0; tile < kTiles; ++tile) {
    const TilePlace place = place_of(torus, {router, tile});
    if (!place.link || !torus.has_link({router, *place.link})) continue;
    const LinkText& link = links[*place.link];
    const Tile far = far_end(torus, {router, tile}).tile;
    fmt::format_to(std::back_inserter(lines), "{}l{}{}{} {} -> {}l{}{}{} LinkType: {}\n", near.name,
                   row_of(tile), column_of(tile), near.coordinates, torus.link_name(*place.link),
                   link.far.name, row_of(far), column_of(far), link.far.coordinates, link.type);
  }
  return fmt::to_string(lines);
}

}  // namespace gemini
