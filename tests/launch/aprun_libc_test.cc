// libc's functions on ranks: clocks that move with what a rank computes, sleeps that leave out what
// others do, the modelled node's CPUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/aprun_command.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::sample;

std::string name_of(const testing::TestParamInfo<const char*>& info) { return info.param; }

class MeasuredClock : public testing::TestWithParam<const char*> {};

TEST_P(MeasuredClock, MovesWithWhatTheRankComputes) {
  // A hundred times what the host needs: some clocks count seconds.
  const CommandResult result =
      aprun("-q -n 1 " + sample("clocks") + " read " + GetParam(), "CASTOR_COMPUTE_FACTOR=10000");
  EXPECT_EQ(result.output, std::string(GetParam()) + " ok\n");
  EXPECT_EQ(result.errors, "");
}
INSTANTIATE_TEST_SUITE_P(Of, MeasuredClock,
                         testing::Values("monotonic", "realtime", "process", "thread",
                                         "timespec_get", "gettimeofday", "time", "clock", "times",
                                         "user_ticks", "getrusage", "thread_usage"),
                         name_of);

class MeasuredSleep : public testing::TestWithParam<const char*> {};

TEST_P(MeasuredSleep, LeavesOutWhatOthersCompute) {
  const CommandResult result = aprun("-q -n 4 -N 1 " + sample("clocks") + " sleep " + GetParam());
  EXPECT_EQ(result.output, std::string(GetParam()) + " ok\n");
  EXPECT_EQ(result.errors, "");
}
INSTANTIATE_TEST_SUITE_P(By, MeasuredSleep,
                         testing::Values("nanosleep", "clock_nanosleep", "usleep", "sleep",
                                         "select", "poll", "sched_yield", "until", "thrd_sleep",
                                         "pselect", "ppoll"),
                         name_of);

/// A rank that is on CPU `cpu` of NUMA node `numa_node` at first, then asks for CPU 7.
std::string told(int rank, int cpu, int numa_node, const std::string& allowed) {
  const std::string name = std::to_string(rank);
  return name + ": 32 CPUs\n" + name + " at first: on " + std::to_string(cpu) + " of NUMA node " +
         std::to_string(numa_node) + ", allowed " + allowed + "\n" + name +
         " then: on 7 of NUMA node 0, allowed 7\n" + name +
         ": -1 1 1 1 package:2 numa:2 core:4 pu:2\n";
}

/// Nodes 0 and 1 are those of the first Gemini; the next one in Z is on the next blade.
TEST(NodeFiles, SayWhichNodeARankIsOn) {
  const CommandResult result =
      aprun("-q --system cielo -L 0,1,2,3,4920 -n 5 -N 1 " + sample("cray_files"));
  EXPECT_EQ(result.code, 0) << result.errors;
  std::vector<std::string> lines = launch_test::lines_of(result.output);
  std::sort(lines.begin(), lines.end());
  EXPECT_THAT(lines, testing::ElementsAre("0: c0-0c0s0n0 nid 0", "1: c0-0c0s0n1 nid 1",
                                          "2: c0-0c0s1n0 nid 2", "3: c0-0c0s1n1 nid 3",
                                          "4: c15-3c1s4n0 nid 4920"));
}

/// Four nodes to a blade, sixteen blades to a chassis, as on a Cray XC.
TEST(NodeFiles, SayWhichNodeOfADragonflyARankIsOn) {
  const CommandResult result =
      aprun("-q --system edison -L 0,3,4,383,5585 -n 5 -N 1 " + sample("cray_files"));
  EXPECT_EQ(result.code, 0) << result.errors;
  std::vector<std::string> lines = launch_test::lines_of(result.output);
  std::sort(lines.begin(), lines.end());
  EXPECT_THAT(lines, testing::ElementsAre("0: c0-0c0s0n0 nid 0", "1: c0-0c0s0n3 nid 3",
                                          "2: c0-0c0s1n0 nid 4", "3: c1-0c2s15n3 nid 383",
                                          "4: c7-3c0s4n1 nid 5585"));
}

TEST(RankCpus, AreThoseOfTheModelledNode) {
  const CommandResult result = aprun("-q -n 2 -cc 1:8,9 " + sample("cpus"));
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(result.output, testing::HasSubstr(told(0, 1, 0, "1")));
  EXPECT_THAT(result.output, testing::HasSubstr(told(1, 8, 1, "8 9")));
}

TEST(RankCpus, HwlocIsToldOfThemUnlessTheUserSaysWhat) {
  const CommandResult result = aprun("-q -n 1 " + sample("cpus"), "HWLOC_SYNTHETIC=pu:2");
  EXPECT_THAT(result.output, testing::EndsWith("1 pu:2\n"));
}

}  // namespace
