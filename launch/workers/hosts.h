// Several processes that a launcher has started to run one job in virtual time together.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "launch/workers/parcels.h"

namespace launch {

/// As a rule one process on each of several hosts, so that is what they are called here. They meet
/// by PMIx, as ranks of live jobs do, and leave it before the run: the launcher (mpirun, srun) then
/// only passes on their output and sees to their end.
class Hosts {
 public:
  /// What the user has given the process.
  struct Given {
    std::vector<std::string> words;           ///< the command line
    std::vector<corespec::Setting> settings;  ///< the environment and options
  };

  /// True if a launcher with PMIx has started this process.
  static bool launched(const std::vector<corespec::Setting>& environment);
  /// Before a process that cannot run the job says why: as a rule none can, the first one says it,
  /// and the launcher ends the others. Returns in the first one, and where that does not come.
  static void let_first_speak(const std::vector<corespec::Setting>& environment);

  /// Meets the other processes, if there are any. Throws std::invalid_argument or
  /// std::runtime_error with one line.
  explicit Hosts(const Given& given);
  ~Hosts();
  Hosts(const Hosts&) = delete;
  Hosts& operator=(const Hosts&) = delete;

  std::size_t own() const { return own_; }
  std::size_t count() const { return cpus_.size(); }
  /// The first process's settings, without the launcher's: all run the same job.
  const std::vector<corespec::Setting>& settings() const { return settings_; }
  /// Of each: CPUs that it may count as its own; 0 where there are more processes than CPUs.
  const std::vector<std::size_t>& cpus() const { return cpus_; }
  Parcels& parcels() { return *parcels_; }

 private:
  std::size_t own_ = 0;
  std::vector<std::size_t> cpus_;
  std::vector<corespec::Setting> settings_;
  std::unique_ptr<Parcels> parcels_;
};

/// How many workers each host has: `wanted` of each, but no more than `limits` of it, if there are
/// any, and no more than `most` together. Each has one at least.
std::vector<std::size_t> workers_of_hosts(std::size_t hosts, std::size_t wanted,
                                          const std::vector<std::size_t>& limits, std::size_t most);

}  // namespace launch
