// aprun --clock live --faults: what is wrong on the way between processes, and processes that a
// plan kills.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/launch/live_job.h"
#include "tests/support/aprun_command.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::LiveJob;
using launch_test::split;
using launch_test::tool;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

const std::string right = "fault_workload: 2 rounds of mpi,windows,armci,dmapp,ugni are right";

std::vector<std::string> workload(const std::string& faults, const std::string& ranks) {
  return {"-q",       "--faults", faults, "-n", ranks, "-N", "2", tool("fault_workload"),
          "--rounds", "2"};
}

/// What the launcher says. A program may hear of a peer's end before it is ended itself.
std::vector<std::string> errors_of(const LiveJob& job) {
  std::vector<std::string> lines = lines_of(job.errors());
  std::erase_if(lines, [](const std::string& line) {
    return line.find("ranks share CPUs") != std::string::npos ||
           line.rfind("fault_workload: rank ", 0) == 0;
  });
  return lines;
}

std::vector<std::string> rows_of(const std::string& name) {
  std::ifstream file(name);
  return lines_of({std::istreambuf_iterator<char>(file), {}});
}

/// All data of a mixed job comes through, and the file lists what has gone wrong meanwhile.
TEST(LiveFaultPlans, WhatHoldsUpChangesNoData) {
  const castor_test::TestFolder folder;
  const std::string file = folder / "faults.csv";
  const CommandResult run =
      aprun("--clock live --seed 3 --faults-file " + file +
            " --faults 'transport-again p=.1; transport-late by=100us p=.02; copy-refused p=.5; "
            "doorbell-lost nth=4 times=2; post-fails p=.01' -n 4 -N 2 " +
            tool("fault_workload") + " --rounds 2");
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_THAT(lines_of(run.output), Contains(right));
  const std::vector<std::string> rows = rows_of(file);
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows.front(), "fault,kind,time_us,node,peer");
  std::map<std::string, int> kinds;
  double before = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string> fields = split(rows[i], ',');
    ASSERT_EQ(fields.size(), 5U) << rows[i];
    EXPECT_THAT(fields[0], MatchesRegex("[1-5]\\.[01]\\.[0-9]+"));
    ++kinds[fields[1]];
    EXPECT_GE(std::stod(fields[2]), before);
    before = std::stod(fields[2]);
    EXPECT_THAT(fields[3], MatchesRegex("[01]"));
    EXPECT_THAT(fields[4], MatchesRegex("[01]"));
  }
  for (const char* kind : {"transport-again", "transport-late", "copy-refused", "post-fails"}) {
    EXPECT_GT(kinds[kind], 0) << kind;
  }
  const std::string summary = "castor: faults: " + std::to_string(rows.size() - 1) + ": ";
  EXPECT_THAT(lines_of(run.errors), Contains(HasSubstr(summary)));
}

/// Each occasion goes wrong, those that the fault itself brings, too.
TEST(LiveFaultPlans, NoPlanGoesOnForEver) {
  for (const char* const plan : {"transport-again", "transport-late by=50us", "copy-refused",
                                 "doorbell-lost", "post-refused for=20us"}) {
    LiveJob job(workload(plan, "4"));
    EXPECT_EQ(job.wait(), 0) << plan << job.errors();
  }
}

/// The rank ends there; its job ends with one line about it, and is gone.
TEST(LiveFaultPlans, AKilledRankEndsTheJobWhereverItIs) {
  for (const char* point :
       {"after-start", "before-send nth=1", "before-send nth=30", "after-send nth=12",
        "after-register nth=2", "before-copy nth=2", "in-copy nth=1", "after-copy nth=3",
        "in-barrier nth=1", "in-barrier nth=4", "at-end"}) {
    SCOPED_TRACE(point);
    LiveJob job(workload("rank-killed rank=2 point=" + std::string(point), "4"));
    EXPECT_EQ(job.wait(), 137);
    EXPECT_THAT(errors_of(job), ElementsAre("[NID 00001] Apid " + job.apid() + ": rank 2: Killed",
                                            "Application " + job.apid() + " exit signals: Killed"));
    EXPECT_EQ(job.left_behind(), "");
  }
}

/// What a process noted before its end is in the list.
TEST(LiveFaultPlans, TheListHasTheLastFault) {
  const castor_test::TestFolder folder;
  const std::string file = folder / "faults.csv";
  const CommandResult run = aprun(
      "--clock live --faults-file " + file +
      " --faults 'rank-killed rank=1 point=before-send nth=3' -n 2 -N 1 " + tool("fault_workload"));
  EXPECT_EQ(run.code, 137);
  EXPECT_THAT(rows_of(file), ElementsAre("fault,kind,time_us,node,peer",
                                         MatchesRegex("1\\.1\\.3,rank-killed,[0-9.]+,1,0")));
  EXPECT_THAT(lines_of(run.errors), Contains("castor: faults: 1: rank-killed 1"));
}

/// A peer that is out of reach, though it lives: whatever the ranks wait for, the job ends.
TEST(LiveFaultPlans, APeerOutOfReachEndsTheJob) {
  for (const char* when : {"nth=1", "nth=7", "nth=40"}) {
    SCOPED_TRACE(when);
    LiveJob job(workload("transport-fails rank=1 " + std::string(when), "4"));
    EXPECT_GT(job.wait(), 0);
    const std::vector<std::string> errors = errors_of(job);
    EXPECT_THAT(errors, ElementsAre(HasSubstr("Apid " + job.apid() + ": rank "),
                                    HasSubstr("Application " + job.apid() + " exit ")));
    EXPECT_EQ(job.left_behind(), "");
  }
}

TEST(LiveFaultPlans, WhatTheOtherClockHasIsRefused) {
  const auto refusal = [](const std::string& options) {
    const CommandResult run = aprun(options + " -n 2 " + tool("fault_workload"));
    EXPECT_NE(run.code, 0);
    EXPECT_EQ(run.output, "");
    const std::vector<std::string> lines = lines_of(run.errors);
    EXPECT_EQ(lines.size(), 1U) << run.errors;
    return lines.empty() ? "" : lines.front();
  };
  EXPECT_THAT(
      refusal("--faults 'copy-refused p=.5'"),
      HasSubstr("copy-refused: in virtual time ranks are no processes; aprun --clock live"));
  EXPECT_THAT(refusal("--clock live --faults 'link-down router=1 link=X+ at=1ms'"),
              HasSubstr("link-down: live, messages take the host's network"));
  const castor_test::TestFolder folder;
  EXPECT_THAT(refusal("--clock live --faults-file " + (folder / "f.csv")),
              HasSubstr("--faults-file: without"));
}

}  // namespace
