// Names a rank that computes on and on, or polls on and on, while nothing else happens.
#pragma once

namespace launch {

class VirtualRun;

/// While it exists: if nothing happens in the machine for two intervals of the host's CPU time but
/// that a rank runs, one line on standard error says which and whether it calls a library meanwhile
/// (a virtual machine cannot preempt a program's real code).
class Watchdog {
 public:
  /// Whether code between library calls takes time.
  enum class Program { modelled, measured };
  Watchdog(VirtualRun& run, Program program, int interval_ms = 10000);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
};

}  // namespace launch
