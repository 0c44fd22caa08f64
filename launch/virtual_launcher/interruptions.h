// What aprun says and does when the host interrupts a run in virtual time.
#pragma once

#include <string>
#include <string_view>

#include "launch/libc/rank_output.h"
#include "launch/virtual_launcher/first_worker.h"
#include "launch/virtual_launcher/progress_line.h"
#include "launch/virtual_run/run_control.h"
#include "launch/virtual_run/virtual_run.h"

namespace launch {

class Interruptions final : public RunControlClient {
 public:
  /// `workers` null: this process runs all of the job.
  Interruptions(VirtualRun& run, RankOutput& output, double limit_s, FirstWorker* workers)
      : run_(run),
        output_(output),
        workers_(workers),
        is_first_(workers == nullptr || workers->is_first()),
        errors_(output.launchers_errors()),
        progress_(errors_),
        limit_s_(limit_s) {
    output_.set_before_writing([this] { progress_.clear(); });
  }

  // RunControlClient
  void interrupted() override;
  void show_state() override;
  void rank_waits_outside() override { output_.write_out_all(); }
  void rank_computes() override;
  void show_progress(double elapsed_s) override;
  bool say_end_by_signal(int number) override;
  void say_end_by_limit() override;
  void is_copy(bool run_goes_on) override;
  void copy_has_ended() override;

  /// What every rank is doing, in lines.
  std::string states() const;
  /// The run has come to its limit of virtual time: that, then what every rank is doing.
  void say_time_limit(corespec::Time time);
  void end_progress() { progress_.clear(); }
  /// Where code of a rank's comes from.
  static std::string original_file(const corespec::Process& rank, const void* address);

 private:
  /// All that has been written out, then `why` with the present time, then what every rank is
  /// doing.
  void say(std::string_view why);
  void say(std::string_view why, const FirstWorker::Situation& situation);
  void say(const std::string& line, const std::string& states);
  FirstWorker::Situation own_situation() const;
  /// As say(), before the run is ended.
  void say_last(std::string_view why);

  VirtualRun& run_;
  RankOutput& output_;
  FirstWorker* workers_;
  bool is_first_;
  std::FILE* errors_;
  ProgressLine progress_;
  Rate rate_;  ///< of events
  double limit_s_;
  bool writes_out_ = true;  ///< false: what has been written out so far leaves another process
};

}  // namespace launch
