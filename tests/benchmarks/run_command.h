// Runs a shell command and keeps what it printed.
#pragma once

#include <string>
#include <vector>

namespace benchmarks {

struct Outcome {
  int code = -1;  ///< exit code; 128 + the signal's number if one ended it
  std::string out;
  std::string err;
};

/// Runs `command` in a shell, with a time limit of three minutes.
Outcome run_command(const std::string& command);

std::vector<std::string> lines_of(const std::string& text);
std::vector<std::string> split(const std::string& line, char separator);

}  // namespace benchmarks
