// Torus presets, the parser of shapes, and the rules that place nids.
#include "ugni_emu/gemini/topology/torus.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
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

int ring_distance(int from, int to, int size) {
  const int direct = std::abs(to - from);
  return std::min(direct, size - direct);
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
    : name_(std::move(name)), size_(size), at_(gemini_count()), first_nid_(gemini_count()) {
  const bool hopper = name_ == "hopper";
  for (Nid nid = 0; nid < node_count(); nid += 2) {
    const Coordinates at = hopper ? hopper_coordinates(nid) : coordinates(nid / 2);
    at_[nid / 2] = at;
    first_nid_[gemini_at(at)] = nid;
  }
}

std::string Torus::shape() const { return fmt::format("{}x{}x{}", size_[0], size_[1], size_[2]); }

Coordinates Torus::coordinates(GeminiId gemini) const {
  const GeminiId row = gemini / size_[2];
  return {static_cast<std::uint16_t>(row / size_[1]), static_cast<std::uint16_t>(row % size_[1]),
          static_cast<std::uint16_t>(gemini % size_[2])};
}

int Torus::hops(Coordinates from, Coordinates to) const {
  return ring_distance(from.x, to.x, size_[0]) + ring_distance(from.y, to.y, size_[1]) +
         ring_distance(from.z, to.z, size_[2]);
}

std::vector<corespec::Setting> Torus::preset_settings() const {
  if (name_ == "hopper") return {{"CASTOR_HOP_LATENCY", "108.75"}};
  return {};
}

}  // namespace gemini
