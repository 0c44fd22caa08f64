// A profile as text for a terminal.
#pragma once

#include <string>

#include "launch/profile/profile_summary.h"
#include "launch/profile/run_description.h"

namespace launch {

/// Functions by time as CrayPat's tables have them, where each rank's time went, messages by size
/// and by protocol, what progress threads did: lines, each with its end.
std::string profile_text(const ProfileSummary& profile, const RunDescription& run);

/// 4096 as "4K", 1048576 as "1M".
std::string short_bytes(std::uint64_t bytes);
/// The class of a histogram: "< 1", "16 - 31", "4K - 8K".
std::string size_class_text(std::size_t number);

}  // namespace launch
