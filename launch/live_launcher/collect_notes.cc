// Puts the ranks' notes together.
#include "launch/live_launcher/collect_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "launch/live_rank/fault_notes.h"
#include "launch/profile/profile_file.h"
#include "launch/reports/fault_list.h"
#include "launch/timeline/occurrence_log.h"
#include "ugni_emu/faults/fault_plan.h"

namespace launch {
namespace {

std::string content_of(const std::string& name) {
  std::ifstream stream(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void collect_notes(const NotesWanted& wanted, RunFiles& files, RunDescription& run) {
  int missing = 0;
  OccurrenceList occurrences(files.texts());
  for (int rank = 0; rank < run.ranks; ++rank) {
    const std::string profile = content_of(profile_note(wanted, rank));
    const std::string timeline = content_of(timeline_note(wanted, rank));
    if (profile.empty() && timeline.empty() && wanted.window.holds_rank(rank)) ++missing;
    if (!profile.empty()) {
      const ProfileData data = unpack_profile(profile);
      for (const RankProfile& each : data.ranks) {
        run.time_s = std::max(run.time_s, each.end.s());
      }
      files.add(data);
    }
    if (!timeline.empty()) occurrences.add(timeline);
  }
  for (const corespec::Occurrence& each : occurrences.in_order()) {
    files.timeline_listener().observe(each);
    run.time_s = std::max(run.time_s, each.end.s());
  }
  if (missing == 0) return;
  fmt::print(stderr,
             "castor: {} of {} ranks have left no profile: they made no call of Castor's, or were "
             "killed\n",
             missing, run.ranks);
}

FaultList collect_faults(const NotesWanted& wanted, int ranks) {
  FaultList all;
  for (int rank = 0; rank < ranks; ++rank) {
    for (const faults::Fault& each : FaultNotes::read(fault_note(wanted, rank))) all.add(each);
  }
  all.sort();
  return all;
}

}  // namespace

RunDescription describe_run(const AprunOptions& options, const LiveLayout& job,
                            const corespec::Parameters& parameters,
                            const gemini::Topology& topology) {
  RunDescription made;
  made.command = options.words;
  made.program = options.program;
  made.clock = "live";
  made.system = options.system;
  made.machine = {topology.describe()};
  made.ranks = options.ranks;
  made.nodes = static_cast<int>(job.nids.size());
  for (int rank = 0; rank < options.ranks; ++rank) made.nid_of_rank.push_back(job.nid_of(rank));
  made.parameters = changed_parameters(parameters);
  made.measured = true;
  return made;
}

bool plans_faults(const AprunOptions& options, const corespec::Parameters& parameters) {
  const faults::FaultPlan plan(parameters.faults, parameters.faults_only,
                               static_cast<std::uint64_t>(parameters.seed),
                               faults::FaultPlan::Machine::live);
  if (!options.faults_file.empty() && parameters.faults.empty()) {
    throw UsageError("--faults-file: without --faults nothing goes wrong by a plan");
  }
  return !plan.none();
}

void report_notes(const NotesWanted& wanted, RunDescription run, nlohmann::ordered_json positions,
                  bool quiet, RunFiles& files) {
  const FaultList faults = collect_faults(wanted, run.ranks);
  if (wanted.faults && !quiet) fmt::print(stderr, "castor: faults: {}\n", faults.summary());
  if (files.empty()) return;
  if (!files.hears_nothing()) collect_notes(wanted, files, run);
  files.write(run, {std::move(positions), nullptr, nullptr, {}, faults.csv()});
}

}  // namespace launch
