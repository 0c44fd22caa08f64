// What the ranks of a live job are doing: the launcher asks all of them and says it together.
#pragma once

#include <poll.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/threads/situation.h"

namespace launch {

/// A socket to each rank's process (see launch/live_rank/state_report.h). Never waits.
class StateGatherer {
 public:
  StateGatherer(int ranks, std::uint64_t apid) : ranks_(ranks), apid_(apid) {}
  ~StateGatherer();
  StateGatherer(const StateGatherer&) = delete;
  StateGatherer& operator=(const StateGatherer&) = delete;

  /// The end for the rank's process to inherit, which the caller closes; -1 if no descriptors are
  /// left: the rank will not be heard. And what its environment says of it.
  int open_for(int rank);
  static std::string variable(int end);

  /// Asks all ranks, unless it is under way. Times are any clock's milliseconds.
  void ask(std::int64_t now);
  /// Adds what is to be waited for, and says until when at the latest; -1: for ever.
  void watch(std::vector<pollfd>& ready) const;
  std::int64_t deadline() const { return deadline_; }
  /// Takes in what has come. Once all have answered, or the time is over: the lines to print, each
  /// with its end; else nothing.
  std::string take(std::int64_t now);
  /// What the rank said of the signal `number`, which has ended it: follows the signal's name.
  /// Empty: nothing. What the rank had said before its end has been taken.
  std::string fault(int rank, int number) const;
  /// Whether the rank has said that it may end with `code`, however its process does so.
  bool may_end(int rank, int code) const;
  struct LateStart {
    int rank = 0;
    std::string why;
  };
  /// The first rank that gives up waiting in start-up, if one has.
  const std::optional<LateStart>& late_start() const { return late_start_; }

 private:
  /// False: the rank's process has closed its end.
  bool read_from(int socket, int rank, std::int64_t now);
  void note_fault(int rank, std::string_view said);
  void note_late_start(int rank, std::string_view why);
  std::string text() const;

  int ranks_;
  std::uint64_t apid_;
  std::map<int, int> sockets_;  ///< by rank; a rank that has ended has none
  std::map<int, corespec::Situation> answers_;
  struct Fault {
    int signal = 0;
    std::string said;
  };
  std::map<int, Fault> faults_;  ///< by rank: the last one
  std::map<int, char> orders_;   ///< by rank: what it has said last
  std::optional<LateStart> late_start_;
  std::string why_;  ///< of the question
  std::int64_t deadline_ = -1;
  std::int64_t quiet_until_ = 0;  ///< for ranks that are stuck
};

}  // namespace launch
