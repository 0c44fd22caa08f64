// Torus presets, the parser of shapes, and the rules that place nids and cables.
#include "ugni_emu/gemini/topology/torus.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <stdexcept>
#include <utility>

namespace gemini {
namespace {

constexpr int kLargestDimension = 128;
constexpr std::uint32_t kMostGeminis = 65536;

/// Hopper's rule, verified against all 6,528 published entries (gemini-facts, section 8).
Coordinates hopper_coordinates(Nid nid) {
  const Nid plane = nid / 384;  // 384 nids share an X
  const Nid column = nid % 384 / 48;
  const Nid step = nid % 48 / 2;
  const Nid x = plane == 0 ? 0 : 17 - plane;
  const Nid y = plane % 2 == 0 ? column : 7 - column;
  const Nid z = column % 2 == 0 ? step : 23 - step;
  return {static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y),
          static_cast<std::uint16_t>(z)};
}

/// "4x4x8" as three sizes; nothing where the text is not three numbers in range.
std::optional<std::array<std::uint16_t, 3>> parse_shape(std::string_view text) {
  std::array<std::uint16_t, 3> size{};
  const char* at = text.data();
  const char* const end = at + text.size();
  std::uint32_t geminis = 1;
  for (int dimension = 0; dimension < 3; ++dimension) {
    if (dimension > 0 && (at == end || *at++ != 'x')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, size[dimension]);
    if (error != std::errc() || size[dimension] < 1 || size[dimension] > kLargestDimension) {
      return std::nullopt;
    }
    geminis *= size[dimension];
    at = next;
  }
  if (at != end || geminis > kMostGeminis) return std::nullopt;
  return size;
}

constexpr int kCage = 8;  // slots of a cage, neighbours in Z over the backplane

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

Torus Torus::parse(std::string_view text) {
  if (text == "hopper") return Torus("hopper", {17, 8, 24});
  if (text == "cielo") return Torus("cielo", {16, 12, 24});
  if (const auto size = parse_shape(text)) return Torus(std::string(text), *size);
  throw std::invalid_argument(
      fmt::format("system (--system, CASTOR_SYSTEM) '{}': must be hopper, cielo or a torus XxYxZ "
                  "of Geminis like "
                  "4x4x8, each side 1 to {}, at most {} Geminis in all",
                  text, kLargestDimension, kMostGeminis));
}

Torus::Torus(std::string name, std::array<std::uint16_t, 3> size)
    : Topology(std::move(name), {RouterId{size[0]} * size[1] * size[2], 6, 2}, classes()),
      size_(size) {
  coordinates_.reserve(routers());
  for (std::uint16_t x = 0; x < size[0]; ++x) {
    for (std::uint16_t y = 0; y < size[1]; ++y) {
      for (std::uint16_t z = 0; z < size[2]; ++z) coordinates_.push_back({x, y, z});
    }
  }
  const bool hopper = this->name() == "hopper";
  for (Nid nid = 0; nid < nodes(); ++nid) {
    const RouterId router = hopper ? router_at(hopper_coordinates(nid)) : nid / 2;
    set_place(nid, {router, nid % 2});
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
  return at.z % kCage != kCage - 1 && at.z + 1 < size(2) ? z_backplane : z_cable;
}

std::vector<corespec::Setting> Torus::preset_settings() const {
  if (name() == "hopper") return {{"CASTOR_HOP_LATENCY", "108.75"}};
  return {};
}

}  // namespace gemini
