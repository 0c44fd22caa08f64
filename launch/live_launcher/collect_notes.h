// What a live job's ranks have noted for its profile and its timeline, put together.
#pragma once

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

/// Takes what the ranks have left, and says how many have left nothing: they were killed.
void collect_notes(const NotesWanted& wanted, RunFiles& files, RunDescription& run);

}  // namespace launch
