// Computes placements.
#include "corespec/topology/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace corespec {

bool contains(const std::vector<int>& cpus, int cpu) {
  return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
}

namespace {

/// How many CPUs of its compute unit come before each CPU.
std::vector<int> places_in_units(const NodeTopology& topology) {
  std::vector<int> in_unit(static_cast<std::size_t>(topology.size()), 0);
  std::vector<int> places;
  for (const NodeTopology::Cpu& cpu : topology.cpus) {
    places.push_back(in_unit[static_cast<std::size_t>(cpu.compute_unit)]++);
  }
  return places;
}

/// The CPUs that core specialization sets aside: the highest-numbered, those that -j leaves unused
/// (hyper-threads) before others.
std::vector<int> choose_service_cpus(const NodeTopology& topology,
                                     const PlacementRequest& request) {
  const int limit = request.cpus_per_compute_unit;
  const std::vector<int> places = places_in_units(topology);
  std::vector<int> order;
  for (int cpu = topology.size() - 1; cpu >= 0; --cpu) order.push_back(cpu);
  std::stable_partition(order.begin(), order.end(), [&](int cpu) {
    return limit != 0 && places[static_cast<std::size_t>(cpu)] >= limit;
  });
  order.resize(static_cast<std::size_t>(std::clamp(request.service_cpus, 0, topology.size())));
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<int> all_but(const NodeTopology& topology, const std::vector<int>& excepted) {
  std::vector<int> cpus;
  for (int cpu = 0; cpu < topology.size(); ++cpu) {
    if (!contains(excepted, cpu)) cpus.push_back(cpu);
  }
  return cpus;
}

/// The application CPUs that -j leaves usable: the first `limit` of each compute unit.
std::vector<int> usable_cpus(const NodeTopology& topology, const std::vector<int>& application,
                             int limit) {
  std::vector<int> used_in_unit(static_cast<std::size_t>(topology.size()), 0);
  std::vector<int> usable;
  for (int cpu : application) {
    const auto unit =
        static_cast<std::size_t>(topology.cpus[static_cast<std::size_t>(cpu)].compute_unit);
    if (limit == 0 || used_in_unit[unit]++ < limit) usable.push_back(cpu);
  }
  return usable;
}

/// The first `depth` CPUs of each rank, in order; fewer ranks than asked for if they do not fit.
/// With -S a NUMA node takes no more than so many ranks, and a rank's CPUs do not span two.
std::vector<std::vector<int>> cut_into_ranks(const NodeTopology& topology,
                                             const std::vector<int>& usable,
                                             const PlacementRequest& request) {
  std::vector<std::vector<int>> ranks;
  std::vector<int> on_numa_node(static_cast<std::size_t>(topology.size()), 0);
  std::vector<int> own;
  for (int cpu : usable) {
    const auto numa =
        static_cast<std::size_t>(topology.cpus[static_cast<std::size_t>(cpu)].numa_node);
    if (request.ranks_per_numa_node != 0) {
      if (on_numa_node[numa] == request.ranks_per_numa_node) continue;
      const bool other =
          !own.empty() &&
          topology.cpus[static_cast<std::size_t>(own.front())].numa_node != static_cast<int>(numa);
      if (other) own.clear();
    }
    own.push_back(cpu);
    if (static_cast<int>(own.size()) < request.depth) continue;
    ++on_numa_node[numa];
    ranks.push_back(std::move(own));
    own.clear();
  }
  return ranks;
}

std::vector<int> cpus_of_numa_nodes(const NodeTopology& topology, const std::vector<int>& of,
                                    const std::vector<int>& among) {
  std::vector<int> cpus;
  for (int cpu : among) {
    const int numa = topology.cpus[static_cast<std::size_t>(cpu)].numa_node;
    if (std::any_of(of.begin(), of.end(), [&](int own) {
          return topology.cpus[static_cast<std::size_t>(own)].numa_node == numa;
        })) {
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

std::vector<std::vector<int>> assign_ranks(const NodeTopology& topology,
                                           const std::vector<int>& usable,
                                           const PlacementRequest& request) {
  const std::vector<std::vector<int>> cut = cut_into_ranks(topology, usable, request);
  std::vector<std::vector<int>> assigned;
  for (int rank = 0; rank < request.ranks_per_node; ++rank) {
    if (request.binding == PlacementRequest::Binding::list) {
      assigned.push_back(request.cpu_lists[static_cast<std::size_t>(rank)]);
      continue;
    }
    std::vector<int> own = cut[static_cast<std::size_t>(rank)];
    switch (request.binding) {
      case PlacementRequest::Binding::cpu:
        own.resize(1);
        break;
      case PlacementRequest::Binding::numa_node:
        own = cpus_of_numa_nodes(topology, own, usable);
        break;
      case PlacementRequest::Binding::none:
        own = usable;
        break;
      case PlacementRequest::Binding::depth:
      case PlacementRequest::Binding::list:
        break;
    }
    assigned.push_back(std::move(own));
  }
  return assigned;
}

/// -S: at least one NUMA node has room for so many ranks.
void check_numa_nodes(const NodeTopology& topology, const std::vector<int>& usable,
                      const PlacementRequest& request) {
  std::map<int, int> on_numa_node;
  for (const int cpu : usable)
    ++on_numa_node[topology.cpus[static_cast<std::size_t>(cpu)].numa_node];
  int most = 0;
  for (const auto& [numa_node, cpus] : on_numa_node) most = std::max(most, cpus);
  if (request.ranks_per_numa_node * request.depth <= most) return;
  throw std::invalid_argument(
      fmt::format("-S {} x -d {}: a NUMA node has {} application CPUs; allowed is -S 1 to {}",
                  request.ranks_per_numa_node, request.depth, most, most / request.depth));
}

void check(const NodeTopology& topology, const PlacementRequest& request,
           const std::vector<int>& application, const std::vector<int>& usable) {
  if (request.service_cpus < 0 || request.service_cpus >= topology.size()) {
    throw std::invalid_argument(fmt::format("-r {}: a node has {} CPUs; allowed is 0 to {}",
                                            request.service_cpus, topology.size(),
                                            topology.size() - 1));
  }
  if (request.binding == PlacementRequest::Binding::list) {
    request.check_lists();
    for (const auto& list : request.cpu_lists) {
      for (int cpu : list) {
        if (!contains(application, cpu)) {
          throw std::invalid_argument(
              fmt::format("-cc: CPU {} is not an application CPU; allowed is {}", cpu,
                          cpu_ranges(application)));
        }
      }
    }
    return;
  }
  const auto needed =
      static_cast<std::size_t>(request.ranks_per_node) * static_cast<std::size_t>(request.depth);
  if (needed > usable.size()) {
    throw std::invalid_argument(fmt::format(
        "-N {} x -d {} needs {} CPUs per node, but {} of {} are application CPUs (-r {})",
        request.ranks_per_node, request.depth, needed, usable.size(), topology.size(),
        request.service_cpus));
  }
  if (request.ranks_per_numa_node != 0) check_numa_nodes(topology, usable, request);
  const std::size_t room = cut_into_ranks(topology, usable, request).size();
  if (room < static_cast<std::size_t>(request.ranks_per_node)) {
    throw std::invalid_argument(
        fmt::format("-N {} x -d {} with -S {}: a node has room for {} ranks",
                    request.ranks_per_node, request.depth, request.ranks_per_numa_node, room));
  }
}

}  // namespace

void PlacementRequest::check_lists() const {
  if (binding != Binding::list) return;
  if (cpu_lists.size() >= static_cast<std::size_t>(ranks_per_node)) return;
  throw std::invalid_argument(
      fmt::format("-cc: {} CPU lists for {} ranks per node", cpu_lists.size(), ranks_per_node));
}

std::string cpu_ranges(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += text.empty() ? "" : ",";
    text += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return text.empty() ? "none" : text;
}

Placement Placement::make(std::shared_ptr<const NodeTopology> topology,
                          const PlacementRequest& request) {
  Placement placement;
  placement.topology = std::move(topology);
  const NodeTopology& node = *placement.topology;
  placement.service_cpus = choose_service_cpus(node, request);
  placement.application_cpus = all_but(node, placement.service_cpus);
  const std::vector<int> usable =
      usable_cpus(node, placement.application_cpus, request.cpus_per_compute_unit);
  check(node, request, placement.application_cpus, usable);
  placement.rank_cpus = assign_ranks(node, usable, request);

  std::vector<int> unassigned;
  for (int cpu : placement.application_cpus) {
    const auto holds = [&](const std::vector<int>& own) { return contains(own, cpu); };
    if (std::none_of(placement.rank_cpus.begin(), placement.rank_cpus.end(), holds)) {
      unassigned.push_back(cpu);
    }
  }
  const bool specialized = !placement.service_cpus.empty();
  for (const auto& own : placement.rank_cpus) {
    if (specialized) {
      placement.progress_cpus.push_back(placement.service_cpus);
    } else if (request.progress_on_unassigned && !unassigned.empty()) {
      placement.progress_cpus.push_back(unassigned);
    } else {
      placement.progress_cpus.push_back(own);
    }
  }
  placement.noise_cpus = specialized ? placement.service_cpus : placement.application_cpus;
  placement.interrupt_cpu = specialized ? placement.service_cpus.front() : 0;
  return placement;
}

int Placement::room(const NodeTopology& topology, const PlacementRequest& request) {
  const std::vector<int> application = all_but(topology, choose_service_cpus(topology, request));
  const std::vector<int> usable = usable_cpus(topology, application, request.cpus_per_compute_unit);
  return static_cast<int>(cut_into_ranks(topology, usable, request).size());
}

CpuMap Placement::map(std::vector<int> nodes) const {
  CpuMap map;
  map.nodes = std::move(nodes);
  map.host = topology->name;
  map.cpus = application_cpus;
  map.cpus.insert(map.cpus.end(), service_cpus.begin(), service_cpus.end());
  std::sort(map.cpus.begin(), map.cpus.end());
  map.service_cpus = service_cpus;
  map.rank_cpus = rank_cpus;
  map.uses = {{"progress threads", progress_cpus},
              {"interrupts", {rank_cpus.size(), std::vector<int>{interrupt_cpu}}}};
  return map;
}

std::string Placement::text() const {
  std::vector<int> ranks;
  std::vector<int> progress;
  for (const auto& own : rank_cpus) ranks.insert(ranks.end(), own.begin(), own.end());
  for (const auto& own : progress_cpus) progress.insert(progress.end(), own.begin(), own.end());
  for (auto* list : {&ranks, &progress}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return fmt::format(
      "node {} ({} CPUs): ranks on {}, interrupt on {}, progress threads on {}, {}", topology->name,
      topology->size(), cpu_ranges(ranks), interrupt_cpu, cpu_ranges(progress),
      service_cpus.empty() ? std::string("no core specialization")
                           : fmt::format("core specialization on {} (-r {})",
                                         cpu_ranges(service_cpus), service_cpus.size()));
}

}  // namespace corespec
