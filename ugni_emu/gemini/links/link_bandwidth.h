// What links move: the bandwidths of their classes and of the host port.
#pragma once

#include <string>

#include "corespec/config/parameters.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace gemini {

/// Raw bandwidth of a directed link: its tiles times their type's rate, in bytes per second.
double link_bandwidth(const corespec::Parameters& parameters, const LinkClass& link);

/// The same by its port; 0 where there is no link.
double link_bandwidth(const corespec::Parameters& parameters, const Topology& topology, Port port);

/// Raw bandwidth of a router's host port per direction, shared by its NICs.
double host_bandwidth(const corespec::Parameters& parameters);

/// All of them for a run's header: "X 9.38, Y 9.38 mezzanine and 4.69 cable, ..., host 10.40 GB/s
/// each way".
std::string describe_links(const corespec::Parameters& parameters, const Topology& topology);

}  // namespace gemini
