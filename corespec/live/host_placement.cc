// Lays emulated nodes out on the CPUs that a host really has.
#include "corespec/live/host_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "corespec/host/os_thread.h"

namespace corespec {
namespace {

using Cpus = std::vector<int>;

std::size_t index(int number) { return static_cast<std::size_t>(number); }

/// Part `which` of `parts` of `count` things, cut evenly; with fewer things than parts, one.
struct Share {
  int first;
  int last;  ///< one behind
};
Share share(int count, int which, int parts) {
  const int first = static_cast<int>(std::int64_t{count} * which / parts);
  const int last = static_cast<int>(std::int64_t{count} * (which + 1) / parts);
  return {first, std::max(first + 1, last)};
}

/// A part of a topology, CPUs by logical number; `os_index` as there.
std::shared_ptr<const NodeTopology> part_of(const NodeTopology& whole, const Cpus& cpus) {
  auto part = std::make_shared<NodeTopology>();
  part->name = whole.name;
  std::vector<int> units;
  std::vector<int> numa_nodes;
  const auto number_in = [](std::vector<int>& known, int each) {
    const auto found = std::find(known.begin(), known.end(), each);
    if (found != known.end()) return static_cast<int>(found - known.begin());
    known.push_back(each);
    return static_cast<int>(known.size()) - 1;
  };
  for (const int cpu : cpus) {
    const NodeTopology::Cpu& each = whole.cpus[index(cpu)];
    part->cpus.push_back({number_in(units, each.compute_unit),
                          number_in(numa_nodes, each.numa_node), each.os_index});
  }
  return part;
}

/// CPUs of the compute unit that has most.
int largest_unit(const NodeTopology& topology) {
  std::map<int, int> sizes;
  int largest = 0;
  for (const auto& cpu : topology.cpus) largest = std::max(largest, ++sizes[cpu.compute_unit]);
  return largest;
}

/// The CPUs of one of several nodes that share the host, by logical number.
Cpus cpus_of_node(const NodeTopology& host, int node, int nodes) {
  std::vector<int> units;  // in order of their first CPUs
  for (const auto& cpu : host.cpus) {
    if (std::find(units.begin(), units.end(), cpu.compute_unit) == units.end()) {
      units.push_back(cpu.compute_unit);
    }
  }
  const bool whole_units = static_cast<int>(units.size()) >= nodes;
  const Share own = share(whole_units ? static_cast<int>(units.size()) : host.size(), node, nodes);
  Cpus cpus;
  for (int cpu = 0; cpu < host.size(); ++cpu) {
    int place = cpu;
    if (whole_units) {
      const auto unit = std::find(units.begin(), units.end(), host.cpus[index(cpu)].compute_unit);
      place = static_cast<int>(unit - units.begin());
    }
    if (place >= own.first && place < own.last) cpus.push_back(cpu);
  }
  return cpus;
}

/// One node's layout, in the node's own CPU numbers.
class Layout {
 public:
  Layout(const NodeTopology& part, std::shared_ptr<const NodeTopology> topology,
         PlacementRequest request)
      : part_(part), request_(std::move(request)) {
    const int asked = request_.service_cpus;
    const int needed = request_.ranks_per_node * request_.depth;
    // Ranks come first, but a CPU of their own is what service threads are asked to have.
    request_.service_cpus =
        asked == 0 || part.size() < 2
            ? 0
            : std::clamp(part.size() - needed, 1, std::min(asked, part.size() - 1));
    shortened_ = request_.service_cpus != asked;
    if (!fit(std::move(topology))) share_cpus();
  }

  const Placement& placement() const { return placement_; }
  bool shared() const { return shared_; }
  bool shortened() const { return shortened_; }

