// Crashes of ranks: the lines that say who crashed and how, and the exit code that ALPS gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/aprun_command.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

CommandResult crash(const std::string& way, const std::string& variables = "",
                    const std::string& bytes = "") {
  return aprun("-q -n 4 -N 2 " + sample("mpi_crash") + " " + way + " 2 " + bytes, variables);
}

/// The first of the two lines, up to what went wrong.
constexpr const char* who = "\\[NID 00001\\] Apid [0-9]+: rank 2: ";

void expect_lines(const CommandResult& result, int signal, const std::string& name,
                  const std::string& details) {
  EXPECT_EQ(result.code, 128 + signal);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(lines_of(result.errors),
              ElementsAre(MatchesRegex(who + name + details),
                          MatchesRegex("Application [0-9]+ exit signals: " + name)));
}

class Crash : public testing::Test {
 protected:
  /// A sanitizer has handlers of its own, which stay.
  void SetUp() override {
    if (SANITIZED != 0) GTEST_SKIP() << "the sanitizer reports fatal signals";
  }
};

TEST_F(Crash, OfANullPointerNamesRankAndAddress) {
  expect_lines(crash("null"), 11, "Segmentation fault", " at address 0x0");
}

TEST_F(Crash, OfAnAddressThatCannotBeSaysSo) {
  expect_lines(crash("nowhere"), 11, "Segmentation fault", " at an address that no memory has");
}

TEST_F(Crash, InALibraryNamesTheCall) {
  for (const char* bytes : {"8", "6000"}) {
    expect_lines(crash("send", "", bytes), 11, "Segmentation fault",
                 " at address 0x1[0-9a-f]*, in MPI_Send");
    expect_lines(crash("recv", "", bytes), 11, "Segmentation fault",
                 " at address 0x1[0-9a-f]*, in MPI_Recv");
  }
  // The program's own function, which a call calls.
  expect_lines(crash("reduce"), 11, "Segmentation fault", " at address 0x0, in MPI_Reduce_local");
  expect_lines(crash("reduce_abort"), 6, "Aborted", ", in MPI_Reduce_local");
}

TEST_F(Crash, OfAProgramThatLooksAtMemoryWithoutDataSaysWhatThatIs) {
  for (const auto& [way, place] :
       {std::pair("no_data", "200000000fa0 "),
        std::pair("no_data_reduce", "200000000000, in MPI_Reduce_local ")}) {
    const CommandResult result = crash(way);
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.errors,
                MatchesRegex(std::string(who) +
                             "reads or writes memory without data at address 0x" + place +
                             "\\(from MPI_Alloc_mem with castor_data=none; allowed: to send "
                             "and receive it\\)\n"));
  }
}

// The receiver copies, but it is the sender's memory that is not there.
TEST_F(Crash, OfACopyWithinTheNodeNamesWhoseMemoryItIs) {
  expect_lines(crash("send", "", "100000"), 11, "Segmentation fault",
               " at address 0x1[0-9a-f]*, in MPI_Send, where rank 3 finds no message to copy");
  expect_lines(crash("recv", "", "100000"), 11, "Segmentation fault",
               " at address 0x1[0-9a-f]*, in MPI_Recv");
}

TEST_F(Crash, AfterAnUnfinishedLineOfErrorsShowsIt) {
  const std::vector<std::string> lines = lines_of(crash("speak").errors);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[2], "rank 2's last words: about to store");
}

TEST_F(Crash, OfAFullStackNamesItsSize) {
  expect_lines(crash("overflow"), 11, "Segmentation fault",
               ": its stack has overflowed; raise CASTOR_STACK_SIZE \\(now 8M\\)");
  expect_lines(crash("overflow", "CASTOR_STACK_SIZE=128K"), 11, "Segmentation fault",
               ": its stack has overflowed; raise CASTOR_STACK_SIZE \\(now 128K\\)");
}

TEST_F(Crash, OfAFrameBeyondTheStackIsFoundByTheNextCall) {
  const CommandResult result = crash("beyond");
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors,
            "aprun: rank 2: its stack has overflowed; raise CASTOR_STACK_SIZE (now 8M)\n");
  EXPECT_EQ(crash("beyond", "CASTOR_STACK_SIZE=10M").code, 0);
}

TEST_F(Crash, OfADivisionByZero) {
  expect_lines(crash("divide"), 8, "Floating point exception", " at address 0x[0-9a-f]+");
}

TEST_F(Crash, OfAnIllegalInstruction) {
  expect_lines(crash("illegal"), 4, "Illegal instruction", " at address 0x[0-9a-f]+");
}

TEST_F(Crash, OfASignalThatWasSent) { expect_lines(crash("bus"), 7, "Bus error", ""); }

TEST_F(Crash, OfTheNicNamesWhoseMemoryHasGone) {
  const CommandResult result = aprun("-q -n 4 -N 2 " + sample("gone"));
  EXPECT_EQ(result.code, 128 + 11);
  EXPECT_THAT(lines_of(result.errors),
              ElementsAre(MatchesRegex("\\[NID 00000\\] Apid [0-9]+: rank 0: Segmentation fault at "
                                       "address 0x[0-9a-f]+, where the NIC finds no more of "
                                       "the memory that the rank has registered; the rank is in "
                                       "MPI_Barrier"),
                          MatchesRegex("Application [0-9]+ exit signals: Segmentation fault")));
}

