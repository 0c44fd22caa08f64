// MPI's messages where transactions fail: they are posted again, or one line ends the job.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/aprun_command.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::fingerprint;
using launch_test::lines_of;
using launch_test::sample;
using launch_test::tool;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

/// All that MPI survives.
const std::string recoverable =
    "post-fails p=.05; post-refused p=.05; message-lost p=.05; cq-overrun p=.05; "
    "credits-late by=20us p=.3; completion-late by=9us p=.3; datagram-late by=50us p=.3; "
    "nic-stalls p=.01 for=30us; register-fails p=.2";

/// Options and settings of a job without a progress thread, and with one of either kind.
struct Design {
  const char* options;
  const char* settings;
};
constexpr Design designs[] = {
    {"-N 2", ""},
    {"-N 2 -r 1", "MPICH_NEMESIS_ASYNC_PROGRESS=SC MPICH_MAX_THREAD_SAFETY=multiple"},
    {"-N 2 -r 1", "MPICH_NEMESIS_ASYNC_PROGRESS=MC MPICH_MAX_THREAD_SAFETY=multiple"}};

std::string with_plan(const std::string& statements, int seed) {
  return "--seed " + std::to_string(seed) + " --faults '" + statements + "' ";
}

/// soak checks each byte, in messages of all protocols.
TEST(MpiFaults, DataIsRightWhateverFailsRecoverably) {
  for (const Design& design : designs) {
    for (const char* fidelity : {"message", "packet"}) {
      for (const int seed : {1, 2, 3}) {
        const CommandResult run =
            aprun(with_plan(recoverable, seed) + "--fidelity " + fidelity + " -n 6 " +
                      design.options + " " + sample("soak") + " 0.004 " + std::to_string(seed),
                  design.settings);
        EXPECT_EQ(run.code, 0) << design.settings << fidelity << seed << run.errors;
        EXPECT_THAT(run.output, StartsWith("soak: 6 ranks, "));
        EXPECT_THAT(run.errors, ContainsRegex("castor: faults: .*post-fails [1-9]"));
      }
    }
  }
}

/// Each occasion goes wrong, those that the fault itself brings, too: the job ends, well or with
/// one line.
TEST(MpiFaults, NoPlanGoesOnForEver) {
  struct Plan {
    const char* statement;
    int code;
  };
  for (const Plan& plan :
       {Plan{"post-refused for=2us", 0}, Plan{"post-refused for=2us kind=message", 0},
        Plan{"post-refused p=1", 0}, Plan{"post-refused nth=1 times=99999999", 0},
        Plan{"post-fails", 137}, Plan{"post-fails done=yes", 137}, Plan{"message-lost", 137},
        Plan{"datagram-late by=5us", 0}, Plan{"completion-late by=5us", 0},
        Plan{"credits-late by=5us", 0}, Plan{"cq-overrun", 0}, Plan{"register-fails", 1},
        Plan{"nic-stalls for=5us", 0}}) {
    const CommandResult run = aprun("-t 5 --faults '" + std::string(plan.statement) +
                                        "' -n 4 -N 2 " + sample("soak") + " 0.004 1",
                                    "CASTOR_SMSG_CREDITS=1");
    EXPECT_EQ(run.code, plan.code) << plan.statement << run.errors;
    EXPECT_THAT(run.errors, ContainsRegex("castor: faults: [1-9]")) << plan.statement;
  }
}

TEST(MpiFaults, ProgramsGiveTheResultsOfAWholeMachine) {
  for (const char* program : {"mpi_job", "mpi_pieces"}) {
    for (const Design& design : designs) {
      const std::string job = std::string("-q -n 16 ") + design.options + " " + sample(program);
      const CommandResult whole = aprun(job, design.settings);
      const CommandResult run = aprun(with_plan(recoverable, 4) + job, design.settings);
      EXPECT_EQ(run.code, 0) << program << design.settings << run.errors;
      auto expected = lines_of(whole.output), given = lines_of(run.output);
      std::sort(expected.begin(), expected.end());
      std::sort(given.begin(), given.end());
      EXPECT_EQ(given, expected) << program << design.settings;
    }
  }
}

