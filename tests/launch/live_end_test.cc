// How live jobs end: codes, aborts, signals, killed ranks and a killed launcher.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/launch/live_job.h"
#include "tests/support/aprun_command.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::LiveJob;
using launch_test::run_command;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;
using namespace std::chrono_literals;

const std::string rank = LIVE_RANK;

std::string said(const LiveJob& job, int number, int nid, const std::string& what) {
  return "[NID 0000" + std::to_string(nid) + "] Apid " + job.apid() + ": rank " +
         std::to_string(number) + ": " + what;
}
std::string ended(const LiveJob& job, const std::string& how) {
  return "Application " + job.apid() + " exit " + how;
}

// ---- Exit codes

TEST(LiveEnd, FirstCodeThatIsNotZero) {
  LiveJob job({"-q", "-n", "3", rank, "exit", "1", "7"});
  EXPECT_EQ(job.wait(), 7);
  EXPECT_THAT(lines_of(job.errors()), ElementsAre(ended(job, "codes: 7 (rank 1)")));
  EXPECT_EQ(job.left_behind(), "");
}

TEST(LiveEnd, ProgramsWithoutStartUpHaveCodesToo) {
  LiveJob job({"-q", "-n", "3", "sh", "-c", "exit $((ALPS_APP_PE / 2 * 4))"});
  EXPECT_EQ(job.wait(), 4);
  EXPECT_THAT(lines_of(job.errors()), ElementsAre(ended(job, "codes: 4 (rank 2)")));
}

TEST(LiveEnd, ProgramsWithoutStartUpMayJustEnd) {
  LiveJob job({"-q", "-n", "3", "true"});
  EXPECT_EQ(job.wait(), 0);
  EXPECT_EQ(job.errors(), "");
}

TEST(LiveEnd, RankThatNeverJoins) {
  LiveJob job(
      {"-q", "-n", "3", "sh", "-c", "test $ALPS_APP_PE = 2 && exit 0; exec " + rank + " exchange"});
  EXPECT_EQ(job.wait(), 1);
  EXPECT_THAT(
      lines_of(job.errors()),
      ElementsAre(said(job, 2, 0,
                       "its process has ended without MPI_Init or PMI_Init, which other ranks "
                       "have called"),
                  ended(job, "codes: 1 (rank 2)")));
  EXPECT_EQ(job.left_behind(), "");
}

TEST(LiveEnd, LeavingWithoutFinalize) {
  for (const auto& [given, code] : {std::pair{"0", 1}, {"3", 3}}) {
    LiveJob job({"-q", "-n", "3", "-N", "1", rank, "leave", "1", given});
    EXPECT_EQ(job.wait(), code);
    EXPECT_THAT(lines_of(job.errors()),
                ElementsAre(said(job, 1, 1,
                                 std::string("its process has ended (exit code ") + given +
                                     ") without MPI_Finalize, PMI_Finalize or dmapp_finalize"),
                            ended(job, "codes: " + std::to_string(code) + " (rank 1)")));
    EXPECT_EQ(job.left_behind(), "");
  }
}

/// Who started aprun may have no interest in its children, and with it aprun is to have none in
/// its.
TEST(LiveEnd, IsSeenWhereChildrenAreIgnored) {
  const CommandResult result =
      run_command("env --ignore-signal=CHLD " + launch_test::tool("aprun") +
                  " -q --clock live -n 2 " + rank + " exit 1 7");
  EXPECT_EQ(result.code, 7) << result.errors;
}

// ---- Aborts

TEST(LiveEnd, AbortEndsAll) {
  for (const auto& [given, code] : {std::pair{"5", 5}, {"0", 1}, {"256", 1}}) {
    LiveJob job({"-q", "-n", "3", "-N", "2", rank, "abort", "2", given});
    EXPECT_EQ(job.wait(), code);
    EXPECT_THAT(lines_of(job.errors()), ElementsAre(said(job, 2, 1, "rank gives up"),
                                                    ended(job, "codes: " + std::to_string(code))));
    EXPECT_EQ(job.left_behind(), "");
  }
}

TEST(LiveEnd, WhoIgnoresSigtermIsKilled) {
  LiveJob job({"-q", "-n", "3", rank, "stubborn", "0", "4"});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(job.wait(), 4);
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(took, 1900ms);
  EXPECT_LT(took, 8s);
  EXPECT_EQ(job.left_behind(), "");
}

// ---- Signals

