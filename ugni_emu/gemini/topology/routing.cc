// Dimension-order routes: how far and which way round each ring.
#include "ugni_emu/gemini/topology/routing.h"

namespace gemini {
namespace {

struct Leg {
  int hops = 0;
  bool minus = false;
};

/// The shortest way round one ring; a tie goes plus (PPT's rule).
Leg ring_leg(int from, int to, int size) {
  int ahead = to - from;
  if (ahead < 0) ahead += size;
  if (2 * ahead <= size) return {ahead, false};
  return {size - ahead, true};
}

std::array<Leg, 3> legs_between(const Torus& torus, Coordinates from, Coordinates to) {
  return {ring_leg(from.x, to.x, torus.size(0)), ring_leg(from.y, to.y, torus.size(1)),
          ring_leg(from.z, to.z, torus.size(2))};
}

std::uint16_t ring_step(std::uint16_t at, int size, bool minus) {
  if (minus) return static_cast<std::uint16_t>(at == 0 ? size - 1 : at - 1);
  return static_cast<std::uint16_t>(at + 1 == size ? 0 : at + 1);
}

}  // namespace

std::string_view name_of(Direction direction) {
  constexpr std::array<std::string_view, 6> names = {"X+", "X-", "Y+", "Y-", "Z+", "Z-"};
  return names[static_cast<std::size_t>(direction)];
}

Coordinates neighbour(const Torus& torus, Coordinates at, Direction direction) {
  const int dimension = dimension_of(direction);
  std::uint16_t& part = dimension == 0 ? at.x : dimension == 1 ? at.y : at.z;
  part = ring_step(part, torus.size(dimension), is_minus(direction));
  return at;
}

std::optional<Direction> next_hop(const Torus& torus, Coordinates here, Coordinates to) {
  const RouteWord word(torus, here, to);
  if (word.arrived()) return std::nullopt;
  return static_cast<Direction>(word.direction());
}

std::vector<Hop> route(const Torus& torus, Coordinates from, Coordinates to) {
  std::vector<Hop> hops;
  for (RouteWord word(torus, from, to); !word.arrived(); word.step()) {
    const auto direction = static_cast<Direction>(word.direction());
    hops.push_back({from, direction});
    from = neighbour(torus, from, direction);
  }
  return hops;
}

RouteWord::RouteWord(const Torus& torus, Coordinates from, Coordinates to) {
  const std::array<Leg, 3> legs = legs_between(torus, from, to);
  for (int dimension = 2; dimension >= 0; --dimension) {
    const Leg leg = legs[static_cast<std::size_t>(dimension)];
    if (leg.hops == 0) continue;
    const unsigned direction = 2U * static_cast<unsigned>(dimension) + (leg.minus ? 1U : 0U);
    legs_ = legs_ << 20 | static_cast<std::uint64_t>(leg.hops) << 4 | direction;
  }
}

}  // namespace gemini