TEST_F(Crash, OfTheNicNamesWhoHasProtectedMemoryFromIt) {
  const CommandResult result = aprun("-q -n 4 -N 2 " + sample("gone") + " protected");
  EXPECT_EQ(result.code, 128 + 11);
  EXPECT_THAT(lines_of(result.errors),
              ElementsAre(MatchesRegex("\\[NID 00000\\] Apid [0-9]+: rank 0: Segmentation fault at "
                                       "address 0x[0-9a-f]+, in memory that the rank has "
                                       "registered and then protected from the NIC; the rank is "
                                       "in MPI_Barrier"),
                          MatchesRegex("Application [0-9]+ exit signals: Segmentation fault")));
}

TEST_F(Crash, AfterAHeapWasRuinedIsNoInternalError) {
  const CommandResult result = crash("heap");
  EXPECT_THAT(result.code, testing::AnyOf(128 + 6, 128 + 11));
  EXPECT_THAT(result.errors, testing::AnyOf(HasSubstr("rank "), HasSubstr("heap")));
  EXPECT_THAT(result.errors, Not(HasSubstr("internal error")));
}

/// In one slice: other ranks would meet the ruins first, and their crashes would be named.
TEST_F(Crash, ThatHasRuinedWhatNamesTheRankSaysSo) {
  const CommandResult result = crash("all", "CASTOR_MEASURED_SLICE=1000000000");
  EXPECT_EQ(result.code, 128 + 11);
  EXPECT_THAT(lines_of(result.errors),
              ElementsAre("aprun: Segmentation fault: the heap, which all ranks share, is corrupt, "
                          "and with it what would name the rank. A rank has written beyond its "
                          "memory: --clock live or valgrind shows which"));
}

/// The rank's copy of the program goes by the program's name: its lines are found there.
TEST_F(Crash, BacktracesNameTheProgramsLines) {
  const CommandResult result = aprun("-q -n 3 -N 2 " + sample("backtrace_fortran"));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.errors, HasSubstr("Cannot open file '/nowhere/at/all'"));
  EXPECT_THAT(result.errors, ContainsRegex("in open_nothing\n\tat .*/programs/backtrace.f90:13\n"));
  EXPECT_THAT(result.errors, ContainsRegex("in backtrace\n\tat .*/programs/backtrace.f90:8\n"));
  EXPECT_THAT(result.errors, Not(HasSubstr("Could not print backtrace")));
}

TEST_F(Crash, HandlersOfTheProgramGoFirst) {
  const CommandResult result = crash("own");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, "survived\n");
  EXPECT_EQ(result.errors, "");
}

/// Whoever runs the tests may ignore some signals, which aprun then would, too.
CommandResult end_by_signal(const std::string& way) { return crash(way, "--default-signal"); }

TEST(EndBySignal, ThatARankSendsItselfIsItsCrash) {
  expect_lines(end_by_signal("term"), 15, "Terminated", "");
  expect_lines(end_by_signal("kill"), 1, "Hangup", "");
}

TEST(EndBySignal, ThatARankHasEarnedIsItsCrash) {
  expect_lines(end_by_signal("pipe"), 13, "Broken pipe", "");
}

TEST(EndBySignal, OfATimerNamesItsRank) {
  expect_lines(end_by_signal("alarm"), 14, "Alarm clock", "");
}

TEST(EndBySignal, ThatNothingCanHandleNamesItsRank) {
  const CommandResult result = end_by_signal("kill_9");
  EXPECT_EQ(result.code, 128 + 9);
  EXPECT_THAT(result.errors, HasSubstr(": rank 2: Killed\n"));
}

TEST(EndBySignal, FromOutsideIsApruns) {
  const CommandResult result = end_by_signal("outside");
  EXPECT_EQ(result.code, 128 + 15);
  EXPECT_THAT(result.errors, Not(HasSubstr("Apid")));  // the shell may say something
}

TEST(EndBySignal, OfAReaderThatHasGoneIsApruns) {
  const CommandResult result = launch_test::run_command(
      "env --default-signal sh -c '{ " + launch_test::tool("aprun") + " -q " + sample("mpi_crash") +
      " output 0; echo $? >&2; } | head -c 1'");
  EXPECT_EQ(result.output, "l");
  EXPECT_EQ(result.errors, "141\n");
}

TEST(EndBySignal, HandlersOfTheProgramGoFirst) {
  const CommandResult result = end_by_signal("own_term");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, "own handler\n");
  EXPECT_EQ(result.errors, "");
}

TEST(EndBySignal, HandlersOfTheProgramMayPassItOn) {
  for (const char* way : {"pass_on_", "act_on_"}) {
    const auto passed_on = [way](int number, const char* name, const char* where) {
      const CommandResult result = end_by_signal(way + std::to_string(number));
      EXPECT_EQ(result.output, "own handler\n");
      expect_lines({result.code, "", result.errors}, number, name, where);
    };
    passed_on(6, "Aborted", "");
    passed_on(15, "Terminated", "");
    if (SANITIZED == 0) passed_on(11, "Segmentation fault", *way == 'a' ? " at address 0x8" : "");
  }
}

TEST(CrashByAbort, EndsTheJob) { expect_lines(crash("abort"), 6, "Aborted", ""); }

TEST(CrashByAbort, RunsTheProgramsHandlerFirst) {
  const CommandResult result = crash("own_abort");
  EXPECT_EQ(result.code, 134);
  EXPECT_EQ(result.output, "own handler\n");
  EXPECT_THAT(result.errors, HasSubstr(": rank 2: Aborted\n"));
}

}  // namespace
