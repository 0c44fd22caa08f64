// Listens to a run, and writes what it has heard.
#include "launch/virtual_launcher/run_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "corespec/host/printable.h"
#include "launch/profile/profile_file.h"
#include "launch/profile/profile_text.h"
#include "launch/run_page/run_page.h"
#include "launch/virtual_launcher/counter_report.h"
#include "launch/virtual_run/virtual_run.h"

namespace launch {
namespace {

/// Spans and arrows of a page's timeline: browsers are slow with more.
constexpr std::uint64_t most_on_page = 200'000;

[[noreturn]] void refuse(const char* option, const std::string& name) {
  throw std::runtime_error(
      fmt::format("{} {}: {}", option, corespec::printable(name), std::strerror(errno)));
}

std::FILE* open(const char* option, const std::string& name) {
  std::FILE* const stream = std::fopen(name.c_str(), "we");
  if (stream == nullptr) refuse(option, name);
  return stream;
}

void write(std::FILE* stream, const char* option, const std::string& name,
           const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (std::fclose(stream) != 0 || !written) refuse(option, name);
}

/// Of the job's nodes: [nid, coordinates of its Gemini].
nlohmann::ordered_json positions_of(VirtualRun& run) {
  const gemini::Topology& topology = run.network().topology();
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const corespec::VirtualNode* node : run.all_nodes()) {
    const auto nid = static_cast<gemini::Nid>(node->nid());
    rows.push_back({nid, topology.position(topology.router_of(nid))});
  }
  return rows;
}

nlohmann::ordered_json counters_of(VirtualRun& run, corespec::Time end) {
  if (run.network().counters() == nullptr) return nullptr;
  return nlohmann::ordered_json::parse(counter_json(run, counter_report(run, end)));
}

}  // namespace

RunFiles::RunFiles(const AprunOptions& options) : options_(options) {
  if (!options.profile.empty()) profile_file_ = open("--profile", options.profile);
  if (!options.report.empty()) report_file_ = open("--report", options.report);
  if (!options.timeline.empty()) {
    timeline_.file = std::make_unique<TraceEventFile>("--timeline", options.timeline);
  }
}

RunFiles::~RunFiles() {
  for (std::FILE* const stream : {profile_file_, report_file_}) {
    if (stream != nullptr) std::fclose(stream);
  }
}

TimelineWindow RunFiles::window(VirtualRun& run) const {
  TimelineWindow made;
  made.from = corespec::Time::seconds(options_.timeline_from_s);
  if (options_.timeline_to_s > 0) made.to = corespec::Time::seconds(options_.timeline_to_s);
  for (const int rank : options_.timeline_ranks) {
    made.ranks.insert(rank);
    made.nids.insert(static_cast<std::uint32_t>(run.job().nid_of(rank)));
  }
  return made;
}

void RunFiles::listen(VirtualRun& run) {
  if (profile_file_ != nullptr || report_file_ != nullptr) {
    profile_ = std::make_unique<ProfileRecorder>();
    listeners_.all.push_back(profile_.get());
  }
  if (timeline_.file != nullptr) {
    timeline_.recorder = std::make_unique<TimelineRecorder>(*timeline_.file, window(run));
    listeners_.all.push_back(timeline_.recorder.get());
  }
  if (report_file_ != nullptr) {
    TimelineWindow shown = window(run);
    shown.most = most_on_page;
    report_timeline_.table = std::make_unique<TimelineTable>();
    report_timeline_.recorder =
        std::make_unique<TimelineRecorder>(*report_timeline_.table, std::move(shown));
    listeners_.all.push_back(report_timeline_.recorder.get());
  }
  if (!listeners_.all.empty()) run.machine().set_observer(&listeners_);
}

void RunFiles::end_timeline(Timeline& timeline, const char* option, corespec::Time end) const {
  timeline.recorder->end(end);
  if (timeline.recorder->left_out() == 0 || options_.quiet) return;
  fmt::print(stderr,
             "castor: {}: {} spans and arrows from {:.6f} s on are left out; choose some with "
             "--timeline-from, -to and -ranks\n",
             option, timeline.recorder->left_out(), timeline.recorder->left_out_from().s());
}

void RunFiles::write(VirtualRun& run, const RunDescription& description) {
  const corespec::Time end = corespec::Time::seconds(description.time_s);
  run.machine().set_observer(nullptr);
  if (timeline_.recorder != nullptr) {
    end_timeline(timeline_, "--timeline", end);
    timeline_.file->close(text_of(run_json(description)));
  }
  if (profile_ == nullptr) return;
  const ProfileData data = profile_->take(end);
  const ProfileSummary summary = summarise(data);
  const nlohmann::ordered_json profile = profile_json(data, summary, description);
  if (profile_file_ != nullptr) {
    launch::write(std::exchange(profile_file_, nullptr), "--profile", options_.profile,
                  lines_of(profile));
    if (!options_.quiet) fmt::print(stderr, "\n{}\n", profile_text(summary, description));
  }
  if (report_file_ == nullptr) return;
  end_timeline(report_timeline_, "--report", end);
  RunPageParts parts{profile, report_timeline_.table->json(), counters_of(run, end),
                     rank_calls_json(data, summary), positions_of(run)};
  parts.timeline["window"] = window_json(*report_timeline_.recorder);
  launch::write(std::exchange(report_file_, nullptr), "--report", options_.report, run_page(parts));
}

}  // namespace launch
