// The tables of every topology, and what follows from them.
#include "ugni_emu/gemini/topology/topology.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace gemini {
namespace {

constexpr RouterId most_routers = 1U << 24;  // Place::router

}  // namespace

std::string_view name_of(LinkType type) {
  constexpr std::array<std::string_view, 6> names = {"mezzanine",  "backplane", "cable",
                                                     "electrical", "optical",   "host"};
  return names[static_cast<std::size_t>(type)];
}

Topology::Topology(std::string name, Sizes sizes, std::vector<LinkClass> link_classes)
    : name_(std::move(name)),
      sizes_(sizes),
      link_classes_(std::move(link_classes)),
      places_(sizes.nodes != 0 ? sizes.nodes : std::size_t{sizes.routers} * sizes.nics),
      nids_(std::size_t{sizes.routers} * sizes.nics, no_node) {
  if (sizes.links > RouteWord::most_links || sizes.routers > most_routers) {
    throw std::length_error("a topology beyond what routes and places can name");
  }
}

void Topology::set_place(Nid nid, Place place) {
  places_[nid] = place;
  nids_[place.router * sizes_.nics + place.nic] = nid;
}

std::vector<Port> Topology::path(RouterId from, RouterId to) const {
  std::vector<Port> ports;
  for (RouteWord word = route(from, to); !word.arrived(); word.step()) {
    const Port port{from, static_cast<std::uint8_t>(word.link())};
    ports.push_back(port);
    from = far_end(port).router;
  }
  return ports;
}

std::optional<RouteWord> Topology::route_around(RouterId from, RouterId to,
                                                const IsUsable& usable) const {
  const std::vector<Port> ports = path(from, to);
  if (!std::all_of(ports.begin(), ports.end(), usable)) return std::nullopt;
  return route(from, to);
}

}  // namespace gemini
