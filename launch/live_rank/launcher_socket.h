// The socket over which a rank's process and its launcher talk.
#pragma once

#include <string_view>

namespace launch {

/// SOCK_SEQPACKET, inherited from the launcher: the descriptor and the launcher's process id stand
/// in states_variable, as "7,1234". What is said over it: launch/live_rank/state_report.h.
class LauncherSocket {
 public:
  LauncherSocket() = default;
  /// The one that the environment names; none if that is no launcher's.
  static LauncherSocket inherited();

  /// -1: there is none.
  int descriptor() const { return descriptor_; }
  /// The launcher lives, as far as the kernel says. A signal handler may ask.
  bool is_there() const { return descriptor_ >= 0 && is_launchers(); }
  void forget() { descriptor_ = -1; }
  /// False if the launcher cannot have it.
  bool send(std::string_view message) const { return send(message, 0); }
  /// The same, but does not wait for room: for signal handlers.
  bool send_at_once(std::string_view message) const;

 private:
  bool send(std::string_view message, int flags) const;
  /// A program may have closed it, and the number may be another file's.
  bool is_launchers() const;

  int descriptor_ = -1;
  int launcher_ = -1;
};

}  // namespace launch
