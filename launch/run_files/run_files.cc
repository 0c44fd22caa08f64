// Listens to a run, and writes what it has heard.
#include "launch/run_files/run_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "corespec/host/output_file.h"
#include "corespec/host/printable.h"
#include "launch/profile/profile_file.h"
#include "launch/profile/profile_text.h"
#include "launch/run_page/run_page.h"
#include "launch/timeline/otf2_archive.h"

namespace launch {
namespace {

/// Spans and arrows of a page's timeline: browsers are slow with more.
constexpr std::uint64_t most_on_page = 200'000;

[[noreturn]] void refuse(const char* option, const std::string& name) {
  throw std::runtime_error(
      fmt::format("{} {}: {}", option, corespec::printable(name), std::strerror(errno)));
}

void write(std::FILE* stream, const char* option, const std::string& name,
           const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (std::fclose(stream) != 0 || !written) refuse(option, name);
}

}  // namespace

RunFiles::RunFiles(const AprunOptions& options, Writer writer) : options_(options) {
  if (writer == Writer::elsewhere) return;
  const auto open = [&](const char* option, const std::string& name) {
    return name.empty() ? nullptr : corespec::open_output(option, name, options.limit_s);
  };
  profile_file_ = open("--profile", options.profile);
  report_file_ = open("--report", options.report);
  telemetry_file_ = open("--telemetry-file", options.telemetry_file);
  faults_file_ = open("--faults-file", options.faults_file);
  if (names_otf2(options.timeline)) {
    check_otf2("--timeline", options.timeline);
  } else if (!options.timeline.empty()) {
    timeline_file_ =
        std::make_unique<TraceEventFile>("--timeline", options.timeline, options.limit_s);
  }
}

RunFiles::~RunFiles() {
  for (std::FILE* const stream : {profile_file_, report_file_, telemetry_file_, faults_file_}) {
    if (stream != nullptr) std::fclose(stream);
  }
}

TimelineWindow timeline_window(const AprunOptions& options, const std::function<int(int)>& nid_of) {
  TimelineWindow made;
  made.from = corespec::Time::seconds(options.timeline_from_s);
  if (options.timeline_to_s > 0) made.to = corespec::Time::seconds(options.timeline_to_s);
  for (const int rank : options.timeline_ranks) {
    made.ranks.insert(rank);
    made.nids.insert(static_cast<std::uint32_t>(nid_of(rank)));
  }
  return made;
}

void RunFiles::begin(const std::function<int(int)>& nid_of) {
  TimelineWindow window = timeline_window(options_, nid_of);
  if (!options_.timeline.empty()) {
    TimelineSink* const sink = timeline_file_ != nullptr
                                   ? static_cast<TimelineSink*>(timeline_file_.get())
                                   : &archive_table_;
    timeline_ = std::make_unique<TimelineRecorder>(*sink, window);
    timelines_.all.push_back(timeline_.get());
  }
  if (!options_.report.empty()) {
    window.most = most_on_page;
    page_timeline_ = std::make_unique<TimelineRecorder>(table_, std::move(window));
    timelines_.all.push_back(page_timeline_.get());
  }
}

void RunFiles::end(TimelineRecorder& timeline, const char* option, corespec::Time at) const {
  timeline.end(at);
  if (timeline.window().from >= at && at > corespec::Time()) {
    fmt::print(stderr,
               "castor: warning: {} is empty: the run ended at {:.9g} s, before --timeline-from "
               "{:.9g} s\n",
               option, at.s(), timeline.window().from.s());
  }
  if (timeline.left_out() == 0) return;
  fmt::print(stderr,
             "castor: {}: {} spans and arrows from {:.6f} s on are left out; choose some with "
             "--timeline-from, -to and -ranks\n",
             option, timeline.left_out(), timeline.left_out_from().s());
}

void RunFiles::write(const RunDescription& description, const MachineNotes& machine) {
  const corespec::Time at = corespec::Time::seconds(description.time_s);
  if (timeline_ != nullptr) {
    end(*timeline_, "--timeline", at);
    const std::string run = text_of(run_json(description));
    if (timeline_file_ != nullptr) {
      timeline_file_->close(run);
    } else {
      write_otf2("--timeline", options_.timeline, archive_table_, run);
    }
  }
  if (telemetry_file_ != nullptr) {
    launch::write(std::exchange(telemetry_file_, nullptr), "--telemetry-file",
                  options_.telemetry_file,
                  options_.telemetry_file.ends_with(".csv") ? machine.telemetry_csv
                                                            : lines_of(machine.telemetry));
  }
  if (faults_file_ != nullptr) {
    launch::write(std::exchange(faults_file_, nullptr), "--faults-file", options_.faults_file,
                  machine.faults_csv);
  }
  if (!wants_profile()) return;
  ProfileData data = profile_.take(at);
  data.add(added_);
  const ProfileSummary summary = summarise(data);
  const nlohmann::ordered_json profile = profile_json(data, summary, description);
  if (profile_file_ != nullptr) {
    launch::write(std::exchange(profile_file_, nullptr), "--profile", options_.profile,
                  lines_of(profile));
    if (!options_.quiet) fmt::print(stderr, "\n{}\n", profile_text(summary, description));
  }
  if (report_file_ == nullptr) return;
  end(*page_timeline_, "--report", at);
  RunPageParts parts{profile,           table_.json(),
                     machine.counters,  rank_calls_json(data, summary),
                     machine.positions, machine.telemetry};
  parts.timeline["window"] = window_json(*page_timeline_);
  launch::write(std::exchange(report_file_, nullptr), "--report", options_.report, run_page(parts));
}

}  // namespace launch
