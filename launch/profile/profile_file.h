// A profile as a file: JSON, "castor profile 1" (docs/profile.md says what is in it).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "launch/profile/profile_data.h"
#include "launch/profile/profile_summary.h"
#include "launch/profile/run_description.h"

namespace launch {

/// What a run was: the part "run" of every file about it.
nlohmann::ordered_json run_json(const RunDescription& run);

nlohmann::ordered_json profile_json(const ProfileData& data, const ProfileSummary& summary,
                                    const RunDescription& run);

/// The functions that took most of the time, by rank: {names, seconds: a row for each function,
/// with the ranks in the order of the profile's}. For pages: a file has them added up.
nlohmann::ordered_json rank_calls_json(const ProfileData& data, const ProfileSummary& summary);

/// A value's text. Bytes that are no UTF-8 (a program's arguments may have them) become U+FFFD.
std::string text_of(const nlohmann::ordered_json& value);
/// An object's text, a line for each of its parts.
std::string lines_of(const nlohmann::ordered_json& object);

/// Reads a file of profile_json(). Throws std::invalid_argument with one line: the file, what is
/// wrong with it.
nlohmann::ordered_json read_profile(const std::string& file);

/// The profile of some ranks on its way to the launcher, whole; and back. The second throws
/// std::runtime_error if `text` is not what the first makes.
std::string pack_profile(const ProfileData& data);
ProfileData unpack_profile(std::string_view text);

}  // namespace launch
