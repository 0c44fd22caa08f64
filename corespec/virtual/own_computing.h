// What a measured program computes by itself, between library calls, on the host.
#pragma once

#include <algorithm>
#include <cstdint>

#include "corespec/host/host_time.h"

namespace corespec {

class OwnComputing {
 public:
  bool measured() const { return measured_; }
  void begin() {
    measured_ = true;
    restart();
  }
  /// The thread leaves a library call.
  void restart() {
    if (measured_) since_ns_ = host_cpu_time_ns();
  }
  /// So much was not the program's. A signal handler may say so that has interrupted the program.
  void leave_out(std::int64_t host_cpu_ns) { since_ns_ += host_cpu_ns; }
  /// The host's CPU time since then. What was left out may be more than there was: never less than
  /// nothing.
  std::int64_t used_ns() const { return std::max<std::int64_t>(0, host_cpu_time_ns() - since_ns_); }

 private:
  bool measured_ = false;
  std::int64_t since_ns_ = 0;
};

}  // namespace corespec
