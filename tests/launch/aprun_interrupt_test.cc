// Runs in virtual time that are interrupted from outside, that have limits, and that wait by
// looking at memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/aprun_command.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::run_command;
using launch_test::sample;
using launch_test::tool;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

/// aprun with a program that keeps all waiting in the given way; meanwhile the shell does `then`,
/// where $! is aprun.
CommandResult meanwhile(const std::string& way, const std::string& then,
                        const std::string& options = "") {
  const castor_test::TestFolder folder;
  const std::string file = folder / "go_on";
  // Shells ignore some signals for what runs behind them.
  return run_command(
      "bash -c '" + std::string("env --default-signal ") + tool("aprun") + " -q -n 4 -N 2 " +
      options + " " + sample("interrupted") + " " + way + " " + file + " & until [ -e " + file +
      ".there ]; do sleep 0.02; done; file=" + file + "; " + then + " wait $! 2>/dev/null'");
}

void expect_lines_of_all(const CommandResult& result) {
  EXPECT_THAT(
      launch_test::lines_of(result.output),
      UnorderedElementsAre("line of rank 0", "line of rank 1", "line of rank 2", "line of rank 3"));
}

TEST(Interrupt, EndsARunInWhichARankPolls) {
  const CommandResult result = meanwhile("poll", "kill -INT $!;");
  EXPECT_EQ(result.code, 128 + 2);
  expect_lines_of_all(result);
  EXPECT_THAT(result.errors,
              AllOf(StartsWith("aprun: SIGINT (Interrupt) has ended the run at virtual time 0."),
                    HasSubstr("MPI_Barrier")));
}

TEST(Interrupt, EndsARunInWhichARankComputes) {
  for (const char* compute : {"modelled", "measured"}) {
    const CommandResult result =
        meanwhile("compute", "kill -TERM $!;", std::string("--compute ") + compute);
    EXPECT_EQ(result.code, 128 + 15);
    expect_lines_of_all(result);
    EXPECT_THAT(result.errors,
                StartsWith("aprun: SIGTERM (Terminated) has ended the run at virtual time "));
    EXPECT_THAT(result.errors, Not(HasSubstr("Apid")));
  }
}

TEST(Interrupt, EndsARunInWhichARankIsBlockedAfterSayingSo) {
  const CommandResult result = meanwhile("block", "sleep 7; kill -HUP $!;");
  EXPECT_EQ(result.code, 128 + 1);
  expect_lines_of_all(result);
  EXPECT_THAT(result.errors,
              AllOf(StartsWith("castor: rank 1 has been blocked in read() for 5 s; all ranks share "
                               "one process, so all others wait, too\n"),
                    HasSubstr("aprun: SIGHUP (Hangup) has ended the run at virtual time ")));
}

TEST(Interrupt, BySigquitSaysTheStateAndGoesOn) {
  const CommandResult result = meanwhile("poll", "kill -QUIT $!; sleep 0.5; touch $file;");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.output, HasSubstr("the end\n"));
  EXPECT_THAT(result.errors,
              AllOf(StartsWith("aprun: SIGQUIT: what the ranks are doing at virtual time 0."),
                    HasSubstr("MPI_Barrier")));
}

TEST(Limit, OfTheHostsTimeEndsTheRunWithTheState) {
  for (const char* way : {"poll", "compute"}) {
    const CommandResult result = meanwhile(way, "", "--limit 1100ms");
    EXPECT_EQ(result.code, 124);
    expect_lines_of_all(result);
    EXPECT_THAT(result.errors,
                StartsWith("aprun: --limit: the run has taken 1.1 s on this host and "
                           "has been ended at virtual time "));
  }
}

TEST(Limit, OfVirtualTimeEndsTheRunAtThatTimeAlways) {
  const std::string arguments =
      "-q -t 2ms --compute modelled -n 4 -N 2 " + sample("interrupted") + " poll /tmp/castor/none";
  const CommandResult first = aprun(arguments);
  EXPECT_EQ(first.code, 128 + 24);
  expect_lines_of_all(first);
  EXPECT_THAT(first.errors, ContainsRegex("^aprun: -t: the run has been ended at virtual time "
                                          "0.002000 s\n"));
  EXPECT_EQ(aprun(arguments).errors, first.errors);
}

TEST(Limit, DoesNotChangeARunThatEndsBefore) {
  const std::string job = " --compute modelled -n 4 -N 2 " + sample("mpi_job");
  const auto last_line = [](const CommandResult& result) {
    return launch_test::lines_of(result.errors).back();
  };
  const CommandResult without = aprun(job);
  ASSERT_THAT(last_line(without), HasSubstr("fingerprint"));
  EXPECT_EQ(last_line(aprun("-t 1 --limit 1h" + job)), last_line(without));
}

/// "345678" of "345678", 1234567 of "1.23 million".
double number_before(const std::string& text, const std::string& word) {
  const std::size_t end = text.find(word);
  if (end == std::string::npos) return -1;
  const bool millions = text.compare(end - 8, 8, "million ") == 0;
  const std::size_t last = end - (millions ? 9 : 1);
  const std::size_t begin = text.find_last_of(" (", last - 1) + 1;
  return std::stod(text.substr(begin, last - begin)) * (millions ? 1e6 : 1);
}

/// script(1) gives it a terminal.
TEST(Progress, IsALineOnATerminal) {
  if (!launch_test::has_terminals()) GTEST_SKIP() << "no pseudo-terminal here (/dev/pts)";
  const std::string job = " --limit 2500ms -n 6 -N 6 --compute modelled " + sample("some_end");
  const CommandResult shown = run_command("script -qec \"" + tool("aprun") + job + "\" /dev/null");
  const std::size_t begin = shown.output.find("\r\033[Kcastor: virtual time ");
  ASSERT_NE(begin, std::string::npos) << shown.output;
  const std::string line = shown.output.substr(begin, shown.output.find(" s\r", begin) - begin);
  EXPECT_THAT(line, ContainsRegex(" events \\([0-9.]+( million)? a second\\), 3 of 6 ranks ended, "
                                  "[0-9]+$"));
  // It comes a second after the beginning, or later.
  const double events = number_before(line, "events");
  const double rate = number_before(line, "a second");
  EXPECT_GT(rate, 0) << line;
  EXPECT_LE(rate, events * 1.01) << line;  // millions are rounded
}

TEST(Progress, IsNotInAPipe) {
  const CommandResult result =
      aprun("--limit 1500ms -n 6 -N 6 --compute modelled " + sample("some_end"));
  EXPECT_THAT(result.errors, Not(HasSubstr("ranks ended")));
}

TEST(MemoryWait, EndsWhenAnotherRankHasWritten) {
  const CommandResult result = aprun("-q -n 8 -N 4 " + sample("memory_wait"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, "80 turns\n80 turns\n");
}

TEST(MemoryWait, EndsWhenAFlagHasCome) {
  const CommandResult result = aprun("-q -n 2 -N 1 " + sample("flag_wait"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, "flag 9, 0 bytes wrong\n");
}

TEST(MemoryWait, OfAModelledProgramEndsWhenAnotherRankHasWritten) {
  const CommandResult result = aprun("-q -n 2 " + sample("modelled_wait"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, "it took 5 ms\n");
}

TEST(MemoryWait, OfAModelledProgramEndsAtTheTimeLimit) {
  const CommandResult result = aprun("-q -n 2 -t 20ms " + sample("modelled_wait") + " never");
  EXPECT_EQ(result.code, 128 + 24);
  EXPECT_THAT(result.errors, HasSubstr("-t: the run has been ended at virtual time 0.02"));
}

}  // namespace
