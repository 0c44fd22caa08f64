// What a live job's ranks have noted for its profile and its timeline, put together.
#pragma once

#include <nlohmann/json.hpp>

#include "corespec/config/parameters.h"
#include "launch/description/options.h"
#include "launch/live_launcher/live_environment.h"
#include "launch/live_rank/rank_notes.h"
#include "launch/profile/run_description.h"
#include "launch/run_files/run_files.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace launch {

/// Which run it is; how long it took, and how it ended, is still to be filled in.
RunDescription describe_run(const AprunOptions& options, const LiveLayout& job,
                            const corespec::Parameters& parameters,
                            const gemini::Topology& topology);

/// True if something is to go wrong by a plan. Throws, with one line, what is wrong with the plan
/// or with options about it.
bool plans_faults(const AprunOptions& options, const corespec::Parameters& parameters);

/// Takes what the ranks have left, says what has gone wrong by a plan (not if `quiet`) and how many
/// ranks have left nothing, since they were killed, and writes the files.
void report_notes(const NotesWanted& wanted, RunDescription run, nlohmann::ordered_json positions,
                  bool quiet, RunFiles& files);

}  // namespace launch
