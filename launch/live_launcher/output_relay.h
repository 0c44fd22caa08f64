// The output of a live job's processes on its way to the launcher's.
#pragma once

#include <poll.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "launch/reports/rank_lines.h"

namespace launch {

/// One stream (standard output or error) of all ranks: a pipe from each, whose text goes on through
/// RankLines. It never waits: while its own stream takes nothing the launcher still serves the job,
/// and ranks wait when their pipes are full.
class OutputRelay {
 public:
  /// To `descriptor`. Without labels, ranks keep the launcher's own stream if that is a terminal,
  /// where their lines come whole in any case.
  OutputRelay(int descriptor, RankLines::Form form);
  ~OutputRelay();
  OutputRelay(const OutputRelay&) = delete;
  OutputRelay& operator=(const OutputRelay&) = delete;

  /// A descriptor for the rank's process to write to, which the caller closes; -1 if the rank keeps
  /// the launcher's stream. Throws std::runtime_error with one line if no descriptors are left.
  int open_for(int rank);

  /// Adds what is to be waited for.
  void watch(std::vector<pollfd>& ready) const;
  /// Takes what ranks have written and writes what can be written now.
  void pass_on();
  /// No process has a pipe any more, and all has been written.
  bool done() const { return pipes_.empty() && waiting_.empty(); }
  /// errno of the write that failed, after which what ranks write is lost; 0 if none has. After
  /// EPIPE the ranks have no pipes any more.
  int failure() const { return failure_; }

 private:
  /// Reads a pipe until it is empty; false at its end.
  bool read_from(int pipe, int rank);
  void write_some();
  void give_up(int reason);
  bool full() const { return waiting_.size() > most_waiting; }

  static constexpr std::size_t most_waiting = 1U << 20U;

  int descriptor_;
  bool direct_;  ///< ranks keep the launcher's stream
  RankLines lines_;
  std::map<int, int> pipes_;  ///< rank to descriptor
  std::string waiting_;       ///< to be written
  int failure_ = 0;
};

}  // namespace launch
