// The aprun under test, and what its tests look at in its output.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/launch/run_command.h"

namespace launch_test {

inline const std::string bin = std::string(BIN) + "/";
inline const std::string programs = std::string(PROGRAMS) + "/";

/// aprun with options and program; `variables` like "NAME=value NAME=value" go before it.
inline CommandResult aprun(const std::string& arguments, const std::string& variables = "") {
  return run_command("env " + variables + " " + bin + "aprun " + arguments);
}

inline std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}
inline std::vector<std::string> lines_of(const std::string& text) { return split(text, '\n'); }

}  // namespace launch_test
