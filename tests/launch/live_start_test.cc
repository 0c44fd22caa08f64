// Starting live jobs: ranks meet, under aprun, Open MPI's mpirun, Slurm's srun, and alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
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
using launch_test::run_command;
using launch_test::split;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

const std::string rank = LIVE_RANK;
const std::string mpirun = "mpirun.openmpi --allow-run-as-root --oversubscribe ";

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines = lines_of(text);
  std::sort(lines.begin(), lines.end());
  return lines;
}

// ---- The exchange, under every launcher

TEST(LiveStart, RanksExchange) {
  LiveJob job({"-q", "-n", "4", "-N", "2", rank, "exchange"});
  EXPECT_EQ(job.wait(), 0);
  EXPECT_THAT(sorted_lines(job.output()),
              ElementsAre("rank 0 of 4: 0 wrong", "rank 1 of 4: 0 wrong", "rank 2 of 4: 0 wrong",
                          "rank 3 of 4: 0 wrong"));
  EXPECT_EQ(job.errors(), "");
  EXPECT_EQ(job.left_behind(), "");
}

TEST(LiveStart, AsManyRanksAsAskedFor) {
  LiveJob job({"-q", "-n", "24", rank, "exchange"});
  EXPECT_EQ(job.wait(), 0);
  EXPECT_EQ(lines_of(job.output()).size(), 24U) << job.output();
  EXPECT_THAT(job.output(), Not(HasSubstr(" 1 wrong")));
  EXPECT_EQ(job.left_behind(), "");
}

TEST(LiveStart, UnderOpenMpisLauncher) {
  const CommandResult result = run_command(mpirun + "-n 3 " + rank + " exchange");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(sorted_lines(result.output),
              ElementsAre("rank 0 of 3: 0 wrong", "rank 1 of 3: 0 wrong", "rank 2 of 3: 0 wrong"));
  EXPECT_THAT(sorted_lines(run_command(mpirun + "-n 2 " + rank + " places").output),
              ElementsAre("rank 0 of 2 local 0 1 hosts 0 0", "rank 1 of 2 local 0 1 hosts 0 0"));
}

TEST(LiveStart, AbortsUnderOpenMpisLauncher) {
  const CommandResult result =
      run_command("timeout -s KILL 60 " + mpirun + "-n 3 " + rank + " abort 1 5");
  EXPECT_EQ(result.code, 5);
  EXPECT_THAT(result.errors, HasSubstr("castor: rank 1: rank gives up\n"));
}

TEST(LiveStart, AloneWithoutLauncher) {
  const CommandResult result = run_command(rank + " exchange");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, "rank 0 of 1: 0 wrong\n");
  EXPECT_EQ(run_command(rank + " places").output, "rank 0 of 1 local 0 hosts 0\n");
}

TEST(LiveStart, AprunInAprunsJob) {
  // What the outer launcher told its ranks is not for the inner one's.
  const std::string inner = launch_test::tool("aprun") + " -q --clock live -n 2 " + rank;
  const CommandResult result = aprun("-q --clock live -n 1 " + inner + " exchange");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(sorted_lines(result.output),
              ElementsAre("rank 0 of 2: 0 wrong", "rank 1 of 2: 0 wrong"));
}

TEST(LiveStart, LauncherThatIsGone) {
  const CommandResult result = run_command(
      "env PMIX_NAMESPACE=gone PMIX_RANK=0 PMIX_SERVER_URI4='gone.0;tcp4://127.0.0.1:1' " + rank +
      " exchange");
  EXPECT_EQ(result.code, 99);
  EXPECT_THAT(result.errors, HasSubstr("live_rank: start-up: PMIx_Init: the launcher answers"));
}

// ---- Who and where

TEST(LiveStart, JobsHaveNames) {
  LiveJob job({"-q", "-n", "2", rank, "name"});
  ASSERT_EQ(job.wait(), 0);
  const std::vector<std::string> names = lines_of(job.output());
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0], names[1]);
  EXPECT_THAT(names[0], StartsWith("aprun-" + std::to_string(job.pid()) + "-"));
  EXPECT_EQ(names[0].find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos);
}

TEST(LiveStart, ProcessNamespacesAreHosts) {
  if (run_command("sh -c 'unshare -pf true'").code != 0) {
    GTEST_SKIP() << "unshare is not permitted here";
  }
  const CommandResult result =
      run_command(launch_test::tool("aprun") +
                  " -q --clock live -n 3 sh -c 'test $ALPS_APP_PE = 1 && exec unshare -pf " + rank +
                  " places; exec " + rank + " places'");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(sorted_lines(result.output),
              ElementsAre("rank 0 of 3 local 0 2 hosts 0 1 0", "rank 1 of 3 local 1 hosts 0 1 0",
                          "rank 2 of 3 local 0 2 hosts 0 1 0"));
}

