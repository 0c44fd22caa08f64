// The page of HTML that puts two runs beside each other: aprun --compare with --report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace launch {

/// Of two profiles (see read_profile()).
std::string compare_page(const nlohmann::ordered_json& first, const nlohmann::ordered_json& second);

}  // namespace launch
