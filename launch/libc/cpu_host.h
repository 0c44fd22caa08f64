// What a rank that asks for its CPUs needs of the machine on which it runs.
#pragma once

#include <vector>

#include "corespec/threads/thread.h"
#include "corespec/topology/node_topology.h"

namespace launch {

/// For all ranks of a run. CPUs are numbered by their places in cpus().
class CpuHost {
 public:
  using Cpus = std::vector<corespec::NodeTopology::Cpu>;

  /// Those of the thread's node.
  virtual const Cpus& cpus(const corespec::Thread& thread) const = 0;
  /// Where the thread may run.
  virtual const std::vector<int>& allowed(const corespec::Thread& thread) const = 0;
  /// From now on it runs on these alone: VirtualThread::run_on(). By the thread itself.
  virtual void run_on(corespec::Thread& thread, const std::vector<int>& cpus) = 0;

 protected:
  ~CpuHost() = default;
};

}  // namespace launch
