// What clears a live job away when its launcher is killed.
#pragma once

#include <sys/types.h>

#include <functional>

namespace launch {

/// A child process that does nothing while its launcher lives, and `clear()` once that has died. It
/// takes no signals, but for SIGKILL, and holds none of the launcher's files. Made while the
/// launcher has no other threads.
class JobKeeper {
 public:
  /// Throws std::runtime_error with one line.
  explicit JobKeeper(const std::function<void()>& clear);
  /// The launcher ends in order: there is nothing to be cleared.
  ~JobKeeper();
  JobKeeper(const JobKeeper&) = delete;
  JobKeeper& operator=(const JobKeeper&) = delete;

 private:
  int launcher_lives_;  ///< one end of a connection, whose other end the child reads
  pid_t process_;
};

}  // namespace launch
