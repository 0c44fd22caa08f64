// The environment of a live job's processes.
#include "launch/live_launcher/live_environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "corespec/config/parameters.h"
#include "launch/description/job_nodes.h"
#include "launch/description/job_setup.h"

namespace launch {
namespace {

bool begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

/// What an outer launcher told this process, which is not for the ranks. PMIX_MCA_... are a user's
/// settings of the library.
bool is_outer_launchers(std::string_view name) {
  return (begins(name, "PMIX_") && !begins(name, "PMIX_MCA_")) || begins(name, "PMI_") ||
         begins(name, "ALPS_APP_");
}

std::string binding_text(const AprunOptions& options) {
  switch (options.binding) {
    case CpuBinding::cpu:
      return options.depth > 1 ? "depth" : "cpu";
    case CpuBinding::depth:
      return "depth";
    case CpuBinding::numa_node:
      return "numa_node";
    case CpuBinding::none:
      return "none";
    case CpuBinding::list:
      break;
  }
  std::vector<std::string> lists;
  for (const std::vector<int>& cpus : options.cpu_lists) {
    lists.push_back(fmt::format("{}", fmt::join(cpus, ",")));
  }
  return fmt::format("{}", fmt::join(lists, ":"));
}

}  // namespace

void refuse_virtual_options(const AprunOptions& options) {
  const auto refuse = [](std::string_view option, std::string_view why) {
    throw UsageError(fmt::format("{}: {}", option, why));
  };
  constexpr std::string_view host = "live, nodes have the host's CPUs; leave it out";
  constexpr std::string_view counting = "live, Geminis do not count; leave it out";
  if (!options.counters.empty()) refuse("--counters", counting);
  constexpr std::string_view paths =
      "live, packets take the host's network, which writes no records; leave it out";
  if (!options.telemetry_file.empty()) refuse("--telemetry-file", paths);
  constexpr std::string_view clock = "live, computing takes the host's time; leave it out";
  constexpr std::string_view ranks = "live, each rank is a process; leave it out";
  for (const std::string& name : options.node_options) refuse(name, host);
  for (const auto& [name, value] : options.settings) {
    if (name == "CASTOR_WORKERS") refuse("--workers", ranks);
    if (name == "CASTOR_COMPUTE") refuse("--compute", clock);
    if (name == "CASTOR_TELEMETRY") refuse("--telemetry", paths);
    if (name == "CASTOR_AUDIT") {
      refuse("--audit", "live, a rank's process takes all it has with it; leave it out");
    }
    if (name == "CASTOR_COUNTERS_EVERY") refuse("--counters-every", counting);
    if (name == "CASTOR_FIDELITY") {
      refuse("--fidelity", "live, messages take the host's network; leave it out");
    }
    if (name == "CASTOR_COMPUTE_FACTOR") refuse("--compute-factor", clock);
  }
}

void print_unused(const AprunOptions& options) {
  if (!options.system_given) return;
  fmt::print(stderr,
             "{}: warning: --system: live, messages take the host's network; {} says where nodes "
             "are, and no more\n",
             options.called, options.system);
}

Variables live_variables(const AprunOptions& options, const LiveLayout& job) {
  Variables variables;
  for (auto& [name, value] : corespec::environment()) {
    if (!is_outer_launchers(name)) variables[name] = value;
  }
  for (const auto& [name, value] : options.environment) variables[name] = value;
  for (const auto& [name, value] : options.settings) variables[name] = value;
  for (const auto& [name, value] : job_variables(job.apid, options.depth)) variables[name] = value;
  variables.try_emplace(fortran_keeps_nothing_back.first, fortran_keeps_nothing_back.second);
  variables["CASTOR_CLOCK"] = "live";
  variables["CASTOR_SYSTEM"] = options.system;
  variables["CASTOR_RANKS_PER_NODE"] = fmt::format("{}", job.ranks_per_node);
  variables["CASTOR_NODE_LIST"] = fmt::format("{}", fmt::join(job.nids, ","));
  variables["CASTOR_SERVICE_CPUS"] = fmt::format("{}", options.service_cpus);
  variables["CASTOR_CPUS_PER_RANK"] = fmt::format("{}", options.depth);
  variables["CASTOR_CPU_BINDING"] = binding_text(options);
  // Programs that were built for MPICH are to find our libmpi.so.12.
  std::string& search = variables["LD_LIBRARY_PATH"];
  search = own_libraries_first(search);
  return variables;
}

std::vector<std::string> rank_environment(Variables common, const LiveLayout& job, int rank,
                                          const std::vector<std::string>& start_up) {
  common["ALPS_APP_PE"] = fmt::format("{}", job.order.place_of(rank));
  common["PMI_GNI_LOC_ADDR"] = fmt::format("{}", job.nid_of(rank));
  for (const std::string& entry : start_up) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) common[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  std::vector<std::string> entries;
  entries.reserve(common.size());
  for (const auto& [name, value] : common) entries.push_back(name + "=" + value);
  return entries;
}

}  // namespace launch
