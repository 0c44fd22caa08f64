// MPI programs as live jobs: real processes on one host and on several.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>

#include <chrono>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/launch/live_job.h"
#include "tests/support/aprun_command.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::LiveJob;
using launch_test::run_command;
using launch_test::sample;
using launch_test::tool;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;
using namespace std::chrono_literals;

struct Design {
  const char* name;
  const char* variables;
};

constexpr Design designs[] = {
    {"none", ""},
    {"phase_one", "MPICH_NEMESIS_ASYNC_PROGRESS=SC MPICH_MAX_THREAD_SAFETY=multiple"},
    {"phase_two", "MPICH_NEMESIS_ASYNC_PROGRESS=MC MPICH_MAX_THREAD_SAFETY=multiple"},
    {"active", "MPICH_ASYNC_PROGRESS=1 MPICH_MAX_THREAD_SAFETY=multiple"},
};

class LiveSoak : public testing::TestWithParam<Design> {};

TEST_P(LiveSoak, RandomTrafficArrivesWhole) {
  for (const char* network : {"CASTOR_NETWORK=gemini ", "CASTOR_NETWORK=none "}) {
    const CommandResult result = aprun("--clock live -q -n 4 -N 2 " + sample("soak") + " 1",
                                       std::string(network) + GetParam().variables);
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_THAT(result.output, StartsWith("soak: 4 ranks, ")) << result.errors;
  }
}

INSTANTIATE_TEST_SUITE_P(, LiveSoak, testing::ValuesIn(designs),
                         [](const auto& each) { return each.param.name; });

// ---- Large messages between nodes of one host

TEST(LiveRendezvous, OfOneHostIsOneReadHoweverLarge) {
  const auto statistics = [](const std::string& variables) {
    const CommandResult result =
        aprun("--clock live -q -n 2 -N 1 " + tool("mpi_latency") + " --sizes 2M -i 5",
              variables + " MPICH_GNI_ASYNC_PROGRESS_STATS=1");
    EXPECT_EQ(result.code, 0) << result.errors;
    return result.errors;
  };
  const std::string one_read = "rts [1-9][0-9]* reads [1-9][0-9]* cts 0 writes 0 ";
  EXPECT_THAT(statistics(""), ContainsRegex(one_read));
  const std::string chunks = "rts [1-9][0-9]* reads 0 cts [1-9][0-9]* writes [1-9][0-9]* ";
  EXPECT_THAT(statistics("CASTOR_READ_AT_ONCE=0"), ContainsRegex(chunks));
  // As between hosts: another provider than our own queues copies nothing by itself.
  EXPECT_THAT(statistics("CASTOR_PROVIDER=tcp"), ContainsRegex(chunks));
}

// ---- Where threads run

/// What `threads_of_rank` printed: by rank and thread, the CPUs that the kernel lets it run on.
std::map<std::string, std::string> affinities(const std::string& output) {
  std::map<std::string, std::string> found;
  for (const std::string& line : lines_of(output)) {
    std::istringstream words(line);
    std::string rank, thread, cpus;
    if (words >> rank >> thread >> cpus) found[rank + " " + thread] = cpus;
  }
  return found;
}

TEST(LivePlacement, ReservedCpusHaveTheProgressAndNicThreads) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two CPUs";
  const CommandResult result =
      aprun("--clock live -q -n 1 -r 1 " + sample("thread_affinity"),
            "MPICH_NEMESIS_ASYNC_PROGRESS=MC MPICH_MAX_THREAD_SAFETY=multiple");
  EXPECT_EQ(result.code, 0) << result.errors;
  const std::map<std::string, std::string> cpus = affinities(result.output);
  ASSERT_EQ(cpus.count("0 main"), 1U) << result.output;
  ASSERT_EQ(cpus.count("0 castor-progress"), 1U) << result.output;
  ASSERT_EQ(cpus.count("0 castor-nic"), 1U) << result.output;
  EXPECT_EQ(cpus.at("0 castor-progress"), cpus.at("0 castor-nic"));
  EXPECT_NE(cpus.at("0 main"), cpus.at("0 castor-progress"));
}

