// What aprun's options mean for a job, on either clock, and what it prints about one.
#include "launch/description/job_setup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "corespec/host/printable.h"
#include "launch/loader/library_search.h"

namespace launch {

corespec::PlacementRequest placement_of(const AprunOptions& options) {
  corespec::PlacementRequest request;
  request.depth = options.depth;
  request.service_cpus = options.service_cpus;
  request.cpus_per_compute_unit = options.cpus_per_compute_unit;
  request.ranks_per_numa_node = options.ranks_per_numa_node.value_or(0);
  request.binding = with_depth(options.binding, options.depth);
  request.cpu_lists = options.cpu_lists;
  if (options.ranks_per_node) {
    request.ranks_per_node = *options.ranks_per_node;
  } else {
    // As ALPS: as many as a node's application CPUs hold.
    request.ranks_per_node = std::max(
        1, corespec::Placement::room(*corespec::NodeTopology::load(options.node), request));
  }
  request.ranks_per_node = std::min(request.ranks_per_node, options.ranks);
  return request;
}

std::string own_libraries_first(const std::string& search) {
  const std::string own = own_library_directory();
  return search.empty() ? own : own + ":" + search;
}

std::string ended_without_finalize(int code) {
  return fmt::format(
      "its process has ended (exit code {}) without MPI_Finalize, PMI_Finalize or dmapp_finalize",
      code);
}

void print_run(const std::string& program, int ranks, std::size_t nodes, int per_node,
               std::string_view repeats) {
  fmt::print(stderr, "castor: {}: {} rank{} on {} node{}, {} to a node; {}\n",
             corespec::printable(program), ranks, ranks == 1 ? "" : "s", nodes,
             nodes == 1 ? "" : "s", per_node, repeats);
}

void enter_directory(const AprunOptions& options) {
  if (options.directory.empty() || chdir(options.directory.c_str()) == 0) return;
  throw UsageError(fmt::format("-wdir {}: {}", options.directory, std::strerror(errno)));
}

std::vector<corespec::Setting> user_settings(const AprunOptions& options) {
  std::vector<corespec::Setting> settings = corespec::environment();
  settings.insert(settings.end(), options.environment.begin(), options.environment.end());
  return settings;
}

void print_environment(const corespec::Parameters& parameters) {
  for (const corespec::ParameterInfo& row : corespec::describe(parameters)) {
    fmt::print(stderr, "MPICH environment settings: {} = {}{}\n", row.env,
               corespec::printable(row.value),
               row.value == row.fallback ? "" : fmt::format(" (default {})", row.fallback));
  }
}

void print_alps_resources(std::uint64_t apid, const rusage& usage) {
  fmt::print(stderr,
             "Application {} resources: utime ~{}s, stime ~{}s, Rss ~{}, inblocks ~{}, outblocks "
             "~{}\n",
             apid, usage.ru_utime.tv_sec, usage.ru_stime.tv_sec, usage.ru_maxrss, usage.ru_inblock,
             usage.ru_oublock);
}

}  // namespace launch
