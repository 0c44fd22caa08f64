// What a job is on the machine, on either clock.
#include "launch/machine/job_nodes.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <string>

namespace launch {

corespec::Parameters job_parameters(const std::vector<corespec::Setting>& settings,
                                    const gemini::Torus& torus) {
  std::vector<corespec::Setting> all = torus.preset_settings();
  all.insert(all.end(), settings.begin(), settings.end());
  std::vector<std::string> errors;
  corespec::Parameters parameters = corespec::read_parameters(all, errors);
  if (!errors.empty()) throw std::invalid_argument(errors.front());
  return parameters;
}

std::vector<int> choose_nids(int ranks, int per_node, std::vector<int> wanted,
                             const gemini::Torus& torus) {
  const int needed = (ranks + per_node - 1) / per_node;
  std::vector<int> nids = std::move(wanted);
  if (nids.empty()) {
    for (int nid = 0; nid < needed; ++nid) nids.push_back(nid);
  }
  if (static_cast<int>(nids.size()) < needed) {
    throw std::invalid_argument(fmt::format("-L: {} nodes for {} ranks, {} to a node; {} needed",
                                            nids.size(), ranks, per_node, needed));
  }
  nids.resize(static_cast<std::size_t>(needed));
  std::set<int> seen;
  for (int nid : nids) {
    if (nid < 0 || !torus.contains(static_cast<gemini::Nid>(nid))) {
      throw std::invalid_argument(
          fmt::format("{} ranks, {} to a node: node {} is not in {}; allowed is 0 to {}", ranks,
                      per_node, nid, torus.name(), torus.node_count() - 1));
    }
    if (!seen.insert(nid).second) {
      throw std::invalid_argument(fmt::format("-L: node {} appears twice", nid));
    }
  }
  return nids;
}

}  // namespace launch