TEST(LiveStart, RanksLearnTheOptions) {
  LiveJob job({"-q",
               "-n",
               "3",
               "-N",
               "2",
               "-L",
               "7,9",
               "-r",
               "1",
               "-d",
               "2",
               "-cc",
               "0,3",
               "--system",
               "4x4x4",
               "-e",
               "MINE=of mine",
               rank,
               "environment",
               "CASTOR_CLOCK",
               "CASTOR_SYSTEM",
               "CASTOR_RANKS_PER_NODE",
               "CASTOR_NODE_LIST",
               "CASTOR_SERVICE_CPUS",
               "CASTOR_CPUS_PER_RANK",
               "CASTOR_CPU_BINDING",
               "MINE",
               "ALPS_APP_PE",
               "ALPS_APP_DEPTH",
               "PMI_GNI_PTAG",
               "PMI_GNI_COOKIE",
               "PMI_GNI_DEV_ID",
               "PMI_GNI_LOC_ADDR",
               "ALPS_APP_ID"});
  ASSERT_EQ(job.wait(), 0) << job.errors();
  const std::string common =
      "CASTOR_CLOCK=live CASTOR_SYSTEM=4x4x4 CASTOR_RANKS_PER_NODE=2 CASTOR_NODE_LIST=7,9 "
      "CASTOR_SERVICE_CPUS=1 CASTOR_CPUS_PER_RANK=2 CASTOR_CPU_BINDING=0:3 MINE=of mine "
      "ALPS_APP_PE=";
  const auto line = [&](int number, int nid) {
    return common + std::to_string(number) +
           " ALPS_APP_DEPTH=2 PMI_GNI_PTAG=3 PMI_GNI_COOKIE=8388608 PMI_GNI_DEV_ID=0 "
           "PMI_GNI_LOC_ADDR=" +
           std::to_string(nid) + " ALPS_APP_ID=" + job.apid();
  };
  EXPECT_THAT(lines_of(job.output()), UnorderedElementsAre(line(0, 7), line(1, 7), line(2, 9)));
}

TEST(LiveStart, BindingsAndDefaults) {
  const auto told = [](const std::string& options) {
    return aprun("-q " + options + " " + rank +
                     " environment CASTOR_CPU_BINDING CASTOR_RANKS_PER_NODE CASTOR_NODE_LIST",
                 "CASTOR_CLOCK=live CASTOR_RANKS_PER_NODE=77 CASTOR_NODE_LIST=9")
        .output;
  };
  const std::string rest = " CASTOR_RANKS_PER_NODE=1 CASTOR_NODE_LIST=0\n";
  EXPECT_EQ(told(""), "CASTOR_CPU_BINDING=cpu" + rest);
  EXPECT_EQ(told("-d 2"), "CASTOR_CPU_BINDING=depth" + rest);
  EXPECT_EQ(told("-cc depth"), "CASTOR_CPU_BINDING=depth" + rest);
  EXPECT_EQ(told("-cc numa_node"), "CASTOR_CPU_BINDING=numa_node" + rest);
  EXPECT_EQ(told("-cc none"), "CASTOR_CPU_BINDING=none" + rest);
  EXPECT_EQ(told("-cc 4"), "CASTOR_CPU_BINDING=4" + rest);
}

TEST(LiveStart, CastorsLibrariesComeFirst) {
  const CommandResult result =
      aprun("-q --clock live " + rank + " environment LD_LIBRARY_PATH", "LD_LIBRARY_PATH=/nowhere");
  EXPECT_EQ(result.output, "LD_LIBRARY_PATH=" LIBRARIES ":/nowhere\n");
}

TEST(LiveStart, StandardInputIsRankZeros) {
  const CommandResult result = run_command("sh -c 'echo a line | " + launch_test::tool("aprun") +
                                           " -q --clock live -n 3 " + rank + " input'");
  EXPECT_THAT(sorted_lines(result.output),
              ElementsAre("rank 0 reads a line", "rank 1 reads nothing", "rank 2 reads nothing"));
}

TEST(LiveStart, HeaderAndResources) {
  const CommandResult result = aprun("--clock live -n 3 -N 2 " + rank + " exchange");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(lines_of(result.errors),
              ElementsAre("castor: " + rank +
                              ": 3 ranks on 2 nodes, 2 to a node; live, on the host's clock, so "
                              "this run does not repeat exactly",
                          HasSubstr(" resources: utime ~")));
  EXPECT_THAT(aprun("-v --clock live -n 3 -N 2 " + rank + " exchange").errors,
              HasSubstr("\ncastor: network: 17x8x24 torus (hopper)"));
}