/// As on a host with two CPUs, while it exists.
class OnTwoCpus {
 public:
  OnTwoCpus() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t two;
    CPU_ZERO(&two);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++cpu) {
      if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &two);
    }
    sched_setaffinity(0, sizeof two, &two);
  }
  ~OnTwoCpus() { sched_setaffinity(0, sizeof before_, &before_); }
  OnTwoCpus(const OnTwoCpus&) = delete;
  OnTwoCpus& operator=(const OnTwoCpus&) = delete;

 private:
  cpu_set_t before_;
};

TEST(LivePlacement, WhoWaitsLendsItsCpu) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two CPUs";
  const OnTwoCpus two;
  const auto seen = [](const std::string& variables) {
    const CommandResult result =
        aprun("--clock live -q -n 2 -N 1 " + sample("lent_cpu"),
              // Chunks wake the thread again and again: on a busy host it may miss the first time.
              "MPICH_NEMESIS_ASYNC_PROGRESS=MC MPICH_MAX_THREAD_SAFETY=multiple "
              "CASTOR_READ_AT_ONCE=0 " +
                  variables);
    EXPECT_EQ(result.code, 0) << result.errors;
    return lines_of(result.output);
  };
  EXPECT_THAT(seen(""), ElementsAre("home", "lent", "home"));
  EXPECT_THAT(seen("CASTOR_LEND_CPUS=0"), ElementsAre("home", "home", "home"));
}

TEST(LivePlacement, ListsOfCpusAreTheRanks) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two CPUs";
  const auto mains = [](const CommandResult& result) {
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    std::map<std::string, std::string> cpus = affinities(result.output);
    return std::pair(cpus["0 main"], cpus["1 main"]);
  };
  const auto bound = [&](const std::string& lists) {
    return mains(aprun("--clock live -q -n 2 -cc " + lists + " " + sample("thread_affinity")));
  };
  const auto [first, second] = bound("0,1");
  EXPECT_THAT(first, MatchesRegex("[0-9]+"));
  EXPECT_THAT(second, MatchesRegex("[0-9]+"));
  EXPECT_NE(first, second);
  EXPECT_EQ(bound("1:0"), std::pair(second, first));
  const auto [both, one] = bound("0,1:1");
  EXPECT_THAT(both, MatchesRegex("[0-9]+[,-][0-9]+"));
  EXPECT_EQ(one, second);
  // What aprun takes as an option, other launchers take as a variable.
  if (run_command("mpirun.openmpi --version").code != 0)
    GTEST_SKIP() << "no mpirun.openmpi (package openmpi-bin)";
  EXPECT_EQ(mains(run_command("env CASTOR_CPU_BINDING=0,1:1 mpirun.openmpi --allow-run-as-root "
                              "--oversubscribe -n 2 " +
                              sample("thread_affinity"))),
            std::pair(both, one));
}

TEST(LivePlacement, MoreRanksThanCpusAreWarnedOfOnce) {
  const unsigned many = std::thread::hardware_concurrency() + 1;
  const CommandResult result = aprun("--clock live -q -n " + std::to_string(many) + " -N " +
                                     std::to_string(many) + " " + sample("thread_affinity"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(lines_of(result.errors).size(), 1U) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("ranks share CPUs"));
}

TEST(LivePlacement, TheMapShowsEveryNodeWhenAskedFor) {
  const std::string options = "--clock live -q -n 3 -N 2 -L 5,9 -cc none ";
  for (const CommandResult& result :
       {aprun(options + "-v " + sample("thread_affinity")),
        aprun(options + sample("thread_affinity"), "MPICH_CPUMASK_DISPLAY=1")}) {
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("castor: node 5, 2 ranks to a node, on "));
    EXPECT_THAT(result.errors, HasSubstr("castor: node 9, 1 rank to a node, on "));
    // Both ranks, and what helps them, on every CPU of their node.
    EXPECT_THAT(result.errors, ContainsRegex("castor:   CPUs? [0-9,-]+ +ranks 0-1, "
                                             "progress threads.*, NIC threads\n"));
  }
}

