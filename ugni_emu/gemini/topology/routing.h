// Dimension-order routing: X, then Y, then Z, the shortest way round each ring, a tie goes plus.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ugni_emu/gemini/topology/torus.h"

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
std::string_view name_of(Direction direction);

/// The Gemini at the other end of a link, round the ring.
Coordinates neighbour(const Torus& torus, Coordinates at, Direction direction);

/// The next link on the way from `here` to `to`; nothing when already there. A route is static: it
/// depends on both ends only, so that a response, routed from its own source, takes another way
/// than its request wherever they turn.
std::optional<Direction> next_hop(const Torus& torus, Coordinates here, Coordinates to);

/// One link of a route: the Gemini that it leaves, and the direction.
struct Hop {
  Coordinates from;
  Direction direction;
  bool operator==(const Hop&) const = default;
};

/// The whole route, in order; empty within one Gemini.
std::vector<Hop> route(const Torus& torus, Coordinates from, Coordinates to);

/// What is left of a route, in one word: per leg 4 bits of direction and 16 bits of hops, the
/// present leg lowest. A router reads its link and takes one step without knowing the torus.
class RouteWord {
 public:
  constexpr RouteWord() = default;
  RouteWord(const Torus& torus, Coordinates from, Coordinates to);

  constexpr bool arrived() const { return legs_ == 0; }
  /// Direction of the next hop, as an index; not to be asked once arrived().
  constexpr unsigned direction() const { return static_cast<unsigned>(legs_ & 15); }
  constexpr void step() {
    legs_ -= 16;
    if ((legs_ & 0xffff0) == 0) legs_ >>= 20;
  }

 private:
  std::uint64_t legs_ = 0;
};

}  // namespace gemini
