// The PMIx server in a process of its own, as the launcher sees it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "launch/live_launcher/pmix_server.h"

namespace launch {

/// A child of the calling thread, with which it ends. PMIx 4.2's server may crash when a client is
/// killed while it connects or is in a fence (docs/decisions/0009): the launcher stays.
class PmixProcess {
 public:
  /// Throws std::runtime_error with one line if there can be no server, or it does not start within
  /// `patience_s` (0: it may take any time). This process may have no other threads; signals that
  /// it takes are to be blocked before, the child inherits the mask.
  PmixProcess(const PmixJob& job, std::int64_t patience_s);
  ~PmixProcess();
  PmixProcess(const PmixProcess&) = delete;
  PmixProcess& operator=(const PmixProcess&) = delete;

  /// What a rank's process needs in its environment, as NAME=value.
  const std::vector<std::string>& variables(int rank) const {
    return variables_[static_cast<std::size_t>(rank)];
  }
  /// Readable (POLLIN) when there are reports, and when the server has ended; -1 afterwards.
  int descriptor() const { return channel_; }
  /// All that have come since the last call, in order. What a process did before it ended is here
  /// by the time its end can be seen.
  std::vector<PmixReport> take();
  /// take() has seen that it ended.
  bool has_ended() const { return channel_ < 0; }

 private:
  void start(const PmixJob& job);
  void await_variables(int ranks, std::int64_t patience_s);
  void end();

  int channel_ = -1;
  int process_ = -1;  ///< a descriptor of it: its number may be another's when it has ended
  std::vector<std::vector<std::string>> variables_;
};

}  // namespace launch
