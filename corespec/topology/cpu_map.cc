// Writes the map of a node's CPUs.
#include "corespec/topology/cpu_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "corespec/topology/placement.h"

namespace corespec {
namespace {

using Cpus = std::vector<int>;

/// The local ranks to which `cpus` gives `cpu`.
std::vector<int> ranks_on(int cpu, const std::vector<Cpus>& cpus) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < cpus.size(); ++rank) {
    if (contains(cpus[rank], cpu)) ranks.push_back(static_cast<int>(rank));
  }
  return ranks;
}

std::string numbered(const char* what, const std::vector<int>& numbers) {
  return fmt::format("{}{} {}", what, numbers.size() == 1 ? "" : "s", cpu_ranges(numbers));
}

void add_to(std::string& line, const std::string& what) {
  line += line.empty() ? what : ", " + what;
}

std::string what_runs_on(int cpu, const CpuMap& map) {
  std::string line;
  if (contains(map.service_cpus, cpu)) add_to(line, "service");
  if (const auto ranks = ranks_on(cpu, map.rank_cpus); !ranks.empty()) {
    add_to(line, numbered("rank", ranks));
  }
  for (const CpuMap::Use& use : map.uses) {
    const std::vector<int> ranks = ranks_on(cpu, use.cpus);
    if (ranks.empty()) continue;
    add_to(line, ranks.size() == use.cpus.size() ? use.name
                                                 : use.name + " of " + numbered("rank", ranks));
  }
  return line.empty() ? "free" : line;
}

}  // namespace

std::string CpuMap::text() const {
  std::vector<std::pair<Cpus, std::string>> groups;
  for (const int cpu : cpus) {
    std::string use = what_runs_on(cpu, *this);
    if (!groups.empty() && groups.back().second == use && groups.back().first.back() == cpu - 1) {
      groups.back().first.push_back(cpu);
    } else {
      groups.emplace_back(Cpus{cpu}, std::move(use));
    }
  }
  std::string text =
      fmt::format("castor: {}, {} rank{} to a node, on {}:\n", numbered("node", nodes),
                  rank_cpus.size(), rank_cpus.size() == 1 ? "" : "s", host);
  std::size_t width = 0;
  for (const auto& [group, use] : groups) width = std::max(width, numbered("CPU", group).size());
  for (const auto& [group, use] : groups) {
    text += fmt::format("castor:   {:<{}}  {}\n", numbered("CPU", group), width, use);
  }
  return text;
}

}  // namespace corespec
