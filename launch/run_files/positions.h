// Where a job's nodes are in the network, for its page.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "ugni_emu/gemini/topology/topology.h"

namespace launch {

/// [nid, coordinates of its Gemini] of each.
nlohmann::ordered_json positions_json(const gemini::Topology& topology,
                                      const std::vector<int>& nids);

}  // namespace launch
