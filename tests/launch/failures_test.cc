// Jobs on a network whose links fail and which loses packets: they run on with right results,
// repeat, and end with one line where a node cannot be reached.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/aprun_command.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::fingerprint;
using launch_test::lines_of;
using launch_test::sample;
using launch_test::tool;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

const std::string failing =
    "CASTOR_LINK_FAILURES='links-down count=60 seed=5 until=3ms for=1ms' CASTOR_LOST_PACKETS=2000";

std::string fault_line(const CommandResult& run) {
  for (const std::string& line : lines_of(run.errors)) {
    if (line.rfind("castor: network: lost ", 0) == 0) return line;
  }
  return "none";
}

TEST(FailureJobs, GiveTheResultsOfAWholeNetwork) {
  for (const char* program : {"mpi_job", "mpi_pieces", "message_queues"}) {
    const std::string job = " -n 16 -N 2 --system 4x4x2 " + sample(program);
    const CommandResult whole = aprun("-q" + job);
    EXPECT_EQ(whole.code, 0) << whole.errors;
    for (const char* fidelity : {"message", "packet"}) {
      const CommandResult run = aprun(
          std::string("--fidelity ") + fidelity + job,
          "CASTOR_LOST_PACKETS=20 CASTOR_LINK_FAILURES='links-down count=30 seed=5 at=0s until=1ns "
          "for=300us'");
      EXPECT_EQ(run.code, 0) << run.errors;
      auto expected = lines_of(whole.output), given = lines_of(run.output);
      std::sort(expected.begin(), expected.end());
      std::sort(given.begin(), given.end());
      EXPECT_EQ(given, expected) << program << " " << fidelity;
      EXPECT_THAT(fault_line(run), testing::Not(HasSubstr("on failed links 0, otherwise 0")));
      EXPECT_THAT(fault_line(run), HasSubstr("given up 0;"));
    }
  }
}

/// Messages by MPI, credits and datagrams by the NICs. A message whose response alone is lost may
/// not come again: it ends the job.
TEST(FailureJobs, WhatTheNetworkGivesUpIsSentAgain) {
  const std::string job = "--compute modelled -n 16 -N 2 " + sample("mpi_job");
  const CommandResult whole = aprun("-q " + job);
  auto expected = lines_of(whole.output);
  std::sort(expected.begin(), expected.end());
  int right = 0;
  for (int seed = 1; seed <= 12; ++seed) {
    const CommandResult run =
        aprun("--audit --seed " + std::to_string(seed) + " " + job,
              "CASTOR_LOST_PACKETS=500 CASTOR_RETRANSMIT_TRIES=0 CASTOR_SMSG_CREDITS=2");
    if (run.code == 137) {
      EXPECT_THAT(run.errors, HasSubstr("no response from it")) << seed;
      continue;
    }
    EXPECT_EQ(run.code, 0) << seed << run.errors;
    auto given = lines_of(run.output);
    std::sort(given.begin(), given.end());
    EXPECT_EQ(given, expected) << seed;
    if (fault_line(run).find("given up 0;") == std::string::npos) ++right;
  }
  EXPECT_GE(right, 6);
}

TEST(FailureJobs, RepeatWithAnyNumberOfWorkers) {
  const std::string job = " --system 4x4x4 -n 128 -N 2 " + tool("halo_scale") + " -i 20";
  const CommandResult one = aprun("--workers 1" + job, failing);
  EXPECT_EQ(one.code, 0) << one.errors;
  for (const char* workers : {"1", "2", "3"}) {
    const CommandResult again = aprun("--workers " + std::string(workers) + job, failing);
    EXPECT_EQ(again.output, one.output) << workers;
    EXPECT_EQ(fingerprint(again), fingerprint(one)) << workers;
    EXPECT_EQ(fault_line(again), fault_line(one)) << workers;
  }
  const CommandResult other = aprun("--workers 1" + job, failing + " CASTOR_SEED=2");
  EXPECT_NE(fingerprint(other), fingerprint(one));
}

TEST(FailureJobs, APlanWithoutFailuresChangesNothing) {
  const std::string job = "-n 32 -N 2 --system 4x4x2 " + tool("halo_scale") + " -i 3";
  const CommandResult none = aprun(job);
  const CommandResult empty =
      aprun(job, "CASTOR_LINK_FAILURES='links-down count=0 seed=1 until=1s'");
  EXPECT_EQ(fingerprint(empty), fingerprint(none));
  EXPECT_EQ(fingerprint(none).size(), 16U);
}

TEST(FailureJobs, ANodeThatCannotBeReachedEndsTheJobWithOneLine) {
  const std::string cut =
      "CASTOR_RETRANSMIT_TRIES=3 CASTOR_LINK_FAILURES='link-down router=1 link=X+ at=1ms; "
      "link-down "
      "router=1 link=X- at=1ms'";
  for (const char* fidelity : {"message", "packet"}) {
    for (const std::string& program : {tool("halo_scale") + " -i 1000", tool("armci_perf")}) {
      const CommandResult run = aprun(
          std::string("--fidelity ") + fidelity + " --system 4x1x1 -n 8 -N 1 " + program, cut);
      EXPECT_EQ(run.code, 137) << run.errors;
      const auto lines = lines_of(run.errors);
      const auto is_it = [](const std::string& line) {
        return line.find(
                   "killed: transaction error: no way to the node, or no response from it (to "
                   "nid0000") != std::string::npos;
      };
      EXPECT_EQ(std::count_if(lines.begin(), lines.end(), is_it), 1) << run.errors;
    }
  }
}

TEST(FailureJobs, WhatIsWrongWithAPlanIsSaidInOneLine) {
  const std::string job = "-n 2 -N 1 " + tool("halo_scale");
  const CommandResult bad = aprun(job, "CASTOR_LINK_FAILURES='link-down router=0 link=X+'");
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(bad.errors, "aprun: CASTOR_LINK_FAILURES: link-down: at= is missing\n");
  const CommandResult damaged = aprun(job, "CASTOR_LINK_ERRORS=100");
  EXPECT_EQ(damaged.code, 2);
  EXPECT_EQ(damaged.errors,
            "aprun: CASTOR_LINK_ERRORS: links send packets again in fidelity packet alone (aprun "
            "--fidelity)\n");
}

}  // namespace
