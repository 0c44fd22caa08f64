// What is said of the ranks of a live job when somebody asks, or when nothing has come for long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/launch/live_job.h"
#include "tests/support/aprun_command.h"

namespace {

using launch_test::CommandResult;
using launch_test::LiveJob;
using launch_test::run_command;
using launch_test::sample;
using launch_test::without_places;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

constexpr int attempts = 60;
constexpr auto between_attempts = 300ms;

/// Until the launcher has ranks, the signal would end it as it ends any program.
bool await_ranks(const LiveJob& job) {
  for (int i = 0; i < attempts && job.processes().empty(); ++i) {
    std::this_thread::sleep_for(between_attempts);
  }
  return !job.processes().empty();
}

/// Asks, again and again, until all of the job has come to where it hangs and this is said.
bool says_when_asked(const LiveJob& job, const std::string& text) {
  if (!await_ranks(job)) return false;
  for (int i = 0; i < attempts; ++i) {
    job.send_signal(SIGQUIT);
    std::this_thread::sleep_for(between_attempts);
    if (without_places(job.errors()).find(text) != std::string::npos) return true;
  }
  return false;
}

struct Hang {
  const char* program;
  const char* how;
  int ranks;
  const char* said;
};

void PrintTo(const Hang& hang, std::ostream* out) { *out << hang.program << " " << hang.how; }

class LiveState : public testing::TestWithParam<Hang> {};

TEST_P(LiveState, IsSaidWhenAsked) {
  const Hang& hang = GetParam();
  if (SANITIZED != 0 && std::string(hang.program) != "stuck_live") {
    GTEST_SKIP() << "the program is built without the sanitizer";
  }
  LiveJob job({"-q", "-n", std::to_string(hang.ranks), "-N", "2", sample(hang.program), hang.how});
  EXPECT_TRUE(says_when_asked(job, hang.said)) << job.errors();
  EXPECT_THAT(job.errors(), HasSubstr("aprun: Apid " + job.apid() + ": what the ranks are doing"));
  // And the job goes on.
  job.send_signal(SIGTERM);
  EXPECT_EQ(job.wait(), 128 + SIGTERM);
  EXPECT_EQ(job.left_behind(), "");
}

INSTANTIATE_TEST_SUITE_P(
    , LiveState,
    testing::Values(
        Hang{"stuck_live", "wrong_tag", 4,
             "aprun: ranks 0-2: in MPI_Finalize; rank 3 has not called it\n"
             "aprun: rank 3: in MPI_Recv: receive of up to 4 bytes from rank 0, tag 9, "
             "MPI_COMM_WORLD\n"
             "aprun:   unexpected there: 4 bytes from rank 0, tag 7, MPI_COMM_WORLD\n"
             "aprun:   unexpected there: 100 bytes from rank 0, tag 8, MPI_COMM_WORLD\n"},
        Hang{"stuck_live", "missing_member", 4,
             "aprun: ranks 0, 2, 3: in MPI_Allreduce on MPI_COMM_WORLD; rank 1 has not called it\n"
             "aprun: rank 1: in MPI_Recv: receive of up to 4 bytes from any rank, any tag, "
             "MPI_COMM_WORLD\n"},
        Hang{"stuck_live", "ring_of_sends", 4,
             "aprun: ranks 0-3: in MPI_Send: send of 1048576 bytes to rank r + 1 (modulo 4), tag "
             "3, MPI_COMM_WORLD\n"},
        Hang{"stuck_live", "window_lock", 3,
             "aprun: rank 1: in MPI_Win_lock on window \"table\", for the lock of rank 2; rank 0 "
             "holds it\n"},
        Hang{"stuck_armci", "mutex", 3,
             "aprun: rank 1: in ARMCI_Lock of mutex 1 of rank 0; rank 2 holds it\n"},
        Hang{"stuck_dmapp", "locks", 3,
             "aprun: rank 0: in PMI_Barrier; ranks 1, 2 have not called it\n"
             "aprun: rank 1: in dmapp_lock_acquire of a lock at rank 0; rank 2 holds it\n"
             "aprun: rank 2: in dmapp_lock_acquire of a lock at rank 0; rank 1 holds it\n"},
        Hang{"stuck_ugni", "datagram", 2,
             "aprun: rank 0: in GNI_EpPostDataWait (asleep until an event comes)\n"
             "aprun: rank 1: in PMI_Barrier; rank 0 has not called it\n"},
        Hang{"stuck_ugni", "event", 3,
             "aprun: rank 0: in GNI_CqWaitEvent (asleep until an event comes)\n"
             "aprun: ranks 1, 2: in PMI_Barrier; rank 0 has not called it\n"}),
    [](const testing::TestParamInfo<Hang>& one) {
      return std::string(one.param.program) + "_" + one.param.how;
    });

TEST(LiveStates, ARankThatIsAskedHasAllOfThemSaid) {
  LiveJob job({"-q", "-n", "2", "-N", "1", sample("stuck_live"), "wait_for_self"});
  ASSERT_TRUE(job.await_lines(2)) << job.errors();
  std::vector<pid_t> ranks = job.processes();
  std::erase(ranks, job.server());
  ASSERT_EQ(ranks.size(), 2U);
  for (int i = 0; i < attempts && job.errors().empty(); ++i) {
    std::this_thread::sleep_for(between_attempts);
    if (i % 10 == 0) kill(ranks.back(), SIGQUIT);
  }
  EXPECT_THAT(without_places(job.errors()),
              HasSubstr("aprun: rank 0: in MPI_Recv: receive of up to 4 bytes from "
                        "rank 0, tag 5, MPI_COMM_WORLD\n"
                        "aprun: rank 1: in MPI_Recv: receive of up to 4 bytes from "
                        "rank 1, tag 5, MPI_COMM_WORLD\n"));
}

TEST(LiveStates, AProgramKeepsItsOwnHandler) {
  LiveJob job({"-q", "-n", "2", "-N", "1", sample("stuck_live"), "own_handler"});
  ASSERT_TRUE(job.await_lines(2)) << job.errors();
  std::vector<pid_t> ranks = job.processes();
  std::erase(ranks, job.server());
  ASSERT_EQ(ranks.size(), 2U);
  for (const pid_t each : ranks) kill(each, SIGQUIT);
  EXPECT_TRUE(job.await_lines(4)) << job.errors();
  EXPECT_THAT(job.output(), HasSubstr("the program's own handler"));
  EXPECT_THAT(job.errors(), Not(HasSubstr("what the ranks are doing")));
  EXPECT_TRUE(says_when_asked(job, "in MPI_Recv: receive of up to 4 bytes")) << job.errors();
}

/// "where.c:17" of the line that is marked so in the sample's source.
std::string line(const std::string& mark) {
  std::ifstream source(std::string(SOURCES) + "/where.c");
  int number = 0;
  for (std::string text; std::getline(source, text);) {
    ++number;
    if (text.find("here: " + mark) != std::string::npos) return "where.c:" + std::to_string(number);
  }
  return "no such line";
}

/// A rank that computes is asked by a signal where it is.
TEST(LiveStates, NameTheLinesOfTheCalls) {
  LiveJob job({"-q", "-n", "3", "-N", "3", sample("where_live"), "compute"});
  ASSERT_TRUE(await_ranks(job));
  const std::string computes = "aprun: rank 0: computes, or waits outside the libraries at " +
                               line("compute") + " (computes)\n";
  const std::string receives = "aprun: ranks 1, 2: in MPI_Recv at " + line("receive") +
                               " (receives): receive of up to 4 bytes from rank 0";
  for (int i = 0; i < attempts && job.errors().find(receives) == std::string::npos; ++i) {
    job.send_signal(SIGQUIT);
    std::this_thread::sleep_for(between_attempts);
  }
  EXPECT_THAT(job.errors(), HasSubstr(receives));
  EXPECT_THAT(job.errors(), HasSubstr(computes));
}

TEST(LiveStates, NameTheLineWhereARankSleeps) {
  if (SANITIZED != 0) GTEST_SKIP() << "the program is built without the sanitizer";
  LiveJob job({"-q", "-n", "3", "-N", "1", sample("stuck_ugni"), "event"});
  ASSERT_TRUE(await_ranks(job));
  const std::string said = "aprun: rank 0: in GNI_CqWaitEvent at stuck_ugni+0x";
  for (int i = 0; i < attempts && job.errors().find(said) == std::string::npos; ++i) {
    job.send_signal(SIGQUIT);
    std::this_thread::sleep_for(between_attempts);
  }
  EXPECT_THAT(job.errors(), HasSubstr(said));
}

TEST(LiveStates, ProgramsWithoutMpiDoNotAnswer) {
  LiveJob job({"-q", "-n", "3", "sh", "-c", "echo ready; exec sleep 1000"});
  ASSERT_TRUE(job.await_lines(3));
  EXPECT_TRUE(says_when_asked(job, "aprun: ranks 0-2: does not answer"));
}

TEST(LiveStates, StuckRanksSayItThemselves) {
  LiveJob job(
      {"-q", "-n", "4", "-N", "2", "-e", "CASTOR_STUCK=1", sample("stuck_live"), "missing_member"});
  const std::string said =
      "aprun: ranks 0, 2, 3: in MPI_Allreduce on MPI_COMM_WORLD; rank 1 has not called it\n";
  for (int i = 0; i < attempts && without_places(job.errors()).find(said) == std::string::npos;
       ++i) {
    std::this_thread::sleep_for(between_attempts);
  }
  EXPECT_THAT(without_places(job.errors()), HasSubstr(said));
  EXPECT_THAT(job.errors(), testing::ContainsRegex("aprun: Apid [0-9]+: nothing has come to rank "
                                                   "[0-3] for as long as CASTOR_STUCK says"));
}

/// Without a launcher of ours the rank speaks for itself. (Shells have what they start in the
/// background ignore SIGQUIT.)
TEST(LiveStates, WithoutALauncher) {
  const CommandResult result = run_command(
      "sh -c 'folder=$(mktemp -d); env --default-signal=QUIT CASTOR_CLOCK=live " +
      sample("stuck_live") +
      " wait_for_self >$folder/out 2>$folder/err & rank=$!; "
      "until [ -s $folder/out ]; do sleep 0.1; done; "
      "for i in $(seq 100); do [ -s $folder/err ] && break; kill -QUIT $rank; sleep 0.1; done; "
      "kill -KILL $rank; cat $folder/err >&2; rm -r $folder'");
  EXPECT_THAT(without_places(result.errors),
              HasSubstr("castor: rank 0: in MPI_Recv: receive of up to 4 bytes from rank 0, tag 5, "
                        "MPI_COMM_WORLD\n"));
}

}  // namespace
