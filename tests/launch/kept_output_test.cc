// What ranks have printed is there, however the job ends; on either clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/aprun_command.h"
#include "tests/support/on_clock.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::Clock;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::run_command;
using launch_test::sample;
using launch_test::tool;
using testing::Contains;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;
using testing::UnorderedElementsAreArray;

/// aprun -q with `options` on a clock, the program ending in this way; meanwhile the shell does
/// `then`, where $! is aprun, once the ranks have printed.
CommandResult ended(Clock clock, const std::string& options, const std::string& program,
                    const std::string& way, const std::string& then = "") {
  const castor_test::TestFolder folder;
  const std::string there = folder / "there";
  const std::string first = clock == Clock::live ? launch_test::sanitizer_first() : "";
  const std::string command =
      tool("aprun") + " -q --clock " + (clock == Clock::live ? "live " : "virtual ") +
      (first.empty() ? "" : "-e " + first + " ") + options + " " + sample(program) + " " + way;
  if (then.empty()) return run_command(command);
  // Shells ignore some signals for what runs behind them.
  return run_command("bash -c 'env --default-signal " + command + " " + there + " & until [ -e " +
                     there + " ]; do sleep 0.02; done; " + then + " wait $! 2>/dev/null'");
}

std::vector<std::string> lines_of_ranks(int ranks, bool rests = true) {
  std::vector<std::string> lines;
  for (int rank = 0; rank < ranks; ++rank) {
    lines.push_back("line of rank " + std::to_string(rank));
    if (rests) lines.push_back("rest of rank " + std::to_string(rank));
  }
  return lines;
}

class Kept : public launch_test::OnEachClock {
 protected:
  /// Jobs on both sides of what can make a difference: one worker, and in virtual time two.
  struct Job {
    std::string options;
    int ranks;
    std::string way = "loop";  ///< in which it goes on for ever
  };
  static std::vector<Job> jobs() {
    std::vector<Job> all{{"-n 2", 2}, {"-n 2 -N 1", 2}};
    if (GetParam() == Clock::virtual_time) {
      all.push_back({"--compute modelled --workers 2 -n 32 -N 1", 32, "poll"});
    }
    return all;
  }
  static void expect_all(const CommandResult& result, const Job& job) {
    EXPECT_THAT(lines_of(result.output), UnorderedElementsAreArray(lines_of_ranks(job.ranks)))
        << job.options << "\n"
        << result.errors;
  }
};

TEST_P(Kept, OutputAtTheLimit) {
  for (const Job& job : jobs()) {
    const CommandResult result =
        ended(GetParam(), "--limit 2s " + job.options, "mpi_prints_and_ends", job.way);
    EXPECT_EQ(result.code, 124);
    expect_all(result, job);
    EXPECT_THAT(result.errors, HasSubstr("--limit: "));
    EXPECT_THAT(result.errors, ContainsRegex("aprun: (all )?ranks? [-0-9, and]*: "));
  }
}

TEST_P(Kept, OutputAndStatesWhenASignalEndsTheJob) {
  for (const auto& [name, number] : {std::pair{"INT", 2}, {"TERM", 15}, {"HUP", 1}}) {
    for (const Job& job : jobs()) {
      const CommandResult result = ended(GetParam(), job.options, "mpi_prints_and_ends", job.way,
                                         std::string("kill -") + name + " $!;");
      EXPECT_EQ(result.code, 128 + number);
      expect_all(result, job);
      EXPECT_THAT(result.errors, ContainsRegex("aprun: (all )?ranks? [-0-9, and]*: "));
    }
  }
}

/// The launcher and the ranks get it at once, as from a terminal.
TEST_P(Kept, OutputAndStatesWhenATerminalInterruptsTheJob) {
  if (run_command("script --version").code != 0) GTEST_SKIP() << "no script(1)";
  const castor_test::TestFolder folder;
  const std::string first = GetParam() == Clock::live ? launch_test::sanitizer_first() : "";
  // Ctrl-C is typed once the ranks have printed.
  const CommandResult result = run_command(
      "bash -c '(until [ -e " + (folder / "there") +
      " ]; do sleep 0.02; done; "
      "printf \"\\003\"; sleep 5) | script -q -e -c \"" +
      tool("aprun") + " -q --clock " + (GetParam() == Clock::live ? "live " : "virtual ") +
      (first.empty() ? "" : "-e " + first + " ") + "-n 2 " + sample("mpi_prints_and_ends") +
      " loop " + (folder / "there") + " >" + (folder / "out") + "\" /dev/null'");
  EXPECT_EQ(result.code, 130) << result.output;
  EXPECT_THAT(lines_of(run_command("cat " + (folder / "out")).output),
              UnorderedElementsAreArray(lines_of_ranks(2)));
  EXPECT_THAT(result.output, ContainsRegex("aprun: (all )?ranks? [-0-9, and]*: computes"));
}

