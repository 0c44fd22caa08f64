// What a run leaves about itself: profile, timeline, page.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "corespec/containers/text_table.h"
#include "corespec/events/observer.h"
#include "launch/description/options.h"
#include "launch/profile/profile_recorder.h"
#include "launch/profile/run_description.h"
#include "launch/timeline/timeline_recorder.h"
#include "launch/timeline/timeline_table.h"
#include "launch/timeline/trace_event_file.h"

namespace launch {

/// What the page shows of the machine, as RunPageParts has it; null: nothing.
struct MachineNotes {
  nlohmann::ordered_json positions;
  nlohmann::ordered_json counters;
  nlohmann::ordered_json telemetry;  ///< telemetry_json()
  std::string telemetry_csv;         ///< for FILE.csv
  std::string faults_csv;
};

/// The files of --profile, --timeline, --telemetry-file, --faults-file and --report, opened before
/// the run: one that cannot be written ends it early. Without these options nothing listens to the
/// run.
class RunFiles {
 public:
  enum class Writer : std::uint8_t { here, elsewhere };
  /// `elsewhere`: another process writes them, for which this one listens. Throws
  /// std::runtime_error with one line: the option, the file, why.
  explicit RunFiles(const AprunOptions& options, Writer writer = Writer::here);
  ~RunFiles();
  RunFiles(const RunFiles&) = delete;
  RunFiles& operator=(const RunFiles&) = delete;

  /// Nothing is to listen to the run.
  bool hears_nothing() const { return !wants_profile() && !wants_timeline(); }
  bool empty() const {
    return hears_nothing() && options_.telemetry_file.empty() && options_.faults_file.empty();
  }
  bool wants_profile() const { return !options_.profile.empty() || !options_.report.empty(); }
  bool wants_timeline() const { return !options_.timeline.empty() || !options_.report.empty(); }

  /// Makes ready to listen, before the ranks start; `nid_of` a rank.
  void begin(const std::function<int(int)>& nid_of);
  /// In virtual time: hears of everything at nodes.
  corespec::Observer& profile_listener() { return profile_; }
  /// Hears of all that a timeline needs, in the order in which it is shown.
  corespec::Observer& timeline_listener() { return timelines_; }
  /// For names of what other processes tell the timeline; they are kept as long as the timeline.
  corespec::TextTable& texts() { return texts_; }
  // Live, a rank's process adds its own profile up; so does a worker.
  void add(const ProfileData& ranks) { added_.add(ranks); }
  /// What was heard up to `end`, the run's.
  ProfileData take_profile(corespec::Time end) { return profile_.take(end); }

  /// After the run: files, and the profile's text on standard error unless the run is to be quiet.
  /// Throws as the constructor does.
  void write(const RunDescription& description, const MachineNotes& machine);

 private:
  class Listeners final : public corespec::Observer {
   public:
    void observe(const corespec::Occurrence& occurrence) override {
      for (corespec::Observer* each : all) each->observe(occurrence);
    }
    std::vector<corespec::Observer*> all;
  };

  void end(TimelineRecorder& timeline, const char* option, corespec::Time at) const;

  const AprunOptions& options_;
  std::FILE* profile_file_ = nullptr;
  std::FILE* report_file_ = nullptr;
  std::FILE* telemetry_file_ = nullptr;
  std::FILE* faults_file_ = nullptr;
  std::unique_ptr<TraceEventFile> timeline_file_;
  corespec::TextTable texts_;
  TimelineTable table_;          ///< of the page
  TimelineTable archive_table_;  ///< of --timeline, if that is to be an OTF2 archive
  Listeners timelines_;
  ProfileRecorder profile_;
  ProfileData added_;
  std::unique_ptr<TimelineRecorder> timeline_, page_timeline_;
};

/// What --timeline and --report are to show.
TimelineWindow timeline_window(const AprunOptions& options, const std::function<int(int)>& nid_of);

}  // namespace launch
