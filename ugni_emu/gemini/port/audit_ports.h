// What a network's NIC ports still hold, as every fidelity finds it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// For a network in which nothing is left to happen: a line for each port that waits for something.
/// `router_at(number)` has port(nic).
template <typename RouterAt>
void audit_ports(const Topology& topology, const RouterAt& router_at,
                 std::vector<std::string>& found) {
  for (Nid nid = 0; nid < topology.nodes(); ++nid) {
    const Place place = topology.place(nid);
    const std::size_t count = router_at(place.router).port(place.nic).unfinished();
    if (count == 0) continue;
    found.push_back(fmt::format("the network's port of nid{:05} waits for {} transaction{}", nid,
                                count, count == 1 ? "" : "s"));
  }
}

}  // namespace gemini
