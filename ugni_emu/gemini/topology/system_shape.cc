// A system of either kind, and which nid sits where.
#include "ugni_emu/gemini/topology/system_shape.h"

#include "ugni_emu/gemini/topology/cabinet_place.h"

namespace gemini {
namespace {

using Three = std::array<std::uint16_t, 3>;

NodePlace place_in(const TorusShape& torus, std::uint32_t nid) {
  const CabinetPlace at = cabinet_place(torus.coordinates_of(nid), torus.sizes());
  NodePlace place{at.column, at.row, at.cage, at.slot, 0, at.gemini};
  // A blade's nodes 0 and 1 share its Gemini 0.
  place.node = static_cast<std::uint16_t>(2U * at.gemini + nid % 2);
  return place;
}

NodePlace place_in(const DragonflyShape& dragonfly, std::uint32_t nid) {
  return dragonfly.node_place(nid);
}

Three coordinates_in(const TorusShape& torus, std::uint32_t nid) {
  const Coordinates at = torus.coordinates_of(nid);
  return {at.x, at.y, at.z};
}

Three coordinates_in(const DragonflyShape& dragonfly, std::uint32_t nid) {
  const GroupPlace at = dragonfly.place_of(nid);
  return {at.group, at.chassis, at.slot};
}

Three sizes_of(const TorusShape& torus) { return torus.sizes(); }

Three sizes_of(const DragonflyShape& dragonfly) {
  return {static_cast<std::uint16_t>(dragonfly.groups()),
          static_cast<std::uint16_t>(dragonfly.chassis()),
          static_cast<std::uint16_t>(dragonfly.slots())};
}

}  // namespace

SystemShape SystemShape::parse(std::string_view system) {
  if (DragonflyShape::is_meant(system)) return SystemShape(DragonflyShape::parse(system));
  return SystemShape(TorusShape::parse(system));
}

std::uint32_t SystemShape::nodes() const {
  return std::visit([](const auto& shape) { return shape.nodes(); }, shape_);
}

NodePlace SystemShape::place_of(std::uint32_t nid) const {
  return std::visit([nid](const auto& shape) { return place_in(shape, nid); }, shape_);
}

Three SystemShape::coordinates_of(std::uint32_t nid) const {
  return std::visit([nid](const auto& shape) { return coordinates_in(shape, nid); }, shape_);
}

Three SystemShape::greatest_coordinates() const {
  Three greatest = std::visit([](const auto& shape) { return sizes_of(shape); }, shape_);
  for (std::uint16_t& each : greatest) --each;
  return greatest;
}

}  // namespace gemini
