// What every rank of a virtual run is doing, for people.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/threads/process.h"
#include "launch/symbols/code_place.h"

namespace launch {

class VirtualRun;

/// Lines, each with its end: for every rank the library call that it is in, what it waits for and
/// which messages wait there; ranks that do the same are said together. Each begins with `speaker`
/// and a colon. `original` says where code of a rank's comes from. Called when no event is being
/// handled, or by a thread of the machine, not by a signal handler; any number of times: it changes
/// nothing.
using OriginalFileOfRank =
    std::function<std::string(const corespec::Process& rank, const void* address)>;
std::string describe_ranks(VirtualRun& run, std::string_view speaker,
                           const OriginalFileOfRank& original = {});

// The same of a job in parts: what each part's ranks are doing, as bytes, and the lines about all.
std::string pack_situations(VirtualRun& run, const OriginalFileOfRank& original);
/// Throws std::runtime_error if these are no such bytes.
std::string describe_parts(std::string_view speaker, int ranks,
                           const std::vector<std::string>& parts);

}  // namespace launch
