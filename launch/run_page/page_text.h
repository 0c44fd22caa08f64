// Texts of a run's JSON, for pages.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace launch {

/// Bytes that are no UTF-8 (a program's arguments may have them) become U+FFFD.
inline std::string json_text(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// The program of a profile's part "run", without its folders.
inline std::string file_name(const nlohmann::ordered_json& run) {
  const std::string program = run.at("program").get<std::string>();
  return program.substr(program.rfind('/') + 1);
}

}  // namespace launch
