// What a rank's signals need of a machine in virtual time.
#pragma once

#include "launch/libc/signal_host.h"

namespace launch {

class VirtualSignalHost final : public SignalHost {
 public:
  void call_aside(corespec::Thread& thread, corespec::Aside& aside) override;
  corespec::Time now(const corespec::Thread& thread) const override;
  void schedule(const corespec::Thread& thread, corespec::Time at, corespec::Event& event,
                std::uint64_t arg) override;
  void cancel(const corespec::Thread& thread, const corespec::Event& event) override;
};

}  // namespace launch
