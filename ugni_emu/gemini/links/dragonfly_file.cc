// The lines of `rtr --interconnect` on a dragonfly.
#include "ugni_emu/gemini/links/dragonfly_file.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "ugni_emu/gemini/links/tile_map.h"

namespace gemini {
namespace {

std::string text_of(const Dragonfly& dragonfly, RouterTile at) {
  const GroupPlace place = dragonfly.group_place(at.router);
  return fmt::format("{}l{}{}({}:{}:{})", aries_name(dragonfly.shape().place_in_room(place, 0)),
                     row_of(at.tile), column_of(at.tile), place.group, place.chassis, place.slot);
}

}  // namespace

std::string interconnect_lines(const Dragonfly& dragonfly, RouterId router) {
  fmt::memory_buffer lines;
  for (Tile tile = 0; tile < kTiles; ++tile) {
    const RouterTile near{router, tile};
    const TilePlace place = place_of(dragonfly, near);
    std::string_view colour = "ptile";
    std::string far = "processor";
    if (place.link) {
      const Port port{router, *place.link};
      colour = dragonfly.link_classes()[dragonfly.link_class(port)].group;
      far = dragonfly.has_link(port) ? text_of(dragonfly, far_end(dragonfly, near)) : "unused";
    }
    fmt::format_to(std::back_inserter(lines), "{} {} -> {}\n", text_of(dragonfly, near), colour,
                   far);
  }
  return fmt::to_string(lines);
}

}  // namespace gemini
