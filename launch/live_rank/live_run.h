// Puts one process of a live job together: node, wire, NIC, rank.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"

namespace launch {

/// A process's part of a live job, from start-up to the end of the process.
class LiveRun {
 public:
  /// True if the settings ask for the live clock, or leave it open and a launcher with PMIx has
  /// started this process.
  static bool wanted(const std::vector<corespec::Setting>& settings);

  /// Collective over the job; makes the calling OS thread the rank's main thread. Throws
  /// std::exception with one line that says what is wrong and what is allowed; ends a job of
  /// several ranks, with that line, once they have met.
  explicit LiveRun(const std::vector<corespec::Setting>& settings);
  /// The status that the process is ending with.
  void note_status(int status) { status_ = status; }
  /// False in a process that fork() has made of this one: it has none of its threads, and leaves
  /// nothing.
  bool of_this_process() const;
  /// Leaves the job. A rank that leaves with MPI (or another library) still open ends the job; see
  /// Process::ends_in_order().
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

 private:
  struct Parts;
  void put_together(const std::vector<corespec::Setting>& settings);
  void end_job(int code, const std::exception& error);
  std::unique_ptr<Parts> parts_;
  int status_ = 1;
  int pid_;
};

}  // namespace launch
