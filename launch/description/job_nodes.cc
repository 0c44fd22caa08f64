// What a job is on the machine, on either clock.
#include "launch/description/job_nodes.h"

#include <fmt/format.h>
#include <algorithm>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string>

#include "corespec/host/printable.h"
#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "launch/description/options.h"
#include "netmod/mpi/collectives/rules/choice.h"
#include "ugni_emu/gemini/topology/make_topology.h"

namespace launch {

std::vector<corespec::Setting> job_variables(std::uint64_t apid, int depth) {
  return {{"ALPS_APP_ID", fmt::format("{}", apid)},
          {"ALPS_APP_DEPTH", fmt::format("{}", depth)},
          {"PMI_GNI_PTAG", fmt::format("{}", corespec::Job::user_ptag)},
          {"PMI_GNI_COOKIE", fmt::format("{}", corespec::Job::user_cookie)},
          {"PMI_GNI_DEV_ID", "0"}};
}

void set_job_variables(const corespec::Process& rank, int depth) {
  for (const auto& [name, value] : job_variables(rank.job().apid(), depth)) {
    setenv(name.c_str(), value.c_str(), 0);
  }
  setenv("ALPS_APP_PE", fmt::format("{}", rank.job().place_of(rank.rank())).c_str(), 0);
  // A NIC's address is its node's number.
  setenv("PMI_GNI_LOC_ADDR", fmt::format("{}", rank.node().nid()).c_str(), 0);
}

namespace {

/// What the parameter table takes as any text, and only the parts that use it can read.
void check_texts(const corespec::Parameters& parameters, const gemini::Topology& topology) {
  if (parameters.system != topology.name()) gemini::make_topology(parameters.system);
  if (!parameters.node_list.empty()) {
    parse_number_list("CASTOR_NODE_LIST", parameters.node_list);
  }
  std::vector<std::vector<int>> lists;
  parse_binding("CASTOR_CPU_BINDING", parameters.cpu_binding, lists);
  try {
    netmod::parse_rules(parameters.collectives);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("CASTOR_COLLECTIVES: {}", error.what()));
  }
}

}  // namespace

void decide_counters(std::vector<corespec::Setting>& settings, bool wanted) {
  constexpr const char* variable = "CASTOR_COUNTERS";
  const auto last = std::find_if(settings.rbegin(), settings.rend(),
                                 [](const auto& setting) { return setting.first == variable; });
  if (last != settings.rend() && last->second != "auto") return;
  settings.emplace_back(variable, wanted ? "on" : "off");
}

corespec::Parameters job_parameters(const std::vector<corespec::Setting>& settings,
                                    const gemini::Topology& topology) {
  std::vector<corespec::Setting> all = topology.preset_settings();
  all.insert(all.end(), settings.begin(), settings.end());
  std::vector<std::string> errors;
  corespec::Parameters parameters = corespec::read_parameters(all, errors);
  if (!errors.empty()) throw std::invalid_argument(errors.front());
  check_texts(parameters, topology);
  return parameters;
}

std::vector<int> choose_nids(int needed, std::vector<int> wanted,
                             const gemini::Topology& topology) {
  std::vector<int> nids = std::move(wanted);
  if (nids.empty()) {
    for (int nid = 0; nid < needed; ++nid) nids.push_back(nid);
  }
  if (static_cast<int>(nids.size()) < needed) {
    throw std::invalid_argument(
        fmt::format("node list (-L, CASTOR_NODE_LIST): {} nodes; {} needed (a node's ranks share "
                    "a host)",
                    nids.size(), needed));
  }
  nids.resize(static_cast<std::size_t>(needed));
  std::set<int> seen;
  for (int nid : nids) {
    if (nid < 0 || !topology.contains(static_cast<gemini::Nid>(nid))) {
      throw std::invalid_argument(
          fmt::format("{} node{} needed: node {} is not in {}; allowed is 0 to {}", needed,
                      needed == 1 ? "" : "s", nid, topology.name(), topology.nodes() - 1));
    }
    if (!seen.insert(nid).second) {
      throw std::invalid_argument(
          fmt::format("node list (-L, CASTOR_NODE_LIST): node {} appears twice", nid));
    }
  }
  return nids;
}

void print_warnings(std::string_view speaker, const std::vector<corespec::Setting>& settings,
                    corespec::RunKind run) {
  for (const std::string& line : corespec::setting_warnings(settings, run)) {
    fmt::print(stderr, "{}: warning: {}\n", speaker, corespec::printable(line));
  }
}

}  // namespace launch
