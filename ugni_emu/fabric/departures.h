// Tells when other processes of the host have ended.
#pragma once

#include <cstdint>
#include <vector>

namespace ugni::fabric {

/// Watches processes by descriptor (pidfd): a process that was killed is noticed by a process that
/// sleeps and by one that polls. Where the kernel has no such descriptors nothing is ever noticed.
class Departures {
 public:
  Departures();
  ~Departures();
  Departures(const Departures&) = delete;
  Departures& operator=(const Departures&) = delete;

  void watch(int process, int rank);
  /// The rank of a watched process that has ended since, each once; -1 if there is none. A system
  /// call.
  int next();
  /// True if the rank's process is watched and has not ended. A system call.
  bool lives(int rank) const;
  /// Readable when there is one.
  int wait_descriptor() const { return set_; }

 private:
  int set_ = -1;
  std::vector<int> descriptors_;  ///< by rank; -1: not watched
};

}  // namespace ugni::fabric