TEST(LiveStart, WarningsFollowTheFirstLine) {
  const std::string variables = "MPICH_GNI_MAX_EAGER_SIZE=4K MPICH_MEMORY_REPORT=1 CASTOR_NOISE=1";
  const auto warnings = std::vector<testing::Matcher<std::string>>{
      "aprun: warning: CASTOR_NOISE=1 has no effect live",
      "aprun: warning: MPICH_GNI_MAX_EAGER_SIZE=4K: there is no such variable; the nearest is "
      "MPICH_GNI_MAX_EAGER_MSG_SIZE (see aprun --env-help)",
      "aprun: warning: MPICH_MEMORY_REPORT=1 has no effect: Castor does not emulate it"};
  const CommandResult quiet = aprun("-q --clock live -n 2 " + rank + " exchange", variables);
  EXPECT_EQ(quiet.code, 0);
  EXPECT_THAT(lines_of(quiet.errors), testing::ElementsAreArray(warnings));
  const CommandResult result = aprun("--clock live -n 2 " + rank + " exchange", variables);
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(lines_of(result.errors),
              ElementsAre(HasSubstr(": 2 ranks on 1 node, 2 to a node; live"), warnings[0],
                          warnings[1], warnings[2], HasSubstr(" resources: utime ~")));
}

TEST(LiveStart, MpiexecGoesByTheSameVariable) {
  for (const char* name : {"mpiexec", "mpirun"}) {
    const CommandResult result =
        run_command("env CASTOR_CLOCK=live MPICH_SOMETHING=1 " + launch_test::tool(name) +
                    " -np 2 " + rank + " exchange");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(lines_of(result.errors),
                ElementsAre(HasSubstr(": 2 ranks on 1 node, 2 to a node; live"),
                            StartsWith(std::string(name) + ": warning: MPICH_SOMETHING=1: "),
                            HasSubstr(" resources: utime ~")));
    const CommandResult refused =
        run_command(launch_test::tool(name) + " --clock live --node xe6 " + rank);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.errors, StartsWith(std::string(name) + ": --node: live"));
  }
}

// ---- What makes no sense

TEST(LiveStart, WhatTheSystemCannotRunIsRefusedBeforeTheHeader) {
  const castor_test::TestFolder folder;
  const std::string file = folder / "data";
  std::ofstream(file) << "neither ELF nor #!";
  chmod(file.c_str(), 0755);
  const CommandResult result = aprun("--clock live -n 2 " + file);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.errors, "aprun: " + file + ": Exec format error\n");
}

struct Mistake {
  std::string name;
  std::string arguments;
  std::string line;
};

class LiveRefuses : public testing::TestWithParam<Mistake> {};

TEST_P(LiveRefuses, WithOneLine) {
  const CommandResult result = aprun("--clock live " + GetParam().arguments);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.output, "");
  ASSERT_EQ(lines_of(result.errors).size(), 1U) << result.errors;
  EXPECT_THAT(result.errors, AllOf(StartsWith("aprun: "), HasSubstr(GetParam().line)));
}

INSTANTIATE_TEST_SUITE_P(
    , LiveRefuses,
    testing::Values(Mistake{"Node", "--node hopper " + rank, "--node: live"},
                    Mistake{"DefaultNode", "--node xe6 " + rank, "--node: live"},
                    Mistake{"PerNumaNode", "-S 1 " + rank, "-S: live"},
                    Mistake{"BothOfEachUnit", "-j 2 " + rank, "-j: live"},
                    Mistake{"Compute", "--compute modelled " + rank, "--compute: live"},
                    Mistake{"Factor", "--compute-factor 2 " + rank, "--compute-factor: live"},
                    Mistake{"Lists", "-n 4 -cc 0 " + rank, "-cc: 1 CPU lists for 4 ranks per node"},
                    Mistake{"Lookup", "no_such_program", "no_such_program: not found"},
                    Mistake{"Path", "/no/such/program", "/no/such/program: No such file"},
                    Mistake{"Folder", "-n 2 /tmp", "/tmp: a folder"},
                    Mistake{"Nodes", "-n 3 -N 1 -L 0,1 " + rank, "2 nodes; 3 needed"},
                    Mistake{"Torus", "--system 1x1x1 -n 3 -N 1 " + rank, "node 2 is not in"},
                    Mistake{"Parameter", "-e CASTOR_SEED=x " + rank, "CASTOR_SEED=x"},
                    Mistake{"Unknown", "-e CASTOR_NONSENSE=1 " + rank, "CASTOR_NONSENSE"}),
    [](const testing::TestParamInfo<Mistake>& one) { return one.param.name; });

}  // namespace