/// With phase two. A NIC that stalls holds the CQ write back that was to wake a peer's thread for a
/// message: the peer has found that by itself meanwhile, and has left MPI.
TEST(MpiFaults, AWakeUpThatComesAfterTheEndHarmsNothing) {
  const CommandResult run =
      aprun(with_plan("completion-late by=100us kind=amo p=.05; nic-stalls for=400us p=.2; "
                      "links-down count=1 seed=13364 until=5ms for=300us",
                      13364) +
                "-n 4 -N 2 -r 1 --system 4x4x2 " + tool("fault_workload") +
                " --seed 13364 --rounds 3 --parts mpi,windows",
            "MPICH_NEMESIS_ASYNC_PROGRESS=MC MPICH_MAX_THREAD_SAFETY=multiple "
            "MPICH_GNI_MAX_EAGER_MSG_SIZE=0 "
            "CASTOR_FAULTS_ONLY=2.0.157,2.1.159,1.0.55,2.1.165,2.1.547,2.0.552,2.1.571");
  EXPECT_EQ(run.code, 0) << run.errors;
}

TEST(MpiFaults, WhatTheNetworkLosesIsSentAgain) {
  const CommandResult run =
      aprun("-q -n 6 -N 2 " + sample("soak") + " 0.004 1", "CASTOR_LOST_TRANSACTIONS=20");
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_THAT(run.output, StartsWith("soak: 6 ranks, "));
}

TEST(MpiFaults, RunsRepeat) {
  const std::string job = with_plan(recoverable, 1) + "-n 64 -N 2 " + tool("halo_scale") + " -i 5";
  const CommandResult one = aprun("--workers 1 " + job);
  const CommandResult two = aprun("--workers 2 " + job);
  EXPECT_EQ(one.code, 0) << one.errors;
  EXPECT_EQ(fingerprint(one).size(), 16U);
  EXPECT_EQ(fingerprint(two), fingerprint(one));
}

TEST(MpiFaults, OneTimeTooManyEndsTheJobWithOneLine) {
  const auto is_it = [](const std::string& line) {
    return line.find("killed: transaction error: lost on the network") != std::string::npos;
  };
  for (const int tries : {0, 3}) {
    const CommandResult run = aprun(
        with_plan("post-fails node=1 kind=message,put", 1) + "-n 16 -N 4 " + tool("halo_scale"),
        "CASTOR_POST_TRIES=" + std::to_string(tries));
    EXPECT_EQ(run.code, 137);
    const auto lines = lines_of(run.errors);
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), is_it), 1) << run.errors;
    EXPECT_THAT(run.errors, ContainsRegex("\\(to nid0000[0-3]\\): MPI's .* to rank [0-9]+"));
    const std::string often = tries == 0 ? "" : ", posted 4 times";
    EXPECT_THAT(run.errors, HasSubstr(often));
  }
}

TEST(MpiFaults, WhatIsNotRecoverableNamesItsReceiver) {
  for (const char* kind : {"message", "get", "put"}) {
    const CommandResult run =
        aprun(with_plan(std::string("post-fails error=fatal node=0 peer=1 nth=1 kind=") + kind, 1) +
              "-n 2 -N 1 " + sample("soak") + " 0.01 1");
    EXPECT_EQ(run.code, 137) << kind;
    EXPECT_THAT(run.errors,
                ContainsRegex("killed: transaction error: no way to the node, or no response from "
                              "it \\(to nid00001\\): MPI's .* to rank 1"))
        << kind;
  }
}

TEST(MpiFaults, MemoryThatCannotBeRegisteredEndsTheJobWithOneLine) {
  const CommandResult run = aprun(with_plan("register-fails node=1 nth=9 times=1000", 1) +
                                  "-n 2 -N 1 " + sample("soak") + " 0.01 1");
  EXPECT_EQ(run.code, 1) << run.errors;
  EXPECT_THAT(run.errors, HasSubstr("for which the NIC has no room\n"));
}

}  // namespace
