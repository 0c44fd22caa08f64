// Which CPUs of a node run what: ranks, progress threads, interrupts, noise.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "corespec/topology/cpu_map.h"
#include "corespec/topology/node_topology.h"

namespace corespec {

/// "0-3,8" for a sorted list of CPUs, "none" for an empty one.
std::string cpu_ranges(const std::vector<int>& cpus);

bool contains(const std::vector<int>& cpus, int cpu);

/// How aprun's options ask for CPUs on every node.
struct PlacementRequest {
  enum class Binding {
    cpu,        ///< each rank on one CPU; the default
    depth,      ///< each rank anywhere on its `depth` CPUs
    numa_node,  ///< each rank anywhere on its NUMA node
    none,       ///< anywhere on the application CPUs
    list        ///< rank i of a node on cpu_lists[i]
  };
  int ranks_per_node = 1;                   ///< -N
  int depth = 1;                            ///< -d: CPUs per rank
  int service_cpus = 0;                     ///< -r: CPUs set aside by core specialization
  int cpus_per_compute_unit = 0;            ///< -j: 0 = all
  int ranks_per_numa_node = 0;              ///< -S: 0 = as many as fit
  Binding binding = Binding::cpu;           ///< -cc
  std::vector<std::vector<int>> cpu_lists;  ///< -cc list: CPUs per local rank
  bool progress_on_unassigned = true;       ///< MPICH_GNI_USE_UNASSIGNED_CPUS

  /// Throws std::invalid_argument with one line if lists are asked for and there are too few.
  void check_lists() const;
};

/// The same for every node of a job. Core specialization sets aside the highest-numbered CPUs,
/// with -j first those that it leaves unused; ranks are packed from CPU 0 on, `depth` apart. The
/// interrupt is taken by the first service CPU; without core specialization nothing confines it and
/// it stays where Linux puts it, on CPU 0, which is usually a rank's.
struct Placement {
  std::shared_ptr<const NodeTopology> topology;
  std::vector<std::vector<int>> rank_cpus;      ///< by local rank: where its threads may run
  std::vector<std::vector<int>> progress_cpus;  ///< by local rank: its progress and helper threads
  std::vector<int> application_cpus;            ///< all but the service CPUs
  std::vector<int> service_cpus;                ///< empty without core specialization
  std::vector<int> noise_cpus;                  ///< where daemons and kernel threads run
  int interrupt_cpu = 0;

  /// Throws std::invalid_argument with one line: what does not fit, and what would.
  static Placement make(std::shared_ptr<const NodeTopology> topology,
                        const PlacementRequest& request);

  /// How many ranks of `request`'s shape a node has room for.
  static int room(const NodeTopology& topology, const PlacementRequest& request);

  /// One line: "ranks 0-3 on CPUs 0-3, interrupt on 31 (-r 1), progress threads on 31".
  std::string text() const;
  /// The same CPU by CPU, of `nodes`.
  CpuMap map(std::vector<int> nodes) const;
};

}  // namespace corespec
