// Where a job's nodes are in the network, for its page.
#include "launch/run_files/positions.h"

#include <utility>

namespace launch {

nlohmann::ordered_json positions_json(const gemini::Topology& topology,
                                      const std::vector<int>& nids) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const int number : nids) {
    const auto nid = static_cast<gemini::Nid>(number);
    rows.push_back({nid, topology.position(topology.router_of(nid))});
  }
  return {{"shape", topology.title()},
          {"router", topology.router_word()},
          {"axes", topology.position_names()},
          {"nodes", std::move(rows)}};
}

}  // namespace launch
