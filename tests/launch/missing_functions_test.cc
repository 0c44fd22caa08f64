// Programs that refer to functions and data which no library has, on either clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/on_clock.h"

namespace {

using launch_test::aprun_on;
using launch_test::Clock;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr Clock clocks[] = {Clock::virtual_time, Clock::live};

CommandResult run_missing(Clock clock, const std::string& program, const std::string& how) {
  return aprun_on(clock, "-n 4 -N 4 " + sample(program) + " " + how);
}

/// The job's two lines; live, others say how ranks share a small host's CPUs.
void expect_end(const CommandResult& result, const std::string& function) {
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.output, HasSubstr("rank 3: kept 5 weak 7\n"));
  EXPECT_THAT(result.output, testing::Not(HasSubstr("value")));
  std::vector<std::string> lines = lines_of(result.errors);
  lines.erase(
      std::remove_if(lines.begin(), lines.end(),
                     [](const std::string& line) { return line.rfind("castor: ", 0) == 0; }),
      lines.end());
  EXPECT_THAT(lines, ElementsAre(MatchesRegex("\\[NID 00000\\] Apid [0-9]+: rank 3: " + function +
                                              ": no library here has this function; link the "
                                              "library that defines it"),
                                 MatchesRegex("Application [0-9]+ exit codes: 1")));
}

TEST(MissingFunctions, AreNoHarmWhereNoneIsCalled) {
  for (const Clock clock : clocks) {
    for (const char* program : {"missing", "missing_now"}) {
      const CommandResult result = run_missing(clock, program, "nothing");
      EXPECT_EQ(result.code, 0) << result.errors;
      EXPECT_THAT(result.output, HasSubstr("value 0\n"));
    }
  }
}

TEST(MissingFunctions, EndTheJobWithTheirNameWhenCalled) {
  for (const Clock clock : clocks) {
    for (const char* program : {"missing", "missing_now"}) {
      expect_end(run_missing(clock, program, "call"), "function_nobody_has");
    }
  }
}

TEST(MissingFunctions, OfAVersionToo) {
  for (const Clock clock : clocks) {
    expect_end(run_missing(clock, "missing", "versioned"), "shrunk_function");
    expect_end(run_missing(clock, "missing", "moved"), "shrunk_moved");
    expect_end(run_missing(clock, "missing", "pointer"), "shrunk_pointed");
  }
}

/// Before the rank has joined its job.
TEST(MissingFunctions, CalledBeforeMpiInitNameRankAndFunction) {
  for (const Clock clock : clocks) {
    const CommandResult result = aprun_on(clock, "-n 2 -N 1 " + sample("missing_early"));
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(lines_of(result.errors).front(),
                MatchesRegex("\\[NID 0000[01]\\] Apid [0-9]+: rank [01]: function_nobody_has: no "
                             "library here has this function; link the library that defines it"));
  }
}

/// A library that was linked without what it refers to does not say whether that is a function.
TEST(MissingSymbols, OfNoKnownKindAreNamedWhereTheyAreUsed) {
  if (SANITIZED != 0) GTEST_SKIP() << "the sanitizer reports fatal signals";
  expect_end(run_missing(Clock::virtual_time, "missing", "asked_pointer"), "pointed_nobody_has");
  const CommandResult read = run_missing(Clock::virtual_time, "missing", "read");
  EXPECT_EQ(read.code, 128 + 11);
  EXPECT_THAT(read.errors,
              HasSubstr("rank 3: Segmentation fault at a use of something_nobody_has, which no "
                        "library here has"));
  for (const char* how : {"asked_pointer", "read"}) {
    const CommandResult live = run_missing(Clock::live, "missing", how);
    EXPECT_EQ(live.code, 128 + 11);
    EXPECT_THAT(live.errors, AllOf(HasSubstr("rank 3: Segmentation fault at address 0x"),
                                   HasSubstr("; the program refers to pointed_nobody_has, "
                                             "something_nobody_has, which no library here has")));
  }
}

TEST(MissingData, AreRefusedAtTheStart) {
  for (const Clock clock : clocks) {
    const CommandResult result = aprun_on(clock, "-n 2 " + sample("missing_data"));
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors, "aprun: " + sample("missing_data") +
                                 ": uses shrunk_data, which no library here has; link the library "
                                 "that defines it\n");
  }
}

}  // namespace
