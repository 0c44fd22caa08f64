// PAPI in a job: an ordinary program on it reads what its Gemini has counted; live it cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/aprun_command.h"
#include "tests/support/on_clock.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::aprun_on;
using launch_test::Clock;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::run_command;
using launch_test::sample;
using launch_test::tool;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class PapiInAJob : public testing::Test {
 protected:
  void SetUp() override {
    if (!HAS_PAPI) GTEST_SKIP() << "libpapi-dev was not there when Castor was configured";
    std::ofstream(map_) << run_command(tool("rtr") + " --system 2x2x2 --interconnect").output;
  }

  /// One rank on each of the first `ranks` Geminis.
  CommandResult run(int ranks, const std::string& program, Clock clock = Clock::virtual_time,
                    const std::string& options = "") const {
    std::string nodes = "0";
    for (int rank = 1; rank < ranks; ++rank) nodes += "," + std::to_string(2 * rank);
    return aprun_on(clock, "--system 2x2x2 -N 1 -L " + nodes + " -n " + std::to_string(ranks) +
                               " " + options + sample(program) + " " + map_);
  }

  const castor_test::TestFolder folder_;
  const std::string map_ = folder_ / "interconnect.txt";
};

TEST_F(PapiInAJob, AnEventIsWhatGpcdReads) {
  const CommandResult result = run(8, "papi_job");
  EXPECT_EQ(result.code, 0) << result.errors;
  std::vector<std::string> different;
  for (const std::string& line : lines_of(result.output)) {
    if (line.find("GPCD") != std::string::npos) different.push_back(line);
  }
  // An event that does not exist is libsde's to answer: -1, each time.
  EXPECT_EQ(different,
            std::vector<std::string>(16, "sde:::GEMINI::NO_SUCH_COUNTER:0:0: PAPI -1, GPCD 0"));
  for (int rank = 0; rank < 8; ++rank) {
    const std::string of = "rank " + std::to_string(rank) + ": ";
    // Hosts and a link of each dimension, by one tile. A read takes 0.9 us and 0.4 a register.
    EXPECT_THAT(
        result.output,
        AllOf(HasSubstr(of + "links: 28 events, 16 then 16 have counted, a read takes 102.0 us\n"),
              HasSubstr(of + "tiles 0 to 39, phits: 40 events, 9 then 9 have counted, a read takes "
                             "52.0 us\n"),
              HasSubstr(of + "tiles 40 to 47: 32 events, 8 then 8 have counted, a read takes 41.6 "
                             "us\n"),
              HasSubstr(of + "stalls: 4 events, 0 then 0 have counted, a read takes 10.8 us\n")));
  }
  EXPECT_EQ(run(8, "papi_job").output, result.output);
}

/// Each worker has four of the Geminis, whose traffic goes through those of both.
TEST_F(PapiInAJob, ReadsTheSameWithTwoWorkers) {
  const auto run_by = [&](const std::string& workers) {
    return run(8, "papi_job", Clock::virtual_time,
               "--compute modelled -e CASTOR_WORKERS=" + workers + " ");
  };
  const CommandResult first = run_by("1");
  EXPECT_EQ(first.code, 0) << first.errors;
  const CommandResult other = run_by("2");
  EXPECT_EQ(other.output, first.output);
  EXPECT_EQ(other.errors, first.errors);
}

TEST_F(PapiInAJob, WhatCannotBeReadIsNegative) {
  for (const Clock clock : {Clock::live, Clock::virtual_time}) {
    const std::string off = clock == Clock::live ? "" : "-e CASTOR_COUNTERS=off ";
    const CommandResult result = run(2, "papi_job", clock, off);
    EXPECT_EQ(result.code, 0) << result.errors;
    const std::vector<std::string> lines = lines_of(result.output);
    const auto with = [](const std::string& text) {
      return [text](const std::string& line) { return line.find(text) != std::string::npos; };
    };
    // Of each event both reads, and none is 0.
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), with(": PAPI -")), 2 * 2 * 105);
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), with("28 then 28 have counted")), 2);
    const std::vector<std::string> errors = lines_of(result.errors);
    EXPECT_EQ(std::count_if(errors.begin(), errors.end(), with("counters are not available")), 2)
        << result.errors;
  }
}

/// Tiles are as GPCD reads them; links that a dragonfly does not have are negative, and said once.
TEST_F(PapiInAJob, ADragonflyHasNoLinksOfATorus) {
  const CommandResult result =
      aprun_on(Clock::virtual_time,
               "--system dragonfly:2x1x2x4 -n 2 -N 1 -L 0,4 " + sample("papi_job") + " " + map_);
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.errors,
              HasSubstr("castor: PAPI: GM_TILE_PERF_VC0_PHIT_CNT:X+: this network has no such "
                        "link; HH and single tiles can be counted; the event's values are "
                        "negative\n"));
  EXPECT_THAT(result.output, HasSubstr("GM_TILE_PERF_VC0_PHIT_CNT:X+: PAPI -"));
  for (const std::string& line : lines_of(result.output)) {
    if (line.find("NO_SUCH_COUNTER") != std::string::npos) continue;
    EXPECT_THAT(line, testing::Not(testing::ContainsRegex(":[0-5]:[0-7]: PAPI"))) << line;
  }
}

TEST_F(PapiInAJob, IsNotForSharedImages) {
  const CommandResult result = run(2, "papi_shared");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(lines_of(result.errors), ElementsAre(AllOf(HasSubstr("CORESPEC_SHARED_IMAGE"),
                                                         HasSubstr("libcastor_papi.so.0 (PAPI)"))));
  const CommandResult opener = run(2, "papi_opener");
  EXPECT_EQ(opener.code, 0) << opener.errors;
  EXPECT_THAT(lines_of(opener.output),
              Each(AllOf(HasSubstr("papi_opener: declares CORESPEC_SHARED_IMAGE"),
                         HasSubstr("libcastor_papi.so.0 (PAPI)"))));
}

}  // namespace
