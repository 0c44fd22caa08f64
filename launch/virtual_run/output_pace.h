// Lets out what ranks write in the order of virtual time.
#pragma once

#include <cstddef>

#include "corespec/threads/thread.h"
#include "corespec/virtual/engine.h"
#include "launch/reports/job_output.h"
#include "launch/virtual_run/time_slices.h"

namespace launch {

/// While it exists the output comes in that order: the engine tells when something is settled. A
/// measured program may compute for long without coming back to the engine, so what its rank's own
/// time has left far enough behind goes out at its slices' ends.
class OutputPace final : public TimeSlices::Client,
                         private JobOutput::Pace,
                         private corespec::Engine::SettledListener {
 public:
  /// `distance`: nothing happens at a node so much earlier than the present time at another one.
  OutputPace(corespec::Engine& engine, JobOutput& output, corespec::Time distance);
  ~OutputPace();
  OutputPace(const OutputPace&) = delete;
  OutputPace& operator=(const OutputPace&) = delete;

  // TimeSlices::Client
  void slice_ended(corespec::Thread& thread) override;
  void waits_outside() override;

 private:
  void added(std::size_t bytes) override;
  void added_and_may_wait(std::size_t bytes) override;
  bool settled(corespec::Time time) override;

  corespec::Engine& engine_;
  JobOutput& output_;
  corespec::Time distance_;
};

}  // namespace launch
