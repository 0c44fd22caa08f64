// The port of a NIC by its address, as every fidelity finds it.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

#include "corespec/events/event_domain.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// Where a client is to be attached; its calls are to happen in `domain`. `router_at(number)` has
/// port(nic) and nodes_domain(). Throws std::invalid_argument where the topology has no such node,
/// where a NIC is attached there already, or where `domain` is not that of the router's nodes.
template <typename RouterAt>
auto& port_to_attach(const Topology& topology, const RouterAt& router_at, Nid address,
                     const corespec::EventDomain& domain) {
  if (!topology.contains(address)) {
    throw std::invalid_argument(fmt::format("nid {}: the {} has nids 0 to {}", address,
                                            topology.title(), topology.nodes() - 1));
  }
  const Place place = topology.place(address);
  auto& router = router_at(place.router);
  if (&router.nodes_domain() != &domain) {
    throw std::invalid_argument(
        fmt::format("nid {}: its NIC belongs in its Gemini's event domain", address));
  }
  auto& port = router.port(place.nic);
  if (port.attached()) {
    throw std::invalid_argument(fmt::format("nid {}: a NIC is attached already", address));
  }
  return port;
}

/// Throws std::invalid_argument where no NIC is attached.
template <typename RouterAt>
auto& attached_port(const Topology& topology, const RouterAt& router_at, Nid address) {
  if (topology.contains(address)) {
    const Place place = topology.place(address);
    auto& port = router_at(place.router).port(place.nic);
    if (port.attached()) return port;
  }
  throw std::invalid_argument(fmt::format("nid {}: no NIC is attached there", address));
}

}  // namespace gemini
