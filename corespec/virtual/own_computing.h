// What a measured program computes by itself, between library calls, on the host.
#pragma once

#include <algorithm>
#include <cstdint>

#include "corespec/host/cpu_clock.h"

namespace corespec {

class OwnComputing {
 public:
  bool measured() const { return clock_ != nullptr; }
  void begin(CpuClock& clock) {
    clock_ = &clock;
    restart();
  }
  /// The thread leaves a library call.
  void restart() {
    if (measured()) since_ns_ = clock_->now_ns();
  }
  /// So much was not the program's. A signal handler may say so that has interrupted the program.
  void leave_out(std::int64_t host_cpu_ns) { since_ns_ += host_cpu_ns; }
  /// The host's CPU time since the last restart() or take_ns(), which counts from now on again.
  /// What was left out may be more than there was: never less than nothing.
  std::int64_t take_ns() {
    const std::int64_t used = std::max<std::int64_t>(0, clock_->now_ns() - since_ns_);
    since_ns_ += used;
    return used;
  }

 private:
  CpuClock* clock_ = nullptr;
  std::int64_t since_ns_ = 0;
};

}  // namespace corespec