TEST_P(Kept, OutputWhenARankEndsTheJob) {
  struct End {
    const char* way;
    int code;
  };
  for (const End& end : {End{"abort", 3}, End{"crash", 139}, End{"exit", 4}}) {
    for (const Job& job : jobs()) {
      const CommandResult result = ended(GetParam(), job.options, "mpi_prints_and_ends", end.way);
      EXPECT_EQ(result.code, end.code) << end.way;
      expect_all(result, job);
    }
  }
}

/// What is less than a buffer's size is written at the very end.
TEST_P(Kept, OutputThatCannotBeIsAnErrorHoweverLittleItIs) {
  for (const Job& job : jobs()) {
    for (const char* redirected : {">/dev/full", ">&-"}) {
      const CommandResult result = ended(GetParam(), job.options, "mpi_prints_and_ends",
                                         std::string("return ") + redirected);
      EXPECT_EQ(result.code, 1) << job.options << redirected;
      EXPECT_EQ(lines_of(result.errors).size(), 1U) << result.errors;
      EXPECT_THAT(result.errors, StartsWith("aprun: standard output: "));
    }
  }
}

TEST_P(Kept, FilesThatCannotBeWrittenAreErrors) {
  const bool live = GetParam() == Clock::live;
  const std::vector<std::string> virtual_files{"--telemetry 10 --telemetry-file", "--counters"};
  std::vector<std::string> files{"--profile", "--report", "--timeline",
                                 "--faults \"message-lost nth=1000000\" --faults-file"};
  if (!live) files.insert(files.end(), virtual_files.begin(), virtual_files.end());
  for (const std::string& file : files) {
    const CommandResult result =
        ended(GetParam(), file + " /dev/full -n 2 -N 1", "mpi_prints_and_ends", "return");
    EXPECT_EQ(result.code, 1) << file << "\n" << result.errors;
    EXPECT_THAT(lines_of(result.output), UnorderedElementsAreArray(lines_of_ranks(2)));
    EXPECT_THAT(lines_of(result.errors), Contains("aprun: " + file.substr(file.rfind("--")) +
                                                  " /dev/full: No space left on device"));
  }
}

TEST_P(Kept, OutputOfFortran) {
  const CommandResult aborted = ended(GetParam(), "-n 2", "mpif_prints_and_ends", "abort");
  EXPECT_EQ(aborted.code, 3);
  EXPECT_THAT(lines_of(aborted.output), UnorderedElementsAreArray(lines_of_ranks(2, false)));
  const CommandResult late = ended(GetParam(), "--limit 2s -n 2", "mpif_prints_and_ends", "loop");
  EXPECT_EQ(late.code, 124);
  EXPECT_THAT(lines_of(late.output), UnorderedElementsAreArray(lines_of_ranks(2, false)));
}

INSTANTIATE_TEST_SUITE_P(On, Kept, launch_test::each_clock(), launch_test::clock_name);

/// A process that is killed can say nothing: its lines are out, the rest is not.
TEST(KeptLive, LinesOfARankThatIsKilled) {
  const CommandResult result = ended(Clock::live, "-n 2", "mpi_prints_and_ends", "killed");
  EXPECT_EQ(result.code, 137);
  EXPECT_THAT(lines_of(result.output),
              UnorderedElementsAreArray({"line of rank 0", "rest of rank 0", "line of rank 1"}));
}

TEST(KeptLive, OutputOfRanksThatUseUpTheirTime) {
  const CommandResult result = ended(Clock::live, "-t 1 -n 2", "mpi_prints_and_ends", "loop");
  EXPECT_EQ(result.code, 128 + 24);
  EXPECT_THAT(lines_of(result.output), UnorderedElementsAreArray(lines_of_ranks(2)));
}

TEST(KeptVirtual, OutputOfADeadlock) {
  const CommandResult result =
      ended(Clock::virtual_time, "-n 2", "mpi_prints_and_ends", "deadlock");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(lines_of(result.output), UnorderedElementsAreArray(lines_of_ranks(2)));
}

}  // namespace
