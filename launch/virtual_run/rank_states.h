// What every rank of a virtual run is doing, for people.
#pragma once

#include <string>
#include <string_view>

namespace launch {

class VirtualRun;

/// Lines, each with its end: for every rank the library call that it is in, what it waits for and
/// which messages wait there; ranks that do the same are said together. Each begins with `speaker`
/// and a colon. Called when no event is being handled, or by a thread of the machine, not by a
/// signal handler; any number of times: it changes nothing.
std::string describe_ranks(VirtualRun& run, std::string_view speaker = "aprun");

}  // namespace launch
