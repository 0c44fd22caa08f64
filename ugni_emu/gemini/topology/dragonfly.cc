// The dragonfly: tables of places, colours of links and their tiles.
#include "ugni_emu/gemini/topology/dragonfly.h"

#include <fmt/format.h>

#include <utility>

#include "ugni_emu/gemini/topology/dragonfly_links.h"

namespace gemini {
namespace {

std::vector<LinkClass> dragonfly_classes() {
  using corespec::Parameters;
  return {{"green", LinkType::electrical, &Parameters::tiles_green},
          {"black", LinkType::electrical, &Parameters::tiles_black},
          {"blue", LinkType::optical, &Parameters::tiles_blue}};
}

constexpr std::array<std::string_view, kDragonflyLinks> kNames = {
    "green0", "green1",  "green2",  "green3",  "green4",  "green5",  "green6",  "green7", "green8",
    "green9", "green10", "green11", "green12", "green13", "green14", "green15", "black0", "black1",
    "black2", "black3",  "black4",  "black5",  "blue0",   "blue1",   "blue2",   "blue3",  "blue4"};

// Tiles of a link, by colour, and the first tile of the colour's links.
constexpr unsigned kGreenTiles = 1, kBlackTiles = 3, kBlueTiles = 2;
constexpr unsigned kFirstBlack = (DragonflyShape::most_slots - 1) * kGreenTiles;
constexpr unsigned kFirstBlue = kFirstBlack + (DragonflyShape::most_chassis - 1) * kBlackTiles;
constexpr unsigned kFirstHost = kFirstBlue + DragonflyShape::most_blue_links * kBlueTiles;
static_assert(kFirstHost == kTiles - kTileColumns);  // the last row

constexpr std::array<Tile, kTiles> kInOrder = [] {
  std::array<Tile, kTiles> tiles{};
  for (unsigned tile = 0; tile < kTiles; ++tile) tiles[tile] = static_cast<Tile>(tile);
  return tiles;
}();

std::span<const Tile> tile_span(unsigned first, unsigned count) {
  return std::span(kInOrder).subspan(first, count);
}

/// Tiles of the link to `to`, of those to all others than `own`.
std::span<const Tile> tiles_to(unsigned to, unsigned own, unsigned first, unsigned count) {
  if (to == own) return {};
  return tile_span(first + (to < own ? to : to - 1) * count, count);
}

}  // namespace

Dragonfly Dragonfly::parse(std::string_view text) { return Dragonfly(DragonflyShape::parse(text)); }

Dragonfly::Dragonfly(DragonflyShape shape)
    : Topology(shape.name(), {shape.routers(), kDragonflyLinks, shape.nics(), shape.nodes()},
               dragonfly_classes()),
      shape_(std::move(shape)),
      links_per_pair_(shape_.links_per_pair()) {
  places_.reserve(routers());
  for (RouterId router = 0; router < routers(); ++router) {
    places_.push_back(shape_.place_of_router(router));
  }
  for (Nid nid = 0; nid < nodes(); ++nid) {
    set_place(nid, {nid / nics_per_router(), nid % nics_per_router()});
  }
}

Dragonfly::Colour Dragonfly::colour_of(unsigned link) {
  if (link < kFirstBlackLink) return Colour::green;
  return link < kFirstBlueLink ? Colour::black : Colour::blue;
}

std::vector<unsigned> Dragonfly::position(RouterId router) const {
  const GroupPlace at = places_[router];
  return {at.group, at.chassis, at.slot};
}

LinkClassId Dragonfly::link_class(Port port) const {
  return static_cast<LinkClassId>(colour_of(port.link));
}

std::string_view Dragonfly::link_name(unsigned link) const { return kNames.at(link); }

std::span<const Tile> Dragonfly::tiles_of(Port port) const {
  const GroupPlace at = places_[port.router];
  switch (colour_of(port.link)) {
    case Colour::green:
      return tiles_to(port.link, at.slot, 0, kGreenTiles);
    case Colour::black:
      return tiles_to(port.link - kFirstBlackLink, at.chassis, kFirstBlack, kBlackTiles);
    case Colour::blue:
      break;
  }
  return tile_span(kFirstBlue + (port.link - kFirstBlueLink) * kBlueTiles, kBlueTiles);
}

std::span<const Tile> Dragonfly::host_tiles() const { return tile_span(kFirstHost, kTileColumns); }

std::string Dragonfly::title() const {
  return fmt::format("{}x{}x{} dragonfly", shape_.groups(), shape_.chassis(), shape_.slots());
}

std::string Dragonfly::describe() const {
  return fmt::format("{}{}, {} routers, {} nodes with Gemini NICs", title(),
                     name() == "edison" ? " (edison)" : "", routers(), nodes());
}

std::vector<corespec::Setting> Dragonfly::preset_settings() const {
  return {{"CASTOR_HOP_LATENCY", "100"}, {"CASTOR_TILE_HOST", "8"}};
}

}  // namespace gemini