// ---- The end

TEST(LiveMpi, KilledRankEndsTheJobAndLeavesNothing) {
  // --gtest_random_seed gives other moments.
  std::mt19937 random(static_cast<unsigned>(testing::UnitTest::GetInstance()->random_seed()) + 7);
  for (int round = 0; round < 3; ++round) {
    LiveJob job({"-q", "-n", "4", "-N", "2", sample("soak"), "60"},
                {"MPICH_NEMESIS_ASYNC_PROGRESS=MC", "MPICH_MAX_THREAD_SAFETY=multiple"});
    std::vector<pid_t> processes;
    for (int looks = 0; processes.size() < 4 && looks < 1000; ++looks) {
      std::this_thread::sleep_for(10ms);
      processes = job.processes();
    }
    ASSERT_EQ(processes.size(), 4U) << job.errors();
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 1000));
    kill(processes[random() % processes.size()], SIGKILL);
    EXPECT_NE(job.wait(), 0);
    EXPECT_THAT(job.errors(), HasSubstr("Killed"));
    EXPECT_EQ(job.left_behind(), "");
  }
}

TEST(LiveMpi, AbortEndsTheJobWithItsCode) {
  LiveJob job({"-q", "-n", "3", "-N", "1", sample("live_ends"), "abort"});
  EXPECT_EQ(job.wait(), 9);
  EXPECT_EQ(job.left_behind(), "");
}

TEST(LiveMpi, ExitWithoutFinalizeEndsTheJob) {
  LiveJob job({"-q", "-n", "3", "-N", "1", sample("live_ends"), "leave"});
  EXPECT_EQ(job.wait(), 1);
  EXPECT_THAT(job.errors(), HasSubstr("without MPI_Finalize"));
  EXPECT_EQ(job.left_behind(), "");
}

TEST(LiveMpi, MainThreadMayEndBeforeTheOthers) {
  LiveJob job({"-q", "-n", "2", "-N", "1", sample("live_ends"), "threads"});
  EXPECT_EQ(job.wait(), 0) << job.errors();
  EXPECT_EQ(job.output(), "thread has ended\nthread has ended\n");
  EXPECT_EQ(job.errors(), "");
  EXPECT_EQ(job.left_behind(), "");
}

// ---- What cannot be, in one line

TEST(LiveMpi, UnknownProviderIsRefusedBeforeRanksStart) {
  const CommandResult result =
      aprun("--clock live -q -n 2 " + sample("live_ends"), "CASTOR_PROVIDER=carrier-pigeon");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(lines_of(result.errors), ElementsAre(HasSubstr("no provider \"carrier-pigeon\"")));
}

TEST(LiveMpi, UnknownProviderIsRefusedToOneWithoutLauncher) {
  const std::string live = "env CASTOR_CLOCK=live CASTOR_PROVIDER=";
  const CommandResult result = run_command(live + "carrier-pigeon " + sample("live_ends"));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(lines_of(result.errors),
              ElementsAre(HasSubstr("castor: CASTOR_PROVIDER: libfabric has no provider "
                                    "\"carrier-pigeon\"")));
  for (const std::string known : {"auto ", "shm ", "'tcp;ofi_rxm' "}) {
    EXPECT_EQ(run_command(live + known + sample("live_ends")).code, 0) << known;
  }
}

TEST(LiveMpi, RanksThatCannotStartSayItOnce) {
  const CommandResult result =
      aprun("--clock live -q -n 3 " + sample("live_ends"), "CASTOR_PROVIDER='udp;ofi_rxd'");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(lines_of(result.errors),
              ElementsAre(HasSubstr("CASTOR_PROVIDER: "), HasSubstr("exit codes: 2")));
}