TEST(LiveEnd, FatalSignalOfARank) {
  struct Fatal {
    int number;
    const char* name;
  };
  for (const Fatal& fatal : {Fatal{SIGKILL, "Killed"}, Fatal{SIGSEGV, "Segmentation fault"},
                             Fatal{SIGUSR1, "User defined signal 1"}}) {
    LiveJob job({"-q", "-n", "3", "-e", "TSAN_OPTIONS=handle_segv=0", rank, "signal", "1",
                 std::to_string(fatal.number)},
                {"ASAN_OPTIONS=handle_segv=0:detect_leaks=0"});
    EXPECT_EQ(job.wait(), 128 + fatal.number);
    EXPECT_THAT(lines_of(job.errors()),
                ElementsAre(said(job, 1, 0, fatal.name),
                            ended(job, std::string("signals: ") + fatal.name)));
    EXPECT_EQ(job.left_behind(), "");
  }
}

class LiveSignal : public testing::TestWithParam<int> {};

TEST_P(LiveSignal, ToAprunEndsTheJob) {
  LiveJob job({"-q", "-n", "3", rank, "work"});
  ASSERT_TRUE(job.await_lines(3)) << job.errors();
  job.send_signal(GetParam());
  EXPECT_EQ(job.wait(10s), 128 + GetParam());
  const std::string name = strsignal(GetParam());
  const std::string aprun = "aprun: Apid " + job.apid() + ": ";
  EXPECT_THAT(lines_of(job.errors()),
              ElementsAre(aprun + "Caught signal " + name + ", sending to application",
                          aprun + "what the ranks are doing",
                          "aprun: ranks 0-2: does not answer (no call of MPI, PMI or DMAPP yet, or "
                          "it is stopped)",
                          ended(job, "signals: " + name)));
  EXPECT_EQ(job.left_behind(), "");
}

INSTANTIATE_TEST_SUITE_P(, LiveSignal, testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const testing::TestParamInfo<int>& one) {
                           return std::string("Number") + std::to_string(one.param);
                         });

TEST(LiveEnd, UserSignalsToAprunAreTheRanks) {
  LiveJob job({"-q", "-n", "2", "sh", "-c",
               "trap 'echo one' USR1; trap 'echo two; exit 0' USR2; echo ready; while :; do sleep "
               "0.1; done"});
  ASSERT_TRUE(job.await_lines(2));
  job.send_signal(SIGUSR1);
  ASSERT_TRUE(job.await_lines(4)) << job.errors();
  job.send_signal(SIGUSR2);
  EXPECT_EQ(job.wait(), 0);
  EXPECT_THAT(lines_of(job.output()), ElementsAre("ready", "ready", "one", "one", "two", "two"));
  EXPECT_EQ(job.errors(), "");
  EXPECT_EQ(job.left_behind(), "");
}

TEST(LiveEnd, SecondInterruptKillsAtOnce) {
  LiveJob job({"-q", "-n", "2", "sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"});
  ASSERT_TRUE(job.await_lines(2));
  job.send_signal(SIGINT);
  std::this_thread::sleep_for(100ms);
  const auto begin = std::chrono::steady_clock::now();
  job.send_signal(SIGINT);
  EXPECT_EQ(job.wait(), 130);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1500ms);
  EXPECT_EQ(job.left_behind(), "");
}

// ---- What stays behind: nothing

TEST(LiveEnd, ProcessesThatRanksStartAreEndedToo) {
  LiveJob job({"-q", "-n", "2", "sh", "-c", "sleep 1000 & exec " + rank + " abort 0 1"});
  EXPECT_EQ(job.wait(), 1);
  EXPECT_EQ(job.left_behind(), "");
}

TEST(LiveEnd, SharedMemoryWithTheJobsNameIsRemoved) {
  LiveJob job({"-q", "-n", "2", rank, "work"});
  ASSERT_TRUE(job.await_lines(2));
  const std::string line = lines_of(job.output())[0];
  const std::string name = line.substr(line.find(' ') + 1);
  std::ofstream("/dev/shm/castor-" + name + "-region") << "data";
  std::ofstream("/tmp/castor-" + name + "-file") << "data";
  EXPECT_EQ(job.files().size(), 3U);  // and the launcher's own folder
  job.send_signal(SIGINT);
  EXPECT_EQ(job.wait(), 130);
  EXPECT_EQ(job.left_behind(), "");
}

TEST(LiveEnd, KilledLauncherTakesItsRanksAlong) {
  LiveJob job({"-q", "-n", "3", rank, "work"});
  ASSERT_TRUE(job.await_lines(3));
  EXPECT_EQ(job.processes().size(), 3U);
  const std::string line = lines_of(job.output())[0];
  std::ofstream("/dev/shm/castor-" + line.substr(line.find(' ') + 1) + "-region") << "data";
  LiveJob other({"-q", "-n", "2", rank, "work"});
  ASSERT_TRUE(other.await_lines(2));
  job.send_signal(SIGKILL);
  EXPECT_EQ(job.wait(), 137);
  EXPECT_EQ(job.left_behind(), "");
  EXPECT_THAT(other.files(), Not(IsEmpty()));
  other.send_signal(SIGTERM);
  EXPECT_EQ(other.wait(), 143);
}

