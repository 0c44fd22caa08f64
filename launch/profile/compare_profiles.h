// Two runs beside each other.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace launch {

/// What differs between the runs of two profiles (see read_profile()) and what that did to their
/// times: lines for a terminal, each with its end.
std::string compare_profiles(const nlohmann::ordered_json& first,
                             const nlohmann::ordered_json& second);

}  // namespace launch
