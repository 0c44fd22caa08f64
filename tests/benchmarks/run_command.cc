// Running commands from tests.
#include "tests/benchmarks/run_command.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace benchmarks {
namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

std::string scratch_directory() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  const std::string path =
      testing::TempDir() + "castor_" + info->test_suite_name() + "_" + info->name();
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

Outcome run_command(const std::string& command) {
  const std::string directory = scratch_directory();
  const std::string script = directory + "/command.sh";
  std::ofstream(script) << command << "\n";
  const std::string whole = "timeout -s KILL 180 bash '" + script + "' >'" + directory +
                            "/out' 2>'" + directory + "/err' </dev/null";
  const int status = std::system(whole.c_str());
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = contents(directory + "/out");
  outcome.err = contents(directory + "/err");
  std::filesystem::remove_all(directory);
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
