// What a run leaves about itself: profile, timeline, page.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "corespec/events/observer.h"
#include "launch/description/options.h"
#include "launch/profile/profile_recorder.h"
#include "launch/profile/run_description.h"
#include "launch/timeline/timeline_recorder.h"
#include "launch/timeline/timeline_table.h"
#include "launch/timeline/trace_event_file.h"

namespace launch {

class VirtualRun;

/// The files of --profile, --timeline and --report, opened before the run: one that cannot be
/// written ends it early. Without these options nothing listens to the run.
class RunFiles {
 public:
  /// Throws std::runtime_error with one line: the option, the file, why.
  explicit RunFiles(const AprunOptions& options);
  ~RunFiles();
  RunFiles(const RunFiles&) = delete;
  RunFiles& operator=(const RunFiles&) = delete;

  bool empty() const { return listeners_.all.empty(); }
  /// Before the ranks start.
  void listen(VirtualRun& run);
  /// After the run: files, and the profile's text on standard error unless the run is to be quiet.
  /// Throws as the constructor does.
  void write(VirtualRun& run, const RunDescription& description);

 private:
  /// Everything that listens.
  class Listeners final : public corespec::Observer {
   public:
    void observe(const corespec::Occurrence& occurrence) override {
      for (corespec::Observer* each : all) each->observe(occurrence);
    }
    std::vector<corespec::Observer*> all;
  };
  /// A timeline's recorder, and where it writes.
  struct Timeline {
    std::unique_ptr<TraceEventFile> file;
    std::unique_ptr<TimelineTable> table;
    std::unique_ptr<TimelineRecorder> recorder;
  };

  TimelineWindow window(VirtualRun& run) const;
  void end_timeline(Timeline& timeline, const char* option, corespec::Time end) const;

  const AprunOptions& options_;
  std::FILE* profile_file_ = nullptr;
  std::FILE* report_file_ = nullptr;
  Listeners listeners_;
  std::unique_ptr<ProfileRecorder> profile_;
  Timeline timeline_, report_timeline_;
};

}  // namespace launch
