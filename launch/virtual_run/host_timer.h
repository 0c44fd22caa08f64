// A timer of the host's, for what has to look at a run from a signal handler.
#pragma once

#include <signal.h>

#include <cstdint>

namespace launch {

/// Sends the calling OS thread a signal again and again, by the host's monotonic clock, and leaves
/// other signals through while its handler runs, so that this may go on as another rank.
class HostTimer {
 public:
  using Handler = void (*)(int number, siginfo_t* info, void* context);

  /// Stands still at first. `number`: one of signal_of(). Throws std::system_error.
  HostTimer(int number, Handler handler);
  ~HostTimer();
  HostTimer(const HostTimer&) = delete;
  HostTimer& operator=(const HostTimer&) = delete;

  /// Signals come this far apart from now on; 0 stops them. A signal handler may call it.
  void set_period(std::int64_t ns);

  /// The signals that are the launcher's: the last real-time signals, which programs hardly use.
  static int signal_of(int use) { return SIGRTMAX - 1 - use; }

 private:
  int number_;
  int timer_ = -1;  ///< the kernel's number
  struct sigaction before_ {};
};

}  // namespace launch
