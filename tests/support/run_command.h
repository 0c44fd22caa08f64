// Runs a command for a test and keeps what it prints.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace launch_test {

struct CommandResult {
  int code = -1;       ///< exit code, or 128 + signal
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
};

/// Runs `command` in a shell, killed after a minute.
inline CommandResult run_command(const std::string& command) {
  std::array<char, 32> error_file{"/tmp/castor_errors_XXXXXX"};
  const int fd = mkstemp(error_file.data());
  if (fd < 0) return {};
  CommandResult result;
  const std::string line =
      "timeout -s KILL 60 " + command + " 2>" + error_file.data() + " </dev/null";
  FILE* pipe = popen(line.c_str(), "r");
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    result.output.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ifstream errors(error_file.data());
  result.errors.assign(std::istreambuf_iterator<char>(errors), std::istreambuf_iterator<char>());
  std::remove(error_file.data());
  return result;
}

/// script(1) gives a command a terminal, where there are any: a chroot may have none.
inline bool has_terminals() { return run_command("script -qec true /dev/null").code == 0; }

}  // namespace launch_test
