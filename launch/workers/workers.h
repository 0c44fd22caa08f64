// The processes that run a job in virtual time, each a part of it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "launch/workers/part.h"
#include "launch/workers/shared_rounds.h"

namespace launch {

/// Workers are copies of the process that makes this, which is the first of them. So nothing is
/// shared that has not been made to be, and each worker's ranks have a process's variables, files
/// and libraries of their own, as on a machine of several nodes.
class Workers {
 public:
  /// Returns in each worker. Throws std::runtime_error with one line.
  explicit Workers(std::size_t count);
  /// In the first worker: waits for the others. Another one has ended before (end()).
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  Part part();

 private:
  void look_for_ends();

  SharedRoundsMemory memory_;
  std::unique_ptr<SharedRounds> rounds_;
  std::size_t number_ = 0;
  std::vector<pid_t> others_;  ///< the first worker's
};

}  // namespace launch
