// Ranks' CPUs in virtual time.
#include "launch/virtual_run/virtual_cpu_host.h"

#include "corespec/virtual/virtual_node.h"
#include "corespec/virtual/virtual_thread.h"

namespace launch {

using corespec::Thread;
using corespec::VirtualNode;
using corespec::VirtualThread;

const CpuHost::Cpus& VirtualCpuHost::cpus(const Thread& thread) const {
  return static_cast<const VirtualNode&>(thread.node()).placement().topology->cpus;
}

const std::vector<int>& VirtualCpuHost::allowed(const Thread& thread) const {
  return static_cast<const VirtualThread&>(thread).allowed();
}

void VirtualCpuHost::run_on(Thread& thread, const std::vector<int>& cpus) {
  static_cast<VirtualThread&>(thread).run_on(cpus);
}

}  // namespace launch
