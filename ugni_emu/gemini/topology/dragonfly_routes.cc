// A dragonfly's links and minimal routes.
#include "ugni_emu/gemini/topology/dragonfly.h"
#include "ugni_emu/gemini/topology/dragonfly_links.h"

namespace gemini {
namespace {

/// Of the other groups, which one is `other`, seen from `group`; and the inverse.
unsigned number_among_others(unsigned group, unsigned other) {
  return other < group ? other : other - 1;
}
unsigned other_group(unsigned group, unsigned number) {
  return number < group ? number : number + 1;
}

/// Within a group: to the slot first, then to the chassis.
void prepend_local(RouteWord& legs, GroupPlace from, GroupPlace to) {
  if (from.chassis != to.chassis) legs.prepend(kFirstBlackLink + to.chassis, 1);
  if (from.slot != to.slot) legs.prepend(to.slot, 1);
}

}  // namespace

Port Dragonfly::far_end(Port port) const {
  GroupPlace at = places_[port.router];
  switch (colour_of(port.link)) {
    case Colour::green: {
      if (port.link >= shape_.slots() || port.link == at.slot) return port;
      const auto back = static_cast<std::uint8_t>(at.slot);
      at.slot = port.link;
      return {router_at(at), back};
    }
    case Colour::black: {
      const unsigned chassis = port.link - kFirstBlackLink;
      if (chassis >= shape_.chassis() || chassis == at.chassis) return port;
      const auto back = static_cast<std::uint8_t>(kFirstBlackLink + at.chassis);
      at.chassis = static_cast<std::uint16_t>(chassis);
      return {router_at(at), back};
    }
    case Colour::blue:
      break;
  }
  return far_blue_end(port);
}

Port Dragonfly::far_blue_end(Port port) const {
  const GroupPlace at = places_[port.router];
  const unsigned others = shape_.groups() - 1;
  const unsigned number =
      (port.link - kFirstBlueLink) * shape_.routers_per_group() + number_in_group(at);
  if (number >= others * links_per_pair_) return port;
  const unsigned group = other_group(at.group, number % others);
  const BlueEnd end = blue_end(group, at.group, number / others);
  return {router_at(end.router), static_cast<std::uint8_t>(kFirstBlueLink + end.number)};
}

/// In `group`, of its link number `link` to the group `other`.
Dragonfly::BlueEnd Dragonfly::blue_end(unsigned group, unsigned other, unsigned link) const {
  const unsigned number = link * (shape_.groups() - 1) + number_among_others(group, other);
  const unsigned routers = shape_.routers_per_group();
  GroupPlace at = shape_.place_of_router(number % routers);
  at.group = static_cast<std::uint16_t>(group);
  return {at, number / routers};
}

RouteWord Dragonfly::route(RouterId from, RouterId to) const {
  const GroupPlace a = places_[from], b = places_[to];
  RouteWord legs;
  if (a.group == b.group) {
    prepend_local(legs, a, b);
    return legs;
  }
  const unsigned s = number_in_group(a), t = number_in_group(b);
  const unsigned link = (s + t + t / links_per_pair_) % links_per_pair_;
  const BlueEnd leave = blue_end(a.group, b.group, link);
  const BlueEnd enter = blue_end(b.group, a.group, link);
  prepend_local(legs, enter.router, b);
  legs.prepend(kFirstBlueLink + leave.number, 1);
  prepend_local(legs, a, leave.router);
  return legs;
}

unsigned Dragonfly::diameter() const {
  const unsigned local = (shape_.slots() > 1 ? 1U : 0U) + (shape_.chassis() > 1 ? 1U : 0U);
  return shape_.groups() > 1 ? 2 * local + 1 : local;
}

unsigned Dragonfly::buffer_class(Port out, std::optional<Port> in, unsigned held) const {
  if (colour_of(out.link) == Colour::blue || !in) return 0;
  return colour_of(in->link) == Colour::blue ? 1 : held;
}

}  // namespace gemini
