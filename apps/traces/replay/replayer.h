// One rank's recorded calls, made again.
#pragma once

#include <cstdint>
#include <functional>

#include "apps/traces/dumpi/trace_file.h"
#include "apps/traces/replay/matching.h"
#include "apps/traces/replay/replayed_rank.h"

namespace replay {

/// When a call begins.
enum class Timing {
  exact,  ///< when the trace says, or at once if that is over
  shift,  ///< the same, but what is late makes all later calls of the rank as much later (S2)
  gaps    ///< as long after the last call's return as in the trace
};

/// From a trace's clock to the replay's.
struct TimeLine {
  /// Of the rank's clock in the trace: when the replay begins, in ns since 1970.
  std::int64_t begin_ns = 0;
  /// How much later than that the rank makes its calls, in seconds.
  double skew_s = 0;
};

/// A call in the trace and in the replay, in seconds since the begin.
struct Timed {
  const dumpi::Call& call;
  double trace_begin, trace_time, begin, time;
  double shift;  ///< of its begin, with Timing::shift
};

/// Makes calls on memory without meaning: the messages have the sizes of the trace. Requests that
/// the trace saw completed are waited for: MPI_Testall that was true, and the one of MPI_Waitany.
/// Errors are std::runtime_errors of one line with the trace's name and the number of the call.
class Replayer {
 public:
  Replayer(const dumpi::RankTrace& trace, Timing timing, const TimeLine& line, Matching matching);

  /// All calls between MPI_Init and MPI_Finalize, or to the trace's end; `tell` hears of each.
  /// Ends when MPI_Finalize begins, so that time after the last call counts.
  void run(const std::function<void(const Timed&)>& tell);

  std::uint64_t calls() const { return calls_; }
  std::uint64_t late() const { return late_; }  ///< calls that began later than planned
  double seconds_in_calls() const { return seconds_; }
  double trace_seconds_in_calls() const { return trace_seconds_; }
  double shift() const { return shift_; }
  /// When the rank has come to MPI_Finalize, or its last call has returned; in seconds since the
  /// begin.
  double end() const { return end_; }

 private:
  double planned_begin(const dumpi::Call& call, double now) const;
  double work_until_begin(const dumpi::Call& call);
  double wait_until_begin(const dumpi::Call& call);
  void make(std::uint64_t number, const dumpi::Call& call);

  const dumpi::RankTrace& trace_;
  const Timing timing_;
  const TimeLine line_;
  const Matching matching_;
  ReplayedRank rank_;
  std::uint64_t calls_ = 0, late_ = 0;
  double seconds_ = 0, trace_seconds_ = 0, shift_ = 0, end_ = 0;
  double begin_ = 0;            ///< MPI_Wtime()
  std::int64_t last_exit_ = 0;  ///< of the trace; 0: no call has been
};

}  // namespace replay
