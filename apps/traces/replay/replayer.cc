// When calls begin.
#include "apps/traces/replay/replayer.h"

#include <mpi.h>

#include <algorithm>
#include <utility>

#include "apps/traces/replay/replayed_calls.h"
#include "corespec_work.h"

namespace replay {
namespace {

using dumpi::Call;
using dumpi::Label;

/// Of differences: what has passed since 1970 has more digits than a double.
double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

}  // namespace

Replayer::Replayer(const dumpi::RankTrace& trace, Timing timing, const TimeLine& line,
                   Matching matching)
    : trace_(trace), timing_(timing), line_(line), matching_(std::move(matching)), rank_(trace) {}

void Replayer::run(const std::function<void(const Timed&)>& tell) {
  dumpi::CallReader reader(trace_);
  Call call;
  MPI_Barrier(MPI_COMM_WORLD);
  begin_ = MPI_Wtime();
  for (std::uint64_t number = 0; reader.next(call); ++number) {
    if (call.label == Label::Init || call.label == Label::Init_thread) continue;
    if (call.label == Label::Finalize) {
      // What the program did before it is its last interval.
      end_ = work_until_begin(call) - begin_;
      break;
    }
    ++calls_;
    const double begin = wait_until_begin(call);
    make(number, call);
    const double time = MPI_Wtime() - begin;
    end_ = begin + time - begin_;
    const double trace_time = seconds(call.wall->exit - call.wall->entry);
    last_exit_ = call.wall->exit;
    seconds_ += time;
    trace_seconds_ += trace_time;
    tell({call, seconds(call.wall->entry - line_.begin_ns), trace_time, begin - begin_, time,
          shift_});
  }
  rank_.cancel_all();
}

double Replayer::planned_begin(const Call& call, double now) const {
  const std::int64_t entry = call.wall->entry;
  if (timing_ == Timing::gaps && last_exit_ != 0) {
    return now + std::max(0.0, seconds(entry - last_exit_));
  }
  const double planned = begin_ + seconds(entry - line_.begin_ns) + line_.skew_s;
  return timing_ == Timing::shift ? planned + shift_ : planned;
}

/// Returns when the call begins.
double Replayer::work_until_begin(const Call& call) {
  const double now = MPI_Wtime();
  const double planned = planned_begin(call, now);
  if (now < planned) corespec_work_ns((planned - now) * 1e9);
  return MPI_Wtime();
}

/// The same, and notes how late it is.
double Replayer::wait_until_begin(const Call& call) {
  const double now = MPI_Wtime();
  const double planned = planned_begin(call, now);
  if (now > planned) {
    ++late_;
    if (timing_ == Timing::shift) shift_ += now - planned;
    return now;
  }
  return work_until_begin(call);
}

void Replayer::make(std::uint64_t number, const Call& call) {
  const auto left_out = matching_.left_out.find(number);
  rank_.begin_call(number, call.label);
  rank_.leave_out(left_out == matching_.left_out.end() ? std::vector<std::pair<Half, std::size_t>>()
                                                       : left_out->second);
  const Make known = find_make(call.label);
  if (known == nullptr) rank_.fail("such a call is not replayed");
  known(rank_, call);
}

}  // namespace replay
