// aprun --faults: what a job sees of faults by a plan, and that they repeat.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/aprun_command.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::fingerprint;
using launch_test::lines_of;
using launch_test::sample;
using launch_test::tool;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

const std::string harmless =
    "cq-overrun p=.1; credits-late by=20us p=.5; completion-late by=9us; nic-stalls p=.01 "
    "for=30us; "
    "datagram-late by=50us p=.3; post-refused p=.05; message-lost p=.02";

std::string text_of(const std::string& name) {
  std::ifstream file(name);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string quoted(const std::string& text) { return "'" + text + "' "; }

TEST(FaultJobs, OnesThatDoNoHarmGiveTheResultsOfAWholeMachine) {
  for (const char* program : {"mpi_job", "mpi_pieces", "message_queues"}) {
    const std::string job = "-q -n 16 -N 2 " + sample(program);
    const CommandResult whole = aprun(job);
    EXPECT_EQ(whole.code, 0) << whole.errors;
    const CommandResult run = aprun("--faults " + quoted(harmless) + job);
    EXPECT_EQ(run.code, 0) << program << run.errors;
    auto expected = lines_of(whole.output), given = lines_of(run.output);
    std::sort(expected.begin(), expected.end());
    std::sort(given.begin(), given.end());
    EXPECT_EQ(given, expected) << program;
  }
}

TEST(FaultJobs, RepeatWithAnyNumberOfWorkers) {
  const castor_test::TestFolder folder;
  const std::string job = "--system 4x4x4 -n 128 -N 2 " + tool("halo_scale") + " -i 20";
  const auto run = [&](int workers, const std::string& file) {
    return aprun("--faults " + quoted(harmless) + "--faults-file " + (folder / file) +
                 " --workers " + std::to_string(workers) + " " + job);
  };
  const CommandResult first = run(1, "1.csv");
  EXPECT_EQ(first.code, 0) << first.errors;
  EXPECT_THAT(lines_of(first.errors), Contains(StartsWith("castor: faults: ")));
  const std::string list = text_of(folder / "1.csv");
  EXPECT_THAT(list, StartsWith("fault,kind,time_us,node,peer\n"));
  EXPECT_GT(lines_of(list).size(), 100U);
  for (const int workers : {1, 2, 3}) {
    const CommandResult again = run(workers, "again.csv");
    EXPECT_EQ(again.output, first.output) << workers;
    EXPECT_EQ(fingerprint(again), fingerprint(first)) << workers;
    EXPECT_EQ(text_of(folder / "again.csv"), list) << workers;
  }
}

TEST(FaultJobs, APlanThatStrikesNothingChangesNothing) {
  const std::string job = "-n 64 -N 4 " + tool("halo_scale");
  const CommandResult without = aprun(job);
  const CommandResult with =
      aprun("--faults " + quoted("post-fails node=9999; cq-overrun at=9s") + job);
  EXPECT_EQ(with.output, without.output);
  EXPECT_EQ(fingerprint(with), fingerprint(without));
  EXPECT_THAT(lines_of(with.errors), Contains("castor: faults: none"));
}

TEST(FaultJobs, AFaultThatEndsTheJobSaysSoInOneLine) {
  const CommandResult run = aprun("--faults " + quoted("post-fails error=fatal node=3 nth=20") +
                                  "-n 16 -N 4 " + tool("halo_scale"));
  EXPECT_EQ(run.code, 137);
  EXPECT_THAT(run.errors, HasSubstr("killed: transaction error: "));
  EXPECT_THAT(lines_of(run.errors), Contains("castor: faults: 1: post-fails 1"));
}

TEST(FaultJobs, APlanMayBeAFile) {
  const castor_test::TestFolder folder;
  std::ofstream(folder / "plan") << "# two of them\nlink-down router=0 link=X+ at=0s until=1ms\n"
                                    "completion-late by=5us nth=3\n";
  const std::string job = "-n 64 -N 2 " + tool("halo_scale");
  const CommandResult run = aprun("--faults " + (folder / "plan") + " " + job);
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_THAT(run.errors, HasSubstr("castor: network: lost on failed links "));
  EXPECT_THAT(run.errors, HasSubstr("castor: faults: 32: completion-late 32"));

  std::ofstream(folder / "plan", std::ios::app) << "register-fails p=2\n";
  const CommandResult wrong = aprun("--faults " + (folder / "plan") + " " + job);
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.errors, "aprun: " + (folder / "plan") +
                              ":4: register-fails: p=2: a number from 0 to 1 is allowed\n");
  const CommandResult lonely = aprun("--faults-file " + (folder / "list") + " " + job);
  EXPECT_EQ(lonely.code, 2);
  EXPECT_THAT(lonely.errors, HasSubstr("--faults-file: without --faults"));
}

/// A schedule is shrunk by leaving faults out.
TEST(FaultJobs, SomeFaultsAlone) {
  const castor_test::TestFolder folder;
  const std::string job = "-n 16 -N 4 " + tool("halo_scale");
  const std::string plan =
      "--faults " + quoted("completion-late by=9us") + "--faults-file " + (folder / "list") + " ";
  const CommandResult run = aprun(plan + job, "CASTOR_FAULTS_ONLY=1.0.3,1.2.5");
  EXPECT_EQ(run.code, 0) << run.errors;
  const std::vector<std::string> lines = lines_of(text_of(folder / "list"));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines, Contains(StartsWith("1.0.3,completion-late,")));
  EXPECT_THAT(lines, Contains(StartsWith("1.2.5,completion-late,")));
}

