// The six directions of a torus, which number a router's links.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gemini {

/// A directed link of a Gemini, named by where it leads.
enum class Direction : std::uint8_t { x_plus, x_minus, y_plus, y_minus, z_plus, z_minus };

inline constexpr std::array<Direction, 6> kDirections = {Direction::x_plus, Direction::x_minus,
                                                         Direction::y_plus, Direction::y_minus,
                                                         Direction::z_plus, Direction::z_minus};

constexpr int dimension_of(Direction direction) { return static_cast<int>(direction) / 2; }
constexpr bool is_minus(Direction direction) { return static_cast<int>(direction) % 2 != 0; }
constexpr Direction opposite(Direction direction) {
  return static_cast<Direction>(static_cast<int>(direction) ^ 1);
}
/// "X+", "X-", "Y+", "Y-", "Z+", "Z-".
constexpr std::string_view name_of(Direction direction) {
  constexpr std::array<std::string_view, 6> names = {"X+", "X-", "Y+", "Y-", "Z+", "Z-"};
  return names[static_cast<std::size_t>(direction)];
}

}  // namespace gemini
