// Runs a test's job live: the test program starts itself again as every rank, under aprun.
#include "tests/support/live_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "corespec/config/parameters.h"

namespace castor_test {
namespace {

constexpr int patience_seconds = 100;

std::string own_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length <= 0 ? std::string() : std::string(path, static_cast<std::size_t>(length));
}

std::string current_test() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format("{}.{}", test.test_suite_name(), test.name());
}

/// Jobs that the current test has run before this one: GoogleTest keeps the count.
int next_number() {
  constexpr const char* jobs = "live_jobs";
  const testing::TestResult& result =
      *testing::UnitTest::GetInstance()->current_test_info()->result();
  int number = 0;
  for (int i = 0; i < result.test_property_count(); ++i) {
    const testing::TestProperty& property = result.GetTestProperty(i);
    if (std::string(property.key()) == jobs) number = std::stoi(property.value());
  }
  testing::Test::RecordProperty(jobs, number + 1);
  return number;
}

/// A variable of the environment; empty if it is not there.
std::string variable(const std::string& name) {
  for (const auto& [key, value] : corespec::environment()) {
    if (key == name) return value;
  }
  return {};
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      result += "'\\''";
    } else {
      result += letter;
    }
  }
  return result + "'";
}

LiveOutcome run(const std::string& command) {
  LiveOutcome outcome;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) {
    outcome.status = -1;
    return outcome;
  }
  char part[4096];
  while (const std::size_t length = std::fread(part, 1, sizeof part, pipe)) {
    outcome.output.append(part, length);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace

LiveOutcome run_live(const launch::JobRequest& request, const std::function<void()>& body) {
  const int number = next_number();
  if (const std::string wanted = variable("TEST_JOB"); !wanted.empty()) {
    LiveOutcome outcome;
    outcome.is_rank = true;
    if (std::to_string(number) != wanted) return outcome;
    body();
    std::fflush(nullptr);
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  }
  // A rank runs this one test, whichever part of all tests this process runs (GTEST_TOTAL_SHARDS).
  std::string command = fmt::format(
      "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX timeout -s KILL {} {}/aprun --clock live -q "
      "-n {} -N {}",
      patience_seconds, own_path().substr(0, own_path().rfind('/')) + "/../bin", request.ranks,
      request.placement.ranks_per_node);
  command += " --system " + quoted(request.system);
  if (request.placement.service_cpus != 0) {
    command += fmt::format(" -r {}", request.placement.service_cpus);
  }
  if (!request.nids.empty()) command += fmt::format(" -L {}", fmt::join(request.nids, ","));
  for (const auto& [name, value] : request.settings) {
    command += " -e " + quoted(name + "=" + value);
  }
  command += fmt::format(" -e TEST_JOB={} {} --gtest_filter={}", number, quoted(own_path()),
                         quoted(current_test()));
  return run(command);
}

}  // namespace castor_test