TEST(LiveMpi, BadVariablesEndAProgramWithoutLauncher) {
  for (const char* bad : {"CASTOR_CLOCK=live CASTOR_SEED=x", "CASTOR_SEED=x", "CASTOR_CLOCK=foo"}) {
    const CommandResult result = run_command("env " + std::string(bad) + " " + sample("live_ends"));
    EXPECT_EQ(result.code, 2) << bad;
    EXPECT_THAT(lines_of(result.errors), ElementsAre(StartsWith("castor: CASTOR_"))) << bad;
  }
}

TEST(LiveMpi, CallsBeforeInitNameTheRankOnBothClocks) {
  for (const std::string clock : {"virtual", "live"}) {
    if (SANITIZED && clock == "virtual") continue;  // the program has a sanitizer, too
    const CommandResult result =
        aprun("--clock " + clock + " -q -n 1 " + sample("live_ends") + " early");
    EXPECT_EQ(result.code, 15) << clock;
    EXPECT_THAT(result.errors, HasSubstr("rank 0: MPI_Comm_rank was called before MPI_Init\n"));
  }
}

TEST(LiveMpi, EndsAsOtherProgramsDoWhereNobodyReads) {
  const CommandResult result =
      run_command("bash -o pipefail -c '{ sleep 0.5; " + tool("aprun") + " --clock live -n 2 " +
                  sample("live_ends") + "; } 2>&1 | true'");
  EXPECT_EQ(result.code, 128 + SIGPIPE);
}

// ---- Other launchers, several hosts, other compilers

TEST(LiveMpi, UnderOpenMpisLauncher) {
  if (run_command("mpirun.openmpi --version").code != 0)
    GTEST_SKIP() << "no mpirun.openmpi (package openmpi-bin)";
  const CommandResult result = run_command(
      "mpirun.openmpi --allow-run-as-root --oversubscribe -n 3 " + sample("soak") + " 1");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.errors, Not(HasSubstr("the launcher has ended")));
  EXPECT_THAT(result.output, StartsWith("soak: 3 ranks, ")) << result.errors;
}

TEST(LiveMpi, AloneWithoutLauncher) {
  const CommandResult result = run_command("env CASTOR_CLOCK=live " + sample("soak") + " 0.2");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("soak: 1 ranks, ")) << result.errors;
}

TEST(LiveMpi, SeveralHosts) {
  for (const char* shape : {"2 2 ", "3 1 "}) {
    const CommandResult result =
        run_command(std::string(HOSTS) + " " + shape + sample("soak") + " 1");
    constexpr int skipped = 77;
    if (result.code == skipped) GTEST_SKIP() << result.errors;
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_THAT(result.output, StartsWith("soak: ")) << result.errors;
  }
}

TEST(LiveMpi, UnderSlurm) {
  const CommandResult result = run_command(std::string(SLURM) + " " + sample("soak"));
  constexpr int skipped = 77;
  if (result.code == skipped) GTEST_SKIP() << result.errors;
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output),
              ElementsAre(StartsWith("soak: 2 ranks, "), StartsWith("soak: 4 ranks, "),
                          "killed one of 4: the others ended"));
}

TEST(LiveMpi, ProgramsBuiltForMpich) {
  if (!HAS_MPICH) GTEST_SKIP() << "no mpicc.mpich (package libmpich-dev)";
  const CommandResult result =
      aprun("--clock live -q -n 2 -N 1 " + sample("soak_for_mpich") + " 0.5");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("soak: 2 ranks, ")) << result.errors;
}

TEST(LiveMpi, TheMainJobRuns) {
  if (SANITIZED) GTEST_SKIP() << "the benchmarks are built without sanitizers";
  const CommandResult result =
      aprun("--clock live -q -n 2 -N 1 " + tool("smb_overhead") + " --sizes 8,64K --csv",
            designs[2].variables);
  EXPECT_EQ(result.code, 0) << result.errors;
  const std::vector<std::string> lines = lines_of(result.output);
  ASSERT_EQ(lines.size(), 5U) << result.output;
  EXPECT_THAT(lines[0], StartsWith("side,msgsize,iterations,iter_t,work_t,overhead,base_t,avail"));
}

}  // namespace
