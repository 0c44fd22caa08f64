// What a node's CPUs look like, from an hwloc description.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace corespec {

/// The CPUs of one node in logical order. A compute unit is the group of CPUs that share a core's
/// resources (an Interlagos module: hwloc's core); a NUMA node is a die with its memory.
struct NodeTopology {
  struct Cpu {
    int compute_unit =
        0;  ///< these two: numbers from 0 on, without gaps, fewer than there are CPUs
    int numa_node = 0;
    int os_index = 0;  ///< the operating system's number
  };
  std::vector<Cpu> cpus;
  std::string name;
  /// What tells hwloc in a program the same: a variable of the environment, NAME=value. Empty for
  /// the host itself.
  std::string hwloc_variable;

  int size() const { return static_cast<int>(cpus.size()); }
  /// For each CPU the others of its compute unit.
  std::vector<std::vector<int>> unit_mates() const;

  /// `description`: a preset (`xe6`: 32 CPUs, two Interlagos; `xk6`: 16 CPUs, one
  /// Interlagos; `hopper`: 24 CPUs, two Magny-Cours; `edison`: 48 CPUs, two Ivy Bridge with two
  /// hyper-threads to a core), an hwloc synthetic string, or the path of an hwloc XML file. Throws
  /// std::invalid_argument with one line that says what is allowed.
  static std::shared_ptr<const NodeTopology> load(std::string_view description);

  /// Those of this host's CPUs that the system lets the process use and that are in `allowed` (the
  /// system's numbers; empty: all).
  static std::shared_ptr<const NodeTopology> of_this_host(const std::vector<int>& allowed = {});
};

}  // namespace corespec