/// A message of MPI's waits for a credit while its rank is in DMAPP's start, which waits for all.
TEST(FaultJobs, ARankThatWaitsInAnotherLibraryServesMpi) {
  for (const char* design : {"none", "SC", "MC"}) {
    for (int nth = 5; nth <= 12; ++nth) {
      const CommandResult run = aprun(
          "--faults " + quoted("credits-late by=3ms nth=" + std::to_string(nth)) +
              "-q -n 12 -N 1 -r 1 " + tool("fault_workload") + " --rounds 1 --parts windows,dmapp",
          std::string("CASTOR_SMSG_CREDITS=1 MPICH_GNI_MAX_EAGER_MSG_SIZE=0 "
                      "MPICH_MAX_THREAD_SAFETY=multiple ") +
              (design == std::string("none")
                   ? ""
                   : "MPICH_NEMESIS_ASYNC_PROGRESS=" + std::string(design)));
      EXPECT_EQ(run.code, 0) << design << nth << run.errors;
    }
  }
}

/// Its ranks go no further, and the job ends.
TEST(FaultJobs, ADeadNodeEndsTheJob) {
  const std::string job = "--faults " + quoted("node-dead node=3 at=100us") + "-n 16 -N 4 ";
  for (const char* workers : {"1", "2"}) {
    const CommandResult run =
        aprun(job + tool("halo_scale"), std::string("CASTOR_WORKERS=") + workers);
    EXPECT_EQ(run.code, 137);
    EXPECT_THAT(lines_of(run.errors),
                Contains("[NID 00003] Apid 1000001: rank 12: killed: its node has failed; aprun -C "
                         "lets the others go on"));
    EXPECT_THAT(lines_of(run.errors), Contains("castor: faults: 1: node-dead 1"));
  }
}

/// The job does not last until then, nor does it end otherwise.
TEST(FaultJobs, ANodeFailsAfterTheEnd) {
  const std::string job = "-n 16 -N 4 " + tool("halo_scale");
  const CommandResult whole = aprun(job);
  for (const char* options : {"", "-C "}) {
    const CommandResult run =
        aprun(options + ("--faults " + quoted("node-dead node=3 at=9s")) + "-t 99 " + job);
    EXPECT_EQ(run.code, 0) << run.errors;
    EXPECT_EQ(run.output, whole.output);
    EXPECT_THAT(lines_of(run.errors), Contains("castor: faults: none"));
    EXPECT_THAT(run.errors, HasSubstr("virtual time 0.0"));
  }
}

/// A plan that takes time alone lets libraries take no care: the run is that without a plan.
TEST(FaultJobs, APlanThatTakesTimeAloneAndStrikesNothing) {
  const std::string job = "-n 16 -N 4 -r 1 " + tool("fault_workload") + " --rounds 1";
  const std::string design = "MPICH_NEMESIS_ASYNC_PROGRESS=MC MPICH_MAX_THREAD_SAFETY=multiple";
  const CommandResult whole = aprun(job, design);
  const CommandResult run =
      aprun("--faults " +
                quoted("nic-stalls for=1us at=9s; completion-late by=1us at=9s; "
                       "datagram-late by=1us at=9s; credits-late by=1us at=9s; "
                       "post-refused at=9s") +
                job,
            design);
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_EQ(fingerprint(run), fingerprint(whole));
}

/// Other ranks learn of it when they want something of the node.
TEST(FaultJobs, OthersGoOnWithoutADeadNode) {
  const std::string job = "-C --faults " + quoted("node-dead node=16 at=300us noticed-after=2ms") +
                          "-n 4 -N 1 -L 0,8,16,24 " + sample("survivors");
  const CommandResult run = aprun(job);
  EXPECT_EQ(run.code, 137);
  auto lines = lines_of(run.output);
  std::sort(lines.begin(), lines.end());
  EXPECT_THAT(lines,
              testing::ElementsAre("rank 0: all puts", "rank 1: a failure",
                                   "rank 1: rank 2: transaction error: no way to the node, or no "
                                   "response from it, code GNI_RC_TRANSACTION_ERROR, recoverable 0",
                                   "rank 3: all puts"));
  EXPECT_THAT(lines_of(run.errors),
              Contains("[NID 00016] Apid 1000001: rank 2: killed: its node has failed; the others "
                       "go on (-C)"));
  for (const char* workers : {"2", "3"}) {
    const CommandResult again = aprun(job, std::string("CASTOR_WORKERS=") + workers);
    EXPECT_EQ(again.output, run.output);
    EXPECT_EQ(again.errors, run.errors);
  }
}

/// Ranks 4 and 5 are lost while they compute; what they were to call afterwards they have not
/// called.
TEST(FaultJobs, RanksOfADeadNodeWaitForNothing) {
  const std::string job =
      "-q -n 32 -N 2 -C --faults " + quoted("node-dead node=2 at=500us") + sample("last_interval");
  for (const char* const variables : {"", "CASTOR_WORKERS=2"}) {
    const CommandResult run = aprun(job, variables);
    EXPECT_EQ(run.code, 1);
    const std::vector<std::string> lines = lines_of(launch_test::without_places(run.errors));
    EXPECT_THAT(lines, Contains("aprun: deadlock: 30 ranks have not ended and nothing will happen "
                                "any more"));
    EXPECT_THAT(lines, Contains("aprun: ranks 0-3, 6-31: in MPI_Barrier on MPI_COMM_WORLD; ranks "
                                "4, 5 are gone"));
    EXPECT_THAT(lines, Contains("aprun: ranks 4, 5: lost with node 2"));
  }
}

TEST(FaultJobs, LiveToo) {
  const std::string plan = "post-refused p=.1; completion-late by=1ms p=.2; message-lost p=.05";
  const CommandResult run =
      aprun("--clock live --faults " + quoted(plan) + "-q -n 4 -N 2 " + sample("mpi_job"));
  EXPECT_EQ(run.code, 0) << run.errors;
}

}  // namespace