/// Where nothing has cleared them away.
TEST(LiveEnd, NextStartRemovesAKilledJobsFiles) {
  LiveJob job({"-q", "-n", "3", rank, "work"});
  ASSERT_TRUE(job.await_lines(3));
  LiveJob other({"-q", "-n", "2", rank, "work"});
  ASSERT_TRUE(other.await_lines(2));
  const pid_t keeper = job.child("castor-keeper");
  ASSERT_GT(keeper, 0);
  kill(keeper, SIGKILL);
  job.send_signal(SIGKILL);
  EXPECT_EQ(job.wait(), 137);
  EXPECT_THAT(job.files(), Not(IsEmpty()));
  LiveJob next({"-q", "-n", "1", "true"});
  EXPECT_EQ(next.wait(), 0);
  EXPECT_EQ(job.left_behind(), "");
  EXPECT_THAT(other.files(), Not(IsEmpty()));
  other.send_signal(SIGTERM);
  EXPECT_EQ(other.wait(), 143);
}

TEST(LiveEnd, KilledLauncherTakesScriptsProgramsAlong) {
  LiveJob job({"-q", "-n", "2", "sh", "-c", rank + " work; true"});
  ASSERT_TRUE(job.await_lines(2));
  EXPECT_EQ(job.processes().size(), 4U);
  job.send_signal(SIGKILL);
  EXPECT_EQ(job.wait(), 137);
  EXPECT_EQ(job.left_behind(), "");
}

/// A rank's child that is no rank has no one who sees to its end.
TEST(LiveEnd, KilledLauncherTakesAlongWhatRanksHaveStarted) {
  LiveJob job({"-q", "-n", "2", "sh", "-c", "sleep 1000 & echo ready; wait"});
  ASSERT_TRUE(job.await_lines(2));
  EXPECT_EQ(job.processes().size(), 4U);
  job.send_signal(SIGKILL);
  EXPECT_EQ(job.wait(), 137);
  EXPECT_EQ(job.left_behind(), "");
}

/// Of aprun's the kernel sees to it.
TEST(LiveEnd, KilledLauncherOfAnotherKindTakesItsRanksAlong) {
  if (run_command("mpirun.openmpi --version").code != 0)
    GTEST_SKIP() << "no mpirun.openmpi (package openmpi-bin)";
  const castor_test::TestFolder folder;
  // What ranks write to the launcher goes with it.
  const CommandResult result = run_command(
      "sh -c 'cd " + folder.path() +
      "; : >pids; mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 sh -c \"exec " + rank +
      " rest 2>>said\" >pids & while test $(wc -l <pids) -lt 2; do sleep 0.1; done; kill -KILL $!; "
      "cat pids'");
  EXPECT_EQ(result.code, 0) << result.errors;
  const std::vector<std::string> pids = lines_of(result.output);
  EXPECT_EQ(pids.size(), 2U);
  for (const std::string& pid : pids) {
    for (int i = 0; i < 1000 && launch_test::lives(std::stoi(pid)); ++i) {
      std::this_thread::sleep_for(10ms);
    }
    EXPECT_FALSE(launch_test::lives(std::stoi(pid)));
    kill(std::stoi(pid), SIGKILL);
  }
  std::stringstream said;
  said << std::ifstream(folder / "said").rdbuf();
  EXPECT_THAT(lines_of(said.str()), UnorderedElementsAre("castor: rank 0: the launcher has ended",
                                                         "castor: rank 1: the launcher has ended"));
}

// ---- Killed at any moment

int number_from(const char* variable, int fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::atoi(text);
}

/// A rank, or the launcher, is killed at a random moment: while the ranks start, meet, exchange.
/// LIVE_KILL_TESTS says how often, LIVE_KILL_SEED which moments.
/// The PMIx server of a job whose ranks have all begun and said so.
pid_t server_of(const LiveJob& job, std::size_t ranks) {
  EXPECT_TRUE(job.await_lines(ranks)) << job.errors();
  const pid_t server = job.server();
  EXPECT_GT(server, 0);
  return server;
}

/// PMIx's server may not survive a client's death: it is a process of its own.
TEST(LiveKill, TheServerOfStartUp) {
  LiveJob job({"-q", "-n", "3", "sh", "-c", "echo begun; exec sleep 100"});
  const pid_t server = server_of(job, 3);
  ASSERT_GT(server, 0);
  kill(server, SIGKILL);
  EXPECT_EQ(job.wait(10s), 1);
  EXPECT_THAT(lines_of(job.errors()),
              ElementsAre("aprun: Apid " + job.apid() + ": the PMIx server has ended",
                          ended(job, "codes: 1")));
  EXPECT_EQ(job.left_behind(), "");
}

