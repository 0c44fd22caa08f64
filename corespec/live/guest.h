// A sleeping thread without a CPU of its own, as those see it who wake it.
#pragma once

namespace corespec {

/// On a host without a CPU to spare, whoever wakes a progress thread and waits itself lends it its
/// CPU: the thread is bound there before it is woken (docs/decisions/0022).
struct Guest {
  int thread = 0;  ///< the system's number; 0: no guest, it is woken where it is
  int cpu = -1;    ///< what it is bound to now
  int home = -1;   ///< its rank's CPU
};

}  // namespace corespec
