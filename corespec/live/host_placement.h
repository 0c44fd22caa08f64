// Which of the host's CPUs a process of an emulated node uses, and for what.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/topology/node_topology.h"
#include "corespec/topology/placement.h"

namespace corespec {

/// CPUs of this host, as hwloc sees them, with the operating system's numbers.
struct HostCpus {
  std::vector<int> os_index;  ///< by logical order
  std::shared_ptr<const NodeTopology> topology;
  /// Those that the system lets the process use (its cpuset) and that are in `allowed`. A launcher
  /// may have bound every process to CPUs of its own: what the job may use of a host is what any of
  /// its processes there was allowed().
  static HostCpus of_this_host(const std::vector<int>& allowed = HostCpus::allowed());
  /// What the calling thread is bound to now.
  static std::vector<int> allowed();
  /// The same of a description (NodeTopology::load), all CPUs allowed, for tests; `allowed` may
  /// leave some out (logical numbers; empty: all).
  static HostCpus of(std::string_view description, const std::vector<int>& allowed = {});
};

/// Several emulated nodes may share a host: each gets a part of its CPUs, whole compute units if
/// there are enough. Within its part a node is laid out as Placement lays out nodes, except that
/// ranks take a compute unit each while there are enough (a host's units are cores whose CPUs are
/// hardware threads). If there are not enough CPUs, ranks share them, evenly; with service CPUs
/// asked for, at least one is set aside wherever there are two.
struct HostPlacement {
  std::vector<std::vector<int>> rank_cpus;  ///< by local rank; operating system's numbers
  std::vector<int> application_cpus;
  std::vector<int> service_cpus;   ///< progress, helper and NIC threads; empty without -r
  std::vector<int> progress_cpus;  ///< of this process's progress threads
  std::vector<int> nic_cpus;       ///< of its NIC thread
  /// Progress threads have only the CPU of a rank: a rank that wakes one and waits itself lends it
  /// its own.
  bool progress_is_guest = false;
  bool bound = true;         ///< false: ranks run on any CPU (-cc none without -r)
  int local_rank = 0;        ///< this process
  bool shares_cpus = false;  ///< more ranks than CPUs where its rank runs
  std::string warning;       ///< one line if the host has fewer CPUs than asked for

  /// `node_on_host` of `nodes_on_host` emulated nodes. With -cc lists CPUs are numbered within the
  /// node's part. Throws std::invalid_argument with one line where Placement would whatever the
  /// number of CPUs (fewer lists than ranks).
  static HostPlacement make(const HostCpus& host, const PlacementRequest& request, int node_on_host,
                            int nodes_on_host, int local_rank);

  /// In one line: which CPUs ranks, progress threads and NIC threads use.
  std::string text() const;
};

}  // namespace corespec
