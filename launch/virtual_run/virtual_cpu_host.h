// What ranks in virtual time need for their CPUs: see CpuHost.
#pragma once

#include "launch/libc/cpu_host.h"

namespace launch {

class VirtualCpuHost final : public CpuHost {
 public:
  const Cpus& cpus(const corespec::Thread& thread) const override;
  const std::vector<int>& allowed(const corespec::Thread& thread) const override;
  void run_on(corespec::Thread& thread, const std::vector<int>& cpus) override;
};

}  // namespace launch
