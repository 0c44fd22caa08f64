// Running commands from tests.
#include "tests/benchmarks/run_command.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/support/test_folder.h"

namespace benchmarks {
namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

Outcome run_command(const std::string& command) {
  const castor_test::TestFolder folder;
  const std::string script = folder / "command.sh";
  std::ofstream(script) << command << "\n";
  const std::string whole = "timeout -s KILL 180 bash '" + script + "' >'" + (folder / "out") +
                            "' 2>'" + (folder / "err") + "' </dev/null";
  const int status = std::system(whole.c_str());
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = contents(folder / "out");
  outcome.err = contents(folder / "err");
  return outcome;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : line) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace benchmarks
