// What has become of a live job, and its exit code.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/live_launcher/live_environment.h"
#include "launch/live_launcher/pmix_server.h"
#include "launch/live_launcher/rank_processes.h"
#include "launch/live_launcher/state_gatherer.h"

namespace launch {

/// The exit code of what has failed and has no code of its own.
constexpr int failed_exit = 1;

/// What a rank is known to have done, and what follows for the job.
class JobState {
 public:
  /// `missing`: symbols that the program refers to and no library has; using one is a fault.
  JobState(LiveLayout job, int ranks, std::vector<std::string> missing)
      : job_(std::move(job)),
        ranks_(static_cast<std::size_t>(ranks)),
        missing_(std::move(missing)) {}

  void note(const PmixReport& report);
  void note(const RankProcesses::Ended& ended, const StateGatherer& states);
  void note_signal(int number);
  /// A rank has waited too long in start-up.
  void note(const StateGatherer::LateStart& late);
  /// The PMIx server has ended, and no rank's end explains it.
  void note_lost_server();
  /// The job has taken longer than it may.
  void note_limit(double limit_s);

  bool must_end() const { return must_end_; }
  int exit_code() const { return exit_code_; }
  /// ALPS's line about how the job ended, if it did not end well.
  void print_end() const;

 private:
  struct Rank {
    bool joined = false, left = false, ended = false;
  };
  void say(int rank, std::string_view what) const;
  void fail(int code, std::string line);
  void end_job(int code, std::string line) {
    fail(code, std::move(line));
    must_end_ = true;
  }
  void note_exit(int rank, int code, const StateGatherer& states);
  void look_for_lost_ranks();

  LiveLayout job_;
  std::vector<Rank> ranks_;
  std::vector<std::string> missing_;
  bool must_end_ = false;
  int exit_code_ = 0;
  std::string end_line_;
};

}  // namespace launch
