// Ranks of a live job that die of a fault: the line that names signal, address and library call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "tests/launch/live_job.h"
#include "tests/support/aprun_command.h"

namespace {

using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::LiveJob;
using launch_test::run_command;
using launch_test::sample;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

/// A sanitizer's handlers, which stay, are told to leave faults alone.
const std::vector<std::string> without_sanitizer{
    "ASAN_OPTIONS=handle_segv=0:handle_sigfpe=0:handle_abort=0:detect_leaks=0",
    "TSAN_OPTIONS=handle_segv=0:handle_sigfpe=0:handle_abort=0"};

std::vector<std::string> errors_of(const LiveJob& job) {
  std::vector<std::string> lines = lines_of(job.errors());
  std::erase_if(lines, [](const std::string& line) {
    return line.find("ranks share CPUs") != std::string::npos;
  });
  return lines;
}

void expect_fault(LiveJob& job, int rank, int signal, const std::string& name,
                  const std::string& details) {
  EXPECT_EQ(job.wait(), 128 + signal);
  EXPECT_THAT(errors_of(job),
              ElementsAre(MatchesRegex(".NID [0-9]+. Apid [0-9]+: rank " + std::to_string(rank) +
                                       ": " + name + details),
                          MatchesRegex("Application [0-9]+ exit signals: " + name)));
  EXPECT_EQ(job.left_behind(), "");
}

void expect_crash(const std::string& way, const std::string& bytes, int signal,
                  const std::string& name, const std::string& details) {
  SCOPED_TRACE(way + " " + bytes);
  std::vector<std::string> arguments{"-q", "-n", "4", "-N", "2", sample("crash_live"), way, "2"};
  if (!bytes.empty()) arguments.push_back(bytes);
  LiveJob job(arguments, without_sanitizer);
  expect_fault(job, 2, signal, name, details);
}

TEST(LiveFaults, InALibraryNameTheCall) {
  expect_crash("send", "8", SIGSEGV, "Segmentation fault",
               " at address 0x10[0-9a-f]+, in MPI_Send");
  expect_crash("recv", "6000", SIGSEGV, "Segmentation fault",
               " at address 0x1[0-9a-f]+, in MPI_Recv");
  expect_crash("reduce_abort", "", SIGABRT, "Aborted", ", in MPI_Reduce_local");
}

TEST(LiveFaults, InTheProgramNameTheAddress) {
  expect_crash("null", "", SIGSEGV, "Segmentation fault", " at address 0x0");
  expect_crash("nowhere", "", SIGSEGV, "Segmentation fault", " at an address that no memory has");
  expect_crash("divide", "", SIGFPE, "Floating point exception", " at address 0x[0-9a-f]+");
  expect_crash("abort", "", SIGABRT, "Aborted", "");
}

TEST(LiveFaults, OfAFullStackAreToldFromAnother) {
  expect_crash("overflow", "", SIGSEGV, "Segmentation fault", " at address 0x[0-9a-f]+");
}

// The receiver copies: its own memory is its own fault, and the sender's is named.
TEST(LiveFaults, OfACopyWithinTheNodeNameWhoseMemoryItIs) {
  expect_crash("recv", "100000", SIGSEGV, "Segmentation fault",
               " at address 0x10[0-9a-f]+, in MPI_Recv");
  LiveJob job({"-q", "-n", "4", "-N", "2", sample("crash_live"), "send", "2", "100000"},
              without_sanitizer);
  EXPECT_EQ(job.wait(), 1);
  EXPECT_THAT(job.errors(),
              HasSubstr(": rank 3: rank 2 has no memory at 0x1000, from where 100000 bytes"));
}

TEST(LiveFaults, AreTheProgramsHandlersToo) {
  for (const char* how : {"pass_on", "look"}) {
    SCOPED_TRACE(how);
    LiveJob job({"-q", "-n", "2", "-N", "1", sample("live_faults"), how}, without_sanitizer);
    expect_fault(job, 1, SIGSEGV, "Segmentation fault", " at address 0x10[0-9a-f]+, in MPI_Send");
    EXPECT_EQ(job.output(), "own handler\n");
  }
}

// What the program has handled is not said of another signal that ends it later.
TEST(LiveFaults, ThatAreHandledAreNotTold) {
  LiveJob job({"-q", "-n", "2", "-N", "1", sample("live_faults"), "survive"}, without_sanitizer);
  expect_fault(job, 1, SIGSEGV, "Segmentation fault", "");
  EXPECT_EQ(job.output(), "survived\n");
}

TEST(LiveFaults, ThatAreIgnoredStayIgnored) {
  LiveJob job({"-q", "-n", "2", "-N", "1", sample("live_faults"), "ignore"}, without_sanitizer);
  EXPECT_EQ(job.wait(), 0);
  EXPECT_EQ(job.output(), "survived\n");
}

// A signal from outside is nothing that the call has done.
TEST(LiveFaults, SentFromOutsideNameNoCall) {
  LiveJob job({"-q", "-n", "2", "-N", "1", sample("live_faults"), "wait"}, without_sanitizer);
  ASSERT_TRUE(job.await_lines(1)) << job.errors();
  std::vector<pid_t> ranks = job.processes();
  std::erase(ranks, job.server());
  ASSERT_EQ(ranks.size(), 2U);
  kill(ranks[1], SIGSEGV);
  EXPECT_EQ(job.wait(), 128 + SIGSEGV);
  EXPECT_THAT(job.errors(), testing::ContainsRegex(": rank [01]: Segmentation fault\n"));
}

// Without a launcher of ours the rank speaks for itself.
TEST(LiveFaults, WithoutALauncherAreSaidByTheRank) {
  const CommandResult result =
      run_command("env CASTOR_CLOCK=live " + without_sanitizer[0] + " " + without_sanitizer[1] +
                  " " + sample("crash_live") + " null 0");
  EXPECT_EQ(result.code, 128 + SIGSEGV);
  EXPECT_THAT(result.errors, HasSubstr("castor: rank 0: Segmentation fault at address 0x0\n"));
}

}  // namespace
