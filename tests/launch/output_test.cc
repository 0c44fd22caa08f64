// What ranks write arrives in whole lines, with -l each with its rank, on either clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/support/on_clock.h"
#include "tests/support/parameter_name.h"

namespace {

using launch_test::aprun_on;
using launch_test::Clock;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using launch_test::tool;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

/// The lines of `ranks` ranks of the program pieces; with labels as wide as the highest rank.
std::vector<std::string> pieces_of(int ranks, bool labels) {
  const std::size_t width = std::to_string(ranks - 1).size();
  std::vector<std::string> lines;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string number = std::to_string(rank);
    const std::string label = labels ? std::string(width - number.size(), ' ') + number + ": " : "";
    lines.push_back(label + "two pieces of rank " + number);
    lines.push_back(label + "the last line of all");
  }
  return lines;
}

struct Way {
  Clock clock;
  const char* by;
};
void PrintTo(const Way& way, std::ostream* out) {
  *out << (way.clock == Clock::live ? "live " : "virtual ") << way.by;
}

class Output : public testing::TestWithParam<Way> {};

TEST_P(Output, ArrivesInWholeLines) {
  const auto& [clock, by] = GetParam();
  const int ranks = clock == Clock::live ? 3 : 11;
  for (const bool labels : {false, true}) {
    const CommandResult result =
        aprun_on(clock, (labels ? "-l -n " : "-n ") + std::to_string(ranks) + " " +
                            sample("mpi_pieces") + " " + by);
    EXPECT_EQ(result.code, 0) << result.errors;
    const bool errors = by == std::string("errors") || by == std::string("reopened");
    std::vector<std::string> lines = lines_of(errors ? result.errors : result.output);
    std::erase_if(lines, [](const std::string& line) {
      return line.find("ranks share CPUs") != std::string::npos;  // a host with few
    });
    EXPECT_THAT(lines, UnorderedElementsAreArray(pieces_of(ranks, labels)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    By, Output,
    testing::Values(Way{Clock::virtual_time, "stdio"}, Way{Clock::virtual_time, "errors"},
                    Way{Clock::virtual_time, "write"}, Way{Clock::virtual_time, "dprintf"},
                    Way{Clock::virtual_time, "wide"}, Way{Clock::virtual_time, "buffered"},
                    Way{Clock::virtual_time, "closing"}, Way{Clock::virtual_time, "reopened"},
                    Way{Clock::live, "write"}, Way{Clock::live, "errors"}),
    [](const auto& test) { return castor_test::parameter_name(test.index, test.param.by); });

TEST(Output, OfAThousandRanksArrivesInWholeLines) {
  const CommandResult result =
      aprun_on(Clock::virtual_time, "-n 1024 " + sample("mpi_pieces") + " stdio");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output), UnorderedElementsAreArray(pieces_of(1024, false)));
}

TEST(Output, OfCxxStreamsArrivesInWholeLines) {
  const CommandResult result =
      aprun_on(Clock::virtual_time, "--label -n 3 " + sample("mpi_pieces_cxx"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output), UnorderedElementsAre("0: rank 0", "1: rank 1", "2: rank 2"));
  std::vector<std::string> errors;
  for (const char* line : {"0: rank 0", "1: rank 1", "2: rank 2"}) {
    errors.insert(errors.end(), 3, line);  // cerr, clog, wcerr
  }
  EXPECT_THAT(lines_of(result.errors), UnorderedElementsAreArray(errors));
}

TEST(Output, OfFortranArrivesInWholeLines) {
  const CommandResult result =
      aprun_on(Clock::virtual_time, "-l -n 3 " + sample("mpi_pieces_fortran"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output),
              UnorderedElementsAre("0: rank    0", "1: rank    1", "2: rank    2"));
  EXPECT_THAT(lines_of(result.errors),
              UnorderedElementsAre("0: error of    0", "1: error of    1", "2: error of    2"));
}

/// What the launcher says of the job is its own, and comes after what the rank has said.
TEST(Output, OfTheLauncherHasNoLabel) {
  for (const Clock clock : {Clock::virtual_time, Clock::live}) {
    const CommandResult result = aprun_on(clock, "-l -n 2 " + sample("mpi_job") + " abort 1 3");
    EXPECT_EQ(result.code, 3) << result.errors;
    EXPECT_THAT(result.errors,
                testing::ContainsRegex("(^|\n)\\[NID [0-9]+\\] Apid [0-9]+: rank 1"));
    EXPECT_THAT(result.errors, testing::ContainsRegex("\nApplication [0-9]+ exit codes: 3"));
  }
}

TEST(Output, ThatNobodyReadsEndsTheRanks) {
  for (const char* clock : {"virtual", "live"}) {
    const CommandResult result = launch_test::run_command(
        "sh -c '" + tool("aprun") + " -q --clock " + clock + " -n 2 yes | head -n 1'");
    EXPECT_EQ(result.code, 0) << result.errors;  // not a minute later
    EXPECT_EQ(result.output, "y\n");
  }
}

// ---- What cannot be written

/// The program pieces on a clock, its standard streams as `redirected` says.
CommandResult printing(Clock clock, const std::string& ranks, const std::string& redirected,
                       const std::string& way = "buffered") {
  const std::string first = clock == Clock::live ? launch_test::sanitizer_first() : "";
  return launch_test::run_command("bash -c 'set -o pipefail; " + tool("aprun") + " -q --clock " +
                                  (clock == Clock::live ? "live " : "virtual ") +
                                  (first.empty() ? "" : "-e " + first) + " -n " + ranks + " " +
                                  sample("mpi_pieces") + " " + way + " " + redirected + "'");
}

class Lost : public launch_test::OnEachClock {};

TEST_P(Lost, OutputIsSaidOnceAndIsAnError) {
  const std::string said = "aprun: standard output: ";
  const std::string lost = "; what ranks write to it is lost\n";
  for (const char* ranks : {"1", "3"}) {
    const CommandResult full = printing(GetParam(), ranks, ">/dev/full");
    EXPECT_EQ(full.code, 1);
    EXPECT_THAT(full.errors, testing::EndsWith(said + "No space left on device" + lost));
    EXPECT_EQ(full.errors.rfind(said), full.errors.find(said));
    const CommandResult closed = printing(GetParam(), ranks, ">&-");
    EXPECT_EQ(closed.code, 1);
    EXPECT_THAT(closed.errors, testing::EndsWith(said + "Bad file descriptor" + lost));
    EXPECT_EQ(printing(GetParam(), ranks, ">/dev/full 2>&1").code, 1);
  }
}

/// The launcher has the text: a program that looks at what its writing returns is none the wiser.
TEST_P(Lost, OutputIsNoErrorOfTheRanks) {
  for (const char* way : {"write", "closing"}) {
    EXPECT_EQ(printing(GetParam(), "2", ">/dev/full", way).code, 1) << way;
  }
}

TEST_P(Lost, ReaderEndsTheJobAsItEndsPrograms) {
  for (const char* ranks : {"1", "3"}) {
    EXPECT_EQ(printing(GetParam(), ranks, "| exec <&-").code, 128 + SIGPIPE);
  }
}

INSTANTIATE_TEST_SUITE_P(On, Lost, launch_test::each_clock(), launch_test::clock_name);

TEST(Output, OfTheLauncherThatIsLostIsAnErrorToo) {
  for (const char* option : {"--help", "--version", "--env-help"}) {
    const CommandResult result =
        launch_test::run_command("sh -c '" + tool("aprun") + " " + option + " >/dev/full'");
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.errors, "aprun: standard output: No space left on device\n");
  }
}

/// Both streams of a single rank to one file.
TEST(Output, AndErrorsOfOneRankKeepTheirOrder) {
  const CommandResult result =
      launch_test::run_command("sh -c '" + tool("aprun") +
                               " -q --clock live -n 1 sh -c \"for i in 1 2 3 4 5 6 7 8; do echo o; "
                               "echo e >&2; done\" 2>&1'");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output, "o\ne\no\ne\no\ne\no\ne\no\ne\no\ne\no\ne\no\ne\n");
}

/// The launcher has two pipes to each rank.
TEST(Output, OfMoreRanksThanALimitOfDescriptors) {
  const CommandResult result =
      launch_test::run_command("sh -c 'ulimit -S -n 40; " + tool("aprun") +
                               " -q --clock live -n 24 sh -c \"ulimit -S -n\"'");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output), testing::AllOf(testing::SizeIs(24), testing::Each("40")));
}

/// A program's data are not lines.
TEST(Output, KeepsBytesAsTheyAre) {
  const CommandResult result = launch_test::run_command(
      tool("aprun") +
      " -q --clock live -n 2 sh -c 'if [ $ALPS_APP_PE = 1 ]; then head -c 200000 /dev/zero; fi'");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, std::string(200000, '\0'));
}

}  // namespace
