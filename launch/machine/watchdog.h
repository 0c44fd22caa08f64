// Names a rank that computes on and on without a library call.
#pragma once

namespace launch {

class VirtualRun;

/// While it exists: if a single stretch of a rank's own code burns 20 s of host CPU time, one line
/// on standard error says which rank (a virtual machine cannot preempt a program's real code).
class Watchdog {
 public:
  explicit Watchdog(VirtualRun& run);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
};

}  // namespace launch
