// Programs on MPI and uGNI as live jobs: the benchmarks, ranks that do nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/on_clock.h"
#include "tests/support/parameter_name.h"

namespace {

using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using launch_test::split;
using launch_test::tool;
using testing::Each;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::SizeIs;

CommandResult live(const std::string& arguments, const std::string& variables = "") {
  return launch_test::aprun_on(launch_test::Clock::live, arguments, variables);
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
      // Times and bandwidths are the host's, but they are some; a busy host's may round to 0 GB/s.
      if (header[c] == "bandwidth") {
        EXPECT_GE(std::stod(cells[c]), 0.0) << lines[i];
      }
      if (header[c].find("latency") == 0 || header[c] == "half_round_trip" ||
          header[c] == "iter_t") {
        EXPECT_GT(std::stod(cells[c]), 0.0) << header[c] << " in " << lines[i];
      }
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

// ---- Threads that are cancelled

/// pthread_cancel() ends a thread that waits in GNI, and what it held others can have.
TEST(LiveCancel, EndsAWait) {
  const CommandResult result = live("-n 3 -N 2 " + sample("cancelled_wait"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(
      lines_of(result.output),
      testing::UnorderedElementsAre("rank 0: 0 wrong", "rank 1: 0 wrong", "rank 2: 0 wrong"));
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
