// Waits in the start-up of live jobs have an end, and one line says for what it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/launch/live_job.h"
#include "tests/support/aprun_command.h"

namespace {

using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::LiveJob;
using launch_test::run_command;
using testing::AllOf;
using testing::HasSubstr;

const std::string job_of_start = launch_test::sample("mpi_prints_and_ends") + " return";

/// `program` as ranks' shell has it, whose PMIx server is stopped at once.
void expect_late(const std::string& program, const std::string& waits_for) {
  LiveJob job({"-q", "-n", "2", "-e", "CASTOR_START_TIMEOUT=2", "sh", "-c", program});
  pid_t server = -1;
  for (int look = 0; look < 1000 && !(server > 0 && job.processes().size() >= 2); ++look) {
    usleep(10'000);
    server = job.server();
  }
  if (program.find("ALPS") != std::string::npos) {
    ASSERT_TRUE(job.await_lines(1)) << "one has joined";
  }
  ASSERT_GT(server, 0);
  kill(server, SIGSTOP);
  EXPECT_EQ(job.wait(), 1);
  const std::vector<std::string> lines = lines_of(job.errors());
  ASSERT_EQ(lines.size(), 2U) << job.errors();
  EXPECT_THAT(lines[0],
              AllOf(HasSubstr("start-up: has waited 2 s (CASTOR_START_TIMEOUT) for the launcher's "
                              "PMIx server"),
                    HasSubstr(waits_for)));
  EXPECT_EQ(lines[1], "Application " + job.apid() + " exit codes: 1");
  EXPECT_EQ(job.left_behind(), "");
}

TEST(StartTimeout, OfAServerThatDoesNotAnswer) {
  expect_late("sleep 3; exec " + job_of_start, "to answer PMIx_Init");
}

/// One rank has joined, and its first exchange waits for the other one.
TEST(StartTimeout, OfAServerThatDoesNotAnswerAnyMore) {
  expect_late("test $ALPS_APP_PE = 0 || { sleep 2; echo joined; sleep 30; }; exec " + job_of_start,
              "which does not answer");
}

TEST(StartTimeout, IsNotThatOfARankThatComesLate) {
  for (const std::string& launcher :
       {launch_test::tool("aprun") + " -q --clock live -n 2 -e CASTOR_START_TIMEOUT=1",
        std::string(
            "mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 -x CASTOR_START_TIMEOUT=1")}) {
    const CommandResult result = run_command(
        launcher + " sh -c 'test $PMIX_RANK = 0 || sleep 4; exec " + job_of_start + "'");
    EXPECT_EQ(result.code, 0) << result.errors;
  }
}

/// Libpmix then hangs or crashes, without a word.
TEST(StartTimeout, NamesTheLimitThatWasTooSmall) {
  if (SANITIZED != 0) GTEST_SKIP() << "the sanitizer needs more addresses than this";
  const auto limited = [](const std::string& limit) {
    // What the caller has open takes numbers, and ctest has many files open.
    return run_command(
        "bash -c 'for each in /proc/$$/fd/*; do number=${each##*/}; "
        "[ $number -le 2 ] || eval \"exec $number>&-\"; done; ulimit " +
        limit + "; exec " + launch_test::tool("aprun") +
        " -q --clock live -e CASTOR_START_TIMEOUT=2 -n 2 " + job_of_start + "'");
  };
  const CommandResult memory = limited("-v 60000");
  EXPECT_EQ(memory.code, 1);
  EXPECT_THAT(memory.errors, HasSubstr("ulimit -v allows 60000 KB\n"));
  int named = 0;
  std::string codes;
  for (int descriptors = 6; descriptors < 60; ++descriptors) {
    const CommandResult few = limited("-n " + std::to_string(descriptors));
    codes += std::to_string(few.code) + " ";
    if (few.code == 0) break;
    if (few.code == 127) continue;  // the dynamic loader's word: it has none for its libraries
    EXPECT_EQ(few.code, 1);
    EXPECT_EQ(lines_of(few.errors).size(), 1U) << few.errors;
    EXPECT_THAT(few.errors, HasSubstr("ulimit -n allows " + std::to_string(descriptors)));
    ++named;
  }
  EXPECT_GT(named, 3) << codes;
}

}  // namespace
