// All that a network counts.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "ugni_emu/gemini/counters/nic_counters.h"
#include "ugni_emu/gemini/counters/tile_counters.h"

namespace gemini {

struct NetworkCounters {
  NetworkCounters(const corespec::Parameters& parameters, std::shared_ptr<const Topology> topology)
      : nics(topology->nodes()), tiles(parameters, std::move(topology)) {}

  std::vector<NicCounters> nics;  ///< by nid
  TileCounters tiles;
};

}  // namespace gemini
