// Room for thread-local variables of libraries that are loaded while the launcher runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace launch {

/// glibc gives some libraries (libgomp) their thread-local variables in a block that is as large as
/// it was when the process began: for many copies too small. A variable sets the size
/// (GLIBC_TUNABLES), so a launcher that needs more executes itself anew with it.
class TlsRoom {
 public:
  /// To be made before anything else looks at the environment: takes out of it what an earlier self
  /// has put there. `command` is the launcher's own command line.
  explicit TlsRoom(std::vector<std::string> command);

  /// Returns if there are `bytes` for such libraries. Throws std::system_error if the launcher
  /// cannot be executed again.
  void require(std::size_t bytes) const;

 private:
  std::vector<std::string> command_;
  std::size_t bytes_ = 0;
};

}  // namespace launch