 private:
  /// As Placement does it: with the fewest CPUs of a compute unit that suffice, if -j leaves it
  /// open.
  bool fit(std::shared_ptr<const NodeTopology> topology) {
    PlacementRequest request = request_;
    if (request.binding == PlacementRequest::Binding::list) {
      fold_lists(request);
      // What the lists leave open does not matter: they say where ranks run.
      placement_ = Placement::make(std::move(topology), request);
      return true;
    }
    const int first = request_.cpus_per_compute_unit != 0 ? request_.cpus_per_compute_unit : 1;
    const int last = request_.cpus_per_compute_unit != 0 ? first : largest_unit(part_);
    for (int limit = first; limit <= last; ++limit) {
      request.cpus_per_compute_unit = limit;
      if (Placement::room(*topology, request) >= request.ranks_per_node) {
        placement_ = Placement::make(std::move(topology), request);
        return true;
      }
    }
    placement_ = Placement::make(std::move(topology), one_rank());
    return false;
  }

  /// A request that fits everywhere, for all but the ranks.
  PlacementRequest one_rank() const {
    PlacementRequest request;
    request.service_cpus = request_.service_cpus;
    request.binding = PlacementRequest::Binding::none;
    return request;
  }

  /// Lists name CPUs that this host may not have: they start again from the first.
  void fold_lists(PlacementRequest& request) {
    const int application = part_.size() - request.service_cpus;
    for (auto& list : request.cpu_lists) {
      for (int& cpu : list) {
        if (cpu < 0 || cpu < application) continue;
        cpu %= application;
        shared_ = true;
      }
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  void share_cpus() {
    shared_ = true;
    const Cpus& all = placement_.application_cpus;
    const int count = static_cast<int>(all.size());
    placement_.rank_cpus.clear();
    for (int rank = 0; rank < request_.ranks_per_node; ++rank) {
      const Share own = share(count, rank, request_.ranks_per_node);
      placement_.rank_cpus.push_back(
          cpus_of_rank({all.begin() + own.first, all.begin() + own.last}));
    }
    const bool specialized = !placement_.service_cpus.empty();
    placement_.progress_cpus.clear();
    for (const Cpus& own : placement_.rank_cpus) {
      placement_.progress_cpus.push_back(specialized ? placement_.service_cpus : own);
    }
  }

  Cpus cpus_of_rank(Cpus own) const {
    switch (request_.binding) {
      case PlacementRequest::Binding::cpu:
        own.resize(1);
        break;
      case PlacementRequest::Binding::none:
        return placement_.application_cpus;
      case PlacementRequest::Binding::numa_node: {
        Cpus near;
        for (const int cpu : placement_.application_cpus) {
          if (part_.cpus[index(cpu)].numa_node == part_.cpus[index(own.front())].numa_node) {
            near.push_back(cpu);
          }
        }
        return near;
      }
      case PlacementRequest::Binding::depth:
      case PlacementRequest::Binding::list:
        break;
    }
    return own;
  }

  const NodeTopology& part_;
  PlacementRequest request_;
  Placement placement_;
  bool shared_ = false;     ///< ranks share CPUs, or some constraint could not be met
  bool shortened_ = false;  ///< fewer service CPUs than asked for
};

std::string warn(const Layout& layout, bool shared, const PlacementRequest& request, int host_cpus,
                 int nodes) {
  if (!shared && !layout.shortened()) return "";
  std::string text = fmt::format(
      "{} rank{} x {} CPU{}{} asked for on each node, but ", request.ranks_per_node,
      request.ranks_per_node == 1 ? "" : "s", request.depth, request.depth == 1 ? "" : "s",
      request.service_cpus == 0 ? std::string()
                                : fmt::format(" and {} service CPU{}", request.service_cpus,
                                              request.service_cpus == 1 ? "" : "s"));
  text += nodes == 1 ? fmt::format("this host has {} CPU{}", host_cpus, host_cpus == 1 ? "" : "s")
                     : fmt::format("{} nodes share the {} CPU{} of this host", nodes, host_cpus,
                                   host_cpus == 1 ? "" : "s");
  if (shared) text += "; ranks share CPUs";
  if (layout.shortened()) {
    const std::size_t left = layout.placement().service_cpus.size();
    text += left == 0 ? std::string("; none is set aside")
                      : fmt::format("; {} {} set aside", left, left == 1 ? "is" : "are");
  }
  return text;
}

bool is_a_ranks(const std::vector<Cpus>& rank_cpus, int cpu) {
  return std::any_of(rank_cpus.begin(), rank_cpus.end(),
                     [cpu](const Cpus& cpus) { return contains(cpus, cpu); });
}

/// True if there are more ranks on a rank's CPUs than CPUs.
bool crowded(const std::vector<Cpus>& rank_cpus, const Cpus& own) {
  const auto is_on_own = [&](const Cpus& cpus) {
    return std::any_of(cpus.begin(), cpus.end(), [&](int cpu) { return contains(own, cpu); });
  };
  return std::count_if(rank_cpus.begin(), rank_cpus.end(), is_on_own) >
         static_cast<std::ptrdiff_t>(own.size());
}

}  // namespace

std::vector<int> HostCpus::allowed() { return OsThread::cpus_of_caller(); }

HostCpus HostCpus::of_this_host(const std::vector<int>& allowed) {
  HostCpus host;
  host.topology = NodeTopology::of_this_host(allowed);
  for (const auto& cpu : host.topology->cpus) host.os_index.push_back(cpu.os_index);
  return host;
}

HostCpus HostCpus::of(std::string_view description, const std::vector<int>& allowed) {
  HostCpus host;
  host.topology = NodeTopology::load(description);
  if (!allowed.empty()) host.topology = part_of(*host.topology, allowed);
  for (const auto& cpu : host.topology->cpus) host.os_index.push_back(cpu.os_index);
  return host;
}

HostPlacement HostPlacement::make(const HostCpus& host, const PlacementRequest& request,
                                  int node_on_host, int nodes_on_host, int local_rank) {
  const Cpus own = cpus_of_node(*host.topology, node_on_host, nodes_on_host);
  const std::shared_ptr<const NodeTopology> part = part_of(*host.topology, own);
  const Layout layout(*part, part, request);
  const Placement& placement = layout.placement();
  const auto on_host = [&](const Cpus& logical) {
    Cpus cpus;
    for (const int cpu : logical) cpus.push_back(host.os_index[index(own[index(cpu)])]);
    std::sort(cpus.begin(), cpus.end());
    return cpus;
  };
  HostPlacement result;
  result.local_rank = local_rank;
  for (const Cpus& cpus : placement.rank_cpus) result.rank_cpus.push_back(on_host(cpus));
  result.application_cpus = on_host(placement.application_cpus);
  result.service_cpus = on_host(placement.service_cpus);
  result.progress_cpus = on_host(placement.progress_cpus[index(local_rank)]);
  result.bound = request.binding != PlacementRequest::Binding::none || !result.service_cpus.empty();
  result.progress_is_guest = result.bound && request.progress_on_unassigned &&
                             result.progress_cpus.size() == 1 &&
                             is_a_ranks(result.rank_cpus, result.progress_cpus.front());
  result.nic_cpus = result.service_cpus;
  if (result.nic_cpus.empty()) {
    for (const int cpu : result.application_cpus) {
      if (!is_a_ranks(result.rank_cpus, cpu)) result.nic_cpus.push_back(cpu);
    }
  }
  // Hardware in the real machine: where no CPU is free, any of them.
  if (result.nic_cpus.empty()) result.nic_cpus = result.application_cpus;
  // With fewer CPUs than nodes, other nodes' ranks are on them, too.
  const bool nodes_share = host.topology->size() < nodes_on_host;
  result.shares_cpus =
      nodes_share || crowded(result.rank_cpus, result.rank_cpus[index(local_rank)]);
  result.warning =
      warn(layout, layout.shared() || nodes_share, request, host.topology->size(), nodes_on_host);
  return result;
}

std::string HostPlacement::text() const {
  Cpus ranks;
  for (const Cpus& own : rank_cpus) ranks.insert(ranks.end(), own.begin(), own.end());
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return fmt::format("ranks on {}{}, progress threads on {}{}, NIC threads on {}, {}",
                     cpu_ranges(ranks), bound ? "" : " (not bound)", cpu_ranges(progress_cpus),
                     progress_is_guest ? " or where a rank waits" : "", cpu_ranges(nic_cpus),
                     service_cpus.empty() ? std::string("no core specialization")
                                          : "core specialization on " + cpu_ranges(service_cpus));
}

}  // namespace corespec
