// GPCD in a job: S0's figure 1 prints what its Gemini has counted; live it says why it cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/aprun_command.h"
#include "tests/support/on_clock.h"

namespace {

using launch_test::aprun;
using launch_test::aprun_on;
using launch_test::Clock;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using testing::HasSubstr;

const std::string program = sample("figure1_job");
const std::string pair = "--system 2x1x1 -n 2 -N 1 -L 0,2 ";

/// The values that figure 1 prints: the first line is the last tile's last counter.
std::vector<unsigned long> values_of(const CommandResult& result) {
  std::vector<unsigned long> values;
  const std::regex line("Counter GM_[0-5]_[0-7]_TILE_PERFORMANCE_COUNTERS_[0-5]: Value=([0-9]+)");
  for (const std::string& each : lines_of(result.output)) {
    std::smatch match;
    if (std::regex_match(each, match, line)) values.push_back(std::stoul(match[1]));
  }
  return values;
}

/// The second rank's router has nids 4 to 7.
TEST(GpcdInAJob, OnADragonflyARoutersFourNicsMayBeNamed) {
  const CommandResult result = aprun("--system dragonfly:2x1x2x4 -n 2 -N 1 -L 0,4 " + program);
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(values_of(result).size(), 288U);
  EXPECT_THAT(result.output, HasSubstr("of nid 0: 0\nof nid 1: -1\nof nid 2: -1\nof nid 3: -1\n"
                                       "of nid 4: 0\nof nid 5: 0\n"));
}

TEST(GpcdInAJob, FigureOnePrintsWhatHasArrived) {
  const CommandResult result = aprun(pair + program);
  EXPECT_EQ(result.code, 0) << result.errors;
  const std::vector<unsigned long> values = values_of(result);
  ASSERT_EQ(values.size(), 288U);
  unsigned long sums[6] = {};
  for (std::size_t at = 0; at < values.size(); ++at) sums[5 - at % 6] += values[at];
  EXPECT_GT(sums[0], 16 * 32U) << "a message of 1,000 bytes";
  EXPECT_GE(sums[2], 16U);
  EXPECT_EQ(sums[1], 3 * sums[3]) << "responses to PUTs";
  EXPECT_EQ(sums[4] + sums[5], 0U) << "no stalls in fidelity message";
  // Host tiles count what the Gemini's own NICs send, too; 1,000 bytes are 63 flits.
  unsigned long packets = 0, flits = 0;
  for (const std::string& line : lines_of(result.output)) {
    std::sscanf(line.c_str(), "requests %lu, flits %lu", &packets, &flits);
  }
  EXPECT_LE(packets, sums[2]);
  EXPECT_GE(packets, 16U);
  EXPECT_GE(flits, 63U);
  // The own Gemini's two NICs are nids 2 and 3; 0 means the own one, too.
  EXPECT_THAT(result.output, HasSubstr("of nid 0: 0\nof nid 1: -1\nof nid 2: 0\nof nid 3: 0\n"
                                       "of nid 4: -1\nof nid 5: -1\n"));
  EXPECT_EQ(aprun(pair + program).output, result.output);
}

TEST(GpcdInAJob, AReadTakesItsTime) {
  const auto time_of = [](const CommandResult& result) {
    for (const std::string& line : lines_of(result.output)) {
      if (line.ends_with(" us")) return std::stod(line);
    }
    return 0.0;
  };
  const double some = time_of(aprun(pair + "--compute modelled " + program + " time"));
  const double more =
      time_of(aprun(pair + "--compute modelled -e CASTOR_REGISTER_READ=1400 " + program + " time"));
  EXPECT_GT(some, 288 * 0.4);
  EXPECT_NEAR(more - some, 288, 0.2);
}

TEST(GpcdInAJob, AProgramWithoutAprunCountsToo) {
  // A rank alone sends nothing over a link or out of its Gemini.
  const CommandResult result = launch_test::run_command(sample("figure1_alone"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(values_of(result), std::vector<unsigned long>(288));
  EXPECT_EQ(result.errors, "");
  const CommandResult off =
      launch_test::run_command("env CASTOR_COUNTERS=off " + sample("figure1_alone"));
  EXPECT_THAT(off.errors, HasSubstr("GPCD's counters are not available"));
}

TEST(GpcdInAJob, SaysOnceWhereNothingCounts) {
  for (const Clock clock : {Clock::live, Clock::virtual_time}) {
    const std::string off = clock == Clock::live ? "" : "-e CASTOR_COUNTERS=off ";
    const CommandResult result = aprun_on(clock, pair + off + program);
    EXPECT_EQ(result.code, 0) << result.errors;
    const std::vector<std::string> lines = lines_of(result.errors);
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                            [](const std::string& line) {
                              return line.find("GPCD's counters are not available") !=
                                     std::string::npos;
                            }),
              1)
        << result.errors;
    const std::vector<unsigned long> values = values_of(result);
    EXPECT_EQ(values, std::vector<unsigned long>(288));
    EXPECT_THAT(result.output, HasSubstr("of nid 2: -1\n"));
  }
}

}  // namespace
