// A torus's name and sizes, and which nid sits where.
#include "ugni_emu/gemini/topology/torus_shape.h"

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace gemini {
namespace {

constexpr int kLargestDimension = 128;
constexpr std::uint32_t kMostGeminis = 65536;

/// Hopper's rule, verified against all 6,528 published entries (gemini-facts, section 8).
Coordinates hopper_coordinates(std::uint32_t nid) {
  const std::uint32_t plane = nid / 384;  // 384 nids share an X
  const std::uint32_t column = nid % 384 / 48;
  const std::uint32_t step = nid % 48 / 2;
  const std::uint32_t x = plane == 0 ? 0 : 17 - plane;
  const std::uint32_t y = plane % 2 == 0 ? column : 7 - column;
  const std::uint32_t z = column % 2 == 0 ? step : 23 - step;
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

}  // namespace

TorusShape TorusShape::parse(std::string_view text) {
  if (text == "hopper") return TorusShape("hopper", {17, 8, 24});
  if (text == "cielo") return TorusShape("cielo", {16, 12, 24});
  if (const auto sizes = parse_shape(text)) return TorusShape(std::string(text), *sizes);
  throw std::invalid_argument("system (--system, CASTOR_SYSTEM) '" + std::string(text) +
                              "': must be hopper, cielo, edison, "
                              "dragonfly:GROUPSxCHASSISxBLADESxNODES, or a torus XxYxZ of "
                              "Geminis like 4x4x8, each side 1 to " +
                              std::to_string(kLargestDimension) + ", at most " +
                              std::to_string(kMostGeminis) + " Geminis in all");
}

TorusShape::TorusShape(std::string name, std::array<std::uint16_t, 3> sizes)
    : name_(std::move(name)), sizes_(sizes), is_hopper_(name_ == "hopper") {}

Coordinates TorusShape::coordinates_of(std::uint32_t nid) const {
  if (is_hopper_) return hopper_coordinates(nid);
  const std::uint32_t gemini = nid / 2;
  return {static_cast<std::uint16_t>(gemini / sizes_[2] / sizes_[1]),
          static_cast<std::uint16_t>(gemini / sizes_[2] % sizes_[1]),
          static_cast<std::uint16_t>(gemini % sizes_[2])};
}

}  // namespace gemini
