// Programs on MPI, uGNI and PMI as live jobs: the benchmarks, PMI's functions, ranks that do
// nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

#include "tests/launch/aprun_command.h"
#include "tests/support/parameter_name.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::run_command;
using launch_test::sample;
using launch_test::split;
using launch_test::tool;
using testing::Each;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::SizeIs;
using testing::UnorderedElementsAre;

CommandResult live(const std::string& arguments, const std::string& variables = "") {
  return aprun("-q --clock live " + arguments, variables);
}

// ---- The benchmark programs

struct Benchmark {
  const char* name;
  const char* ranks;
  const char* options;
  std::size_t rows;
};
void PrintTo(const Benchmark& benchmark, std::ostream* out) { *out << benchmark.name; }

class LiveBenchmark : public testing::TestWithParam<Benchmark> {};

TEST_P(LiveBenchmark, PrintsItsTable) {
  const Benchmark& benchmark = GetParam();
  const CommandResult result = live(std::string(benchmark.ranks) + " " + tool(benchmark.name) +
                                    " " + benchmark.options + " --csv");
  EXPECT_EQ(result.code, 0) << result.errors;
  // A host with few CPUs is named, and that is all.
  EXPECT_THAT(lines_of(result.errors), Each(HasSubstr("ranks share CPUs")));
  const std::vector<std::string> lines = lines_of(result.output);
  ASSERT_EQ(lines.size(), 1 + benchmark.rows) << result.output;
  const std::vector<std::string> header = split(lines[0], ',');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = split(lines[i], ',');
    ASSERT_EQ(cells.size(), header.size()) << lines[i];
    for (std::size_t c = 0; c < cells.size(); ++c) {
      // Times and bandwidths are the host's, but they are some.
      if (header[c].find("latency") != 0 && header[c] != "bandwidth" &&
          header[c] != "half_round_trip" && header[c] != "iter_t") {
        continue;
      }
      EXPECT_GT(std::stod(cells[c]), 0.0) << header[c] << " in " << lines[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Programs, LiveBenchmark,
    testing::Values(Benchmark{"ugni_perf", "-n 2 -N 1", "--sizes 8,4K,256K -i 5 -w 8", 12},
                    Benchmark{"ugni_perf", "-n 4 -N 2", "--poll queue --sizes 64 -i 5 -w 4", 4},
                    Benchmark{"cq_wakeup", "-n 2 -N 1", "-i 10", 1},
                    Benchmark{"cq_wakeup", "-n 2", "-i 10", 1},
                    Benchmark{"smb_overhead", "-n 2 -N 1", "--sizes 1K,64K -i 3", 4},
                    Benchmark{"mpi_latency", "-n 2 -N 1", "--sizes 8,64K -i 5", 2},
                    Benchmark{"mpi_bandwidth", "-n 2 -N 1", "--sizes 8,64K -i 3", 2}),
    [](const auto& test) { return castor_test::parameter_name(test.index, test.param.name); });

TEST(LiveScale, PrintsItsLine) {
  for (const std::string name : {"allreduce_scale", "halo_scale"}) {
    const CommandResult result = live("-n 4 -N 2 " + tool(name) + " -i 2");
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_THAT(result.output, MatchesRegex("program=" + name +
                                            " ranks=4 iterations=2 .*time_us=[1-9][0-9.]* .*\n"));
  }
}

TEST(LiveCqWakeup, WaitsOnTheServiceCpus) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const bool enough = CPU_COUNT(&allowed) > 1;
  const CommandResult result =
      live("-n 2 -r 1 " + tool("cq_wakeup") + " --waiter service -i 10 --csv");
  EXPECT_EQ(result.code, enough ? 0 : 2) << result.errors;
  EXPECT_THAT(enough ? result.output : result.errors,
              HasSubstr(enough ? "\nservice,10," : "needs service CPUs"));
}

// ---- PMI

const std::string pmi_job = sample("pmi_job");

TEST(LivePmi, SaysWhoAndWhere) {
  const CommandResult result = live("-n 5 -N 2 -L 3,6,8 " + pmi_job);
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(
      lines_of(result.output),
      UnorderedElementsAre("rank 0 of 5, node 3 with 2 from 0", "rank 1 of 5, node 3 with 2 from 0",
                           "rank 2 of 5, node 6 with 2 from 2", "rank 3 of 5, node 6 with 2 from 2",
                           "rank 4 of 5, node 8 with 1 from 4"));
}

TEST(LivePmi, Exchanges) {
  for (const char* what : {"exchange", "key_values", "mistakes"}) {
    const CommandResult result = live("-n 5 -N 2 " + pmi_job + " " + what);
    EXPECT_EQ(result.code, 0) << result.output << result.errors;
    std::vector<std::string> lines = lines_of(result.output);
    std::erase_if(lines, [](const std::string& line) { return line.find("rank ") != 0; });
    EXPECT_THAT(lines, SizeIs(5)) << result.output;
    EXPECT_THAT(lines, Each(HasSubstr(": 0 wrong")));
  }
}

TEST(LivePmi, OpensUgni) {
  const CommandResult result = live("-n 4 -N 2 " + pmi_job + " put");
  EXPECT_EQ(result.code, 0) << result.output << result.errors;
  EXPECT_THAT(lines_of(result.output),
              UnorderedElementsAre("rank 0 got 103, 0 wrong", "rank 1 got 100, 0 wrong",
                                   "rank 2 got 101, 0 wrong", "rank 3 got 102, 0 wrong"));
}

TEST(LivePmi, AbortEndsTheJob) {
  const CommandResult result = live("-n 3 -N 2 " + pmi_job + " abort 6 'out of luck'");
  EXPECT_EQ(result.code, 6);
  EXPECT_THAT(result.errors, HasSubstr("rank 2: out of luck\n"));
}

TEST(LivePmi, WithinMpiAndAlone) {
  const CommandResult within = live("-n 3 -N 2 " + sample("pmi_in_mpi"));
  EXPECT_EQ(within.code, 0) << within.errors;
  EXPECT_THAT(lines_of(within.output),
              UnorderedElementsAre("rank 0 is 0", "rank 1 is 1", "rank 2 is 2"));
  const CommandResult alone = run_command("env CASTOR_CLOCK=live " + pmi_job + " put");
  EXPECT_EQ(alone.output, "rank 0 got 100, 0 wrong\n") << alone.errors;
}

// ---- Nothing to do

TEST(LiveIdle, BlockedRanksUseNoCpu) {
  constexpr long milliseconds = 3000;
  const CommandResult result =
      live("-n 4 -N 2 " + sample("idle") + " " + std::to_string(milliseconds),
           "MPICH_NEMESIS_ASYNC_PROGRESS=MC MPICH_MAX_THREAD_SAFETY=multiple");
  ASSERT_EQ(result.code, 0) << result.errors;
  const std::vector<std::string> lines = lines_of(result.output);
  ASSERT_THAT(lines, SizeIs(4));
  long all = 0;
  for (const std::string& line : lines) {
    int rank = -1;
    int level = -1;
    long used = 0;
    ASSERT_EQ(
        std::sscanf(line.c_str(), "rank %d thread level %d used %ld us", &rank, &level, &used), 3)
        << line;
    EXPECT_EQ(level, 3) << line;  // MPI_THREAD_MULTIPLE: there are progress threads
    all += used;
  }
  EXPECT_LT(all, milliseconds * 1000 * 3 / 100) << result.output;
}

}  // namespace
