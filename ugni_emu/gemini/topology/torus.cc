// The torus: tables of places, and the rules that place cables.
#include "ugni_emu/gemini/topology/torus.h"

#include <fmt/format.h>

#include <utility>

namespace gemini {
namespace {

// The classes of links, in the order of their numbers.
enum : LinkClassId { x_cable, y_mezzanine, y_cable, z_backplane, z_cable };

std::vector<LinkClass> classes() {
  using corespec::Parameters;
  return {{"X", LinkType::cable, &Parameters::tiles_x},
          {"Y", LinkType::mezzanine, &Parameters::tiles_y},
          {"Y", LinkType::cable, &Parameters::tiles_y},
          {"Z", LinkType::backplane, &Parameters::tiles_z},
          {"Z", LinkType::cable, &Parameters::tiles_z}};
}

}  // namespace

Torus Torus::parse(std::string_view text) { return Torus(TorusShape::parse(text)); }

Torus::Torus(const TorusShape& shape)
    : Topology(shape.name(), {shape.geminis(), 6, 2}, classes()), size_(shape.sizes()) {
  coordinates_.reserve(routers());
  for (std::uint16_t x = 0; x < size_[0]; ++x) {
    for (std::uint16_t y = 0; y < size_[1]; ++y) {
      for (std::uint16_t z = 0; z < size_[2]; ++z) coordinates_.push_back({x, y, z});
    }
  }
  for (Nid nid = 0; nid < nodes(); ++nid) {
    set_place(nid, {router_at(shape.coordinates_of(nid)), nid % 2});
  }
}

std::string Torus::shape() const { return fmt::format("{}x{}x{}", size_[0], size_[1], size_[2]); }

std::string Torus::title() const { return shape() + " torus"; }

std::string Torus::describe() const {
  return fmt::format("{}{}, {} Geminis, {} nodes", title(),
                     name() == shape() ? "" : " (" + name() + ")", routers(), nodes());
}

std::string_view Torus::link_name(unsigned link) const {
  return name_of(static_cast<Direction>(link));
}

LinkClassId Torus::link_class(Port port) const {
  const auto direction = static_cast<Direction>(port.link);
  const int dimension = dimension_of(direction);
  // The end that the link leaves in plus direction.
  const Coordinates at = coordinates(is_minus(direction) ? far_end(port).router : port.router);
  if (dimension == 0) return x_cable;
  if (dimension == 1) return at.y % 2 == 0 && at.y + 1 < size(1) ? y_mezzanine : y_cable;
  return at.z % kSlots != kSlots - 1 && at.z + 1 < size(2) ? z_backplane : z_cable;
}

std::vector<corespec::Setting> Torus::preset_settings() const {
  if (name() == "hopper") return {{"CASTOR_HOP_LATENCY", "108.75"}};
  return {};
}

}  // namespace gemini
