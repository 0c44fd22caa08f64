// A torus's links and dimension-order routes: how far and which way round each ring.
#include "ugni_emu/gemini/topology/torus.h"

namespace gemini {
namespace {

std::uint16_t ring_step(std::uint16_t at, int size, bool minus) {
  if (minus) return static_cast<std::uint16_t>(at == 0 ? size - 1 : at - 1);
  return static_cast<std::uint16_t>(at + 1 == size ? 0 : at + 1);
}

/// The coordinate of a dimension.
std::uint16_t& part(Coordinates& at, int dimension) {
  return dimension == 0 ? at.x : dimension == 1 ? at.y : at.z;
}

}  // namespace

Port Torus::far_end(Port port) const {
  const auto direction = static_cast<Direction>(port.link);
  const int dimension = dimension_of(direction);
  if (size(dimension) == 1) return port;
  Coordinates at = coordinates(port.router);
  std::uint16_t& along = part(at, dimension);
  along = ring_step(along, size(dimension), is_minus(direction));
  return this->port(at, opposite(direction));
}

Torus::Leg Torus::ring_leg(int from, int to, int size) {
  int ahead = to - from;
  if (ahead < 0) ahead += size;
  if (2 * ahead <= size) return {static_cast<unsigned>(ahead), false};
  return {static_cast<unsigned>(size - ahead), true};
}

RouteWord Torus::word_of(const std::array<Leg, 3>& legs) {
  RouteWord word;
  for (unsigned dimension = 3; dimension-- > 0;) {
    const Leg leg = legs[dimension];
    if (leg.hops != 0) word.prepend(2 * dimension + (leg.minus ? 1U : 0U), leg.hops);
  }
  return word;
}

RouteWord Torus::route(RouterId from, RouterId to) const {
  const Coordinates a = coordinates(from), b = coordinates(to);
  return word_of(
      {ring_leg(a.x, b.x, size(0)), ring_leg(a.y, b.y, size(1)), ring_leg(a.z, b.z, size(2))});
}

bool Torus::all_usable(Coordinates at, int dimension, Leg leg, const IsUsable& usable) const {
  const auto direction = static_cast<Direction>(2 * dimension + (leg.minus ? 1 : 0));
  std::uint16_t& along = part(at, dimension);
  for (unsigned hop = 0; hop < leg.hops; ++hop) {
    if (!usable(port(at, direction))) return false;
    along = ring_step(along, size(dimension), leg.minus);
  }
  return true;
}

std::optional<RouteWord> Torus::route_around(RouterId from, RouterId to,
                                             const IsUsable& usable) const {
  Coordinates at = coordinates(from), target = coordinates(to);
  std::array<Leg, 3> legs;
  for (int dimension = 0; dimension < 3; ++dimension) {
    std::uint16_t& along = part(at, dimension);
    const std::uint16_t goal = part(target, dimension);
    Leg leg = ring_leg(along, goal, size(dimension));
    if (!all_usable(at, dimension, leg, usable)) {
      leg = {static_cast<unsigned>(size(dimension)) - leg.hops, !leg.minus};
      if (!all_usable(at, dimension, leg, usable)) return std::nullopt;
    }
    legs[static_cast<std::size_t>(dimension)] = leg;
    along = goal;
  }
  return word_of(legs);
}

unsigned Torus::diameter() const {
  return static_cast<unsigned>(size(0) / 2 + size(1) / 2 + size(2) / 2);
}

bool Torus::closes_ring(Coordinates at, Direction direction) const {
  const int dimension = dimension_of(direction);
  return part(at, dimension) == (is_minus(direction) ? 0 : size(dimension) - 1);
}

unsigned Torus::buffer_class(Port out, std::optional<Port> in, unsigned held) const {
  const auto direction = static_cast<Direction>(out.link);
  if (closes_ring(coordinates(out.router), direction)) return 1;
  const bool straight =
      in.has_value() && dimension_of(static_cast<Direction>(in->link)) == dimension_of(direction);
  return straight ? held : 0;
}

}  // namespace gemini