/// While ranks wait for it.
TEST(LiveKill, TheServerOfStartUpWhileRanksStart) {
  LiveJob job({"-q", "-n", "3", "sh", "-c", "echo begun; sleep 1; exec " + rank + " exchange"});
  const pid_t server = server_of(job, 3);
  ASSERT_GT(server, 0);
  kill(server, SIGSTOP);  // ranks connect, and are not answered
  std::this_thread::sleep_for(1500ms);
  kill(server, SIGKILL);
  EXPECT_EQ(job.wait(10s), 1);
  EXPECT_THAT(lines_of(job.errors()),
              ElementsAre("aprun: Apid " + job.apid() + ": the PMIx server has ended",
                          ended(job, "codes: 1")));
  EXPECT_EQ(job.left_behind(), "");
}

TEST(LiveKill, TheServerOfStartUpWithARank) {
  LiveJob job({"-q", "-n", "3", rank, "work"});
  const pid_t server = server_of(job, 3);
  ASSERT_GT(server, 0);
  const std::vector<pid_t> ranks = job.processes();
  ASSERT_EQ(ranks.size(), 3U);
  // Without the server ranks end by themselves, and the launcher may hear of one of them first.
  kill(ranks[0], SIGSTOP);
  kill(ranks[2], SIGSTOP);
  kill(ranks[1], SIGKILL);
  kill(server, SIGKILL);
  EXPECT_EQ(job.wait(10s), 137);
  EXPECT_THAT(job.errors(),
              AllOf(HasSubstr(": Killed\n"), HasSubstr(ended(job, "signals: Killed"))));
  EXPECT_EQ(job.left_behind(), "");
}

TEST(LiveKill, TheLauncherTakesTheServerOfStartUpAlong) {
  LiveJob job({"-q", "-n", "2", rank, "work"});
  const pid_t server = server_of(job, 2);
  ASSERT_GT(server, 0);
  kill(job.pid(), SIGKILL);
  EXPECT_EQ(job.wait(10s), 137);
  for (int i = 0; i < 500 && launch_test::lives(server); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(launch_test::lives(server));
  EXPECT_EQ(job.left_behind(), "");
}

TEST(LiveLimit, OfTheHostsTimeEndsTheJobWithTheState) {
  LiveJob job({"-q", "-n", "2", "--limit", "500ms", rank, "work"});
  EXPECT_EQ(job.wait(30s), 124) << job.errors();
  EXPECT_THAT(job.errors(), AllOf(HasSubstr("what the ranks are doing"),
                                  HasSubstr("--limit: the job has taken 0.5 s and is ended\n"),
                                  HasSubstr(ended(job, "codes: 124"))));
  EXPECT_EQ(job.left_behind(), "");
}

TEST(LiveLimit, OfCpuTimeEndsTheRankThatHasUsedIt) {
  LiveJob job({"-q", "-n", "2", "-t", "1", rank, "work"});
  EXPECT_EQ(job.wait(60s), 128 + 24) << job.errors();
  EXPECT_THAT(job.errors(), HasSubstr(": CPU time limit exceeded\n"));
}

TEST(LiveKill, AtRandomMoments) {
  const int times = number_from("LIVE_KILL_TESTS", 10);
  const int seed = number_from("LIVE_KILL_SEED", 1);
  std::mt19937 random(static_cast<unsigned>(seed));
  constexpr int ranks = 3;
  for (int turn = 0; turn < times; ++turn) {
    const auto moment = std::chrono::microseconds(random() % 40'000);
    const auto victim = static_cast<std::size_t>(random() % (ranks + 1));
    SCOPED_TRACE("seed " + std::to_string(seed) + ", turn " + std::to_string(turn) + ", victim " +
                 std::to_string(victim) + " after " + std::to_string(moment.count()) + " us");
    LiveJob job({"-q", "-n", std::to_string(ranks), rank, "work"});
    std::this_thread::sleep_for(moment);
    const bool launcher = victim == ranks;
    std::vector<pid_t> living = job.processes();
    const auto late = std::chrono::steady_clock::now() + 10s;
    while (!launcher && living.size() <= victim) {
      ASSERT_LT(std::chrono::steady_clock::now(), late) << job.errors();
      living = job.processes();
    }
    kill(launcher ? job.pid() : living[victim], SIGKILL);
    EXPECT_EQ(job.wait(10s), 137) << job.errors();
    if (!launcher) {
      EXPECT_THAT(job.errors(),
                  AllOf(HasSubstr(": Killed\n"), HasSubstr(ended(job, "signals: Killed"))));
    }
    EXPECT_EQ(job.left_behind(), "");
  }
}

}  // namespace
