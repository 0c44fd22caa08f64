// A dragonfly's name and sizes, and which nid sits where.
#include "ugni_emu/gemini/topology/dragonfly_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace gemini {
namespace {

constexpr std::string_view kPrefix = "dragonfly:";
constexpr unsigned kChassisOfCabinet = 3, kCabinetsOfRow = 8;
constexpr std::uint32_t kEdisonNodes = 5586;
constexpr unsigned kEdisonGap = 12;  // where in its rows a group is missing

using Sizes = std::array<unsigned, 4>;  // groups, chassis, blades, nodes

/// "3x2x4x4" as four sizes; nothing where the text is not four numbers in range.
std::optional<Sizes> parse_sizes(std::string_view text) {
  Sizes sizes{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (k > 0 && (at == end || *at++ != 'x')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, sizes[k]);
    if (error != std::errc() || sizes[k] < 1) return std::nullopt;
    at = next;
  }
  const auto [groups, chassis, slots, nics] = sizes;
  const bool in_range = at == end && chassis <= DragonflyShape::most_chassis &&
                        slots <= DragonflyShape::most_slots && nics <= DragonflyShape::most_nics &&
                        groups - 1 <= DragonflyShape::most_blue_links * chassis * slots;
  if (!in_range) return std::nullopt;
  return sizes;
}

std::string cabinet_and_slot(const NodePlace& place) {
  return fmt::format("c{}-{}c{}s{}", place.column, place.row, place.cage, place.slot);
}

}  // namespace

std::string node_name(const NodePlace& place) {
  return fmt::format("{}n{}", cabinet_and_slot(place), place.node);
}

std::string aries_name(const NodePlace& place) { return cabinet_and_slot(place) + "a0"; }

bool DragonflyShape::is_meant(std::string_view text) {
  return text == "edison" || text.starts_with(kPrefix);
}

DragonflyShape DragonflyShape::parse(std::string_view text) {
  DragonflyShape shape;
  shape.is_edison_ = text == "edison";
  std::optional<Sizes> sizes;
  if (shape.is_edison_) sizes = {15, 6, 16, 4};
  if (text.starts_with(kPrefix)) sizes = parse_sizes(text.substr(kPrefix.size()));
  if (!sizes) {
    throw std::invalid_argument(fmt::format(
        "system (--system, CASTOR_SYSTEM) '{}': a dragonfly must be edison or "
        "dragonfly:GROUPSxCHASSISxBLADESxNODES like dragonfly:3x2x4x4, with 1 to {} chassis in a "
        "group, 1 to {} blades in a chassis, 1 to {} nodes on a blade, and 1 to "
        "{}*CHASSIS*BLADES+1 groups",
        text, most_chassis, most_slots, most_nics, most_blue_links));
  }
  shape.name_ = text;
  shape.groups_ = (*sizes)[0];
  shape.chassis_ = (*sizes)[1];
  shape.slots_ = (*sizes)[2];
  shape.nics_ = (*sizes)[3];
  shape.nodes_ = shape.is_edison_ ? kEdisonNodes : shape.routers() * shape.nics_;
  return shape;
}

unsigned DragonflyShape::links_per_pair() const {
  if (groups_ == 1) return 0;
  const unsigned of_chassis = 2 * slots_ / (groups_ - 1);
  if (of_chassis > 0) return chassis_ * of_chassis;
  return std::max(2 * routers_per_group() / (groups_ - 1), 1U);
}

GroupPlace DragonflyShape::place_of_router(std::uint32_t router) const {
  return {static_cast<std::uint16_t>(router / routers_per_group()),
          static_cast<std::uint16_t>(router / slots_ % chassis_),
          static_cast<std::uint16_t>(router % slots_)};
}

NodePlace DragonflyShape::node_place(std::uint32_t nid) const {
  return place_in_room(place_of(nid), nid % nics_);
}

NodePlace DragonflyShape::place_in_room(GroupPlace at, unsigned nic) const {
  const unsigned cabinets = (chassis_ + kChassisOfCabinet - 1) / kChassisOfCabinet;
  const unsigned group = at.group + (is_edison_ && at.group >= kEdisonGap ? 1U : 0U);
  const unsigned cabinet = group * cabinets + at.chassis / kChassisOfCabinet;
  NodePlace place;
  place.column = static_cast<std::uint16_t>(cabinet % kCabinetsOfRow);
  place.row = static_cast<std::uint16_t>(cabinet / kCabinetsOfRow);
  place.cage = static_cast<std::uint16_t>(at.chassis % kChassisOfCabinet);
  place.slot = at.slot;
  place.node = static_cast<std::uint16_t>(nic);
  return place;
}

}  // namespace gemini
