// PMI's functions, as programs on uGNI alone use them, on either clock, under aprun and without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/on_clock.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::aprun;
using launch_test::aprun_on;
using launch_test::Clock;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

const std::string job = sample("pmi_job");
const std::string first_call = sample("first_call");

class Pmi : public launch_test::OnEachClock {};

INSTANTIATE_TEST_SUITE_P(, Pmi, launch_test::each_clock(), launch_test::clock_name);

TEST_P(Pmi, SaysWhoAndWhere) {
  const CommandResult result = run("-n 5 -N 2 -L 3,6,8 " + job);
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(
      lines_of(result.output),
      UnorderedElementsAre("rank 0 of 5, node 3 with 2 from 0", "rank 1 of 5, node 3 with 2 from 0",
                           "rank 2 of 5, node 6 with 2 from 2", "rank 3 of 5, node 6 with 2 from 2",
                           "rank 4 of 5, node 8 with 1 from 4"));
}

TEST_P(Pmi, ExchangesButNotInOrderOfRanks) {
  const CommandResult result = run("-n 7 -N 3 " + job + " exchange");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output), AllOf(SizeIs(7), Each(HasSubstr(": 0 wrong"))));
}

TEST_P(Pmi, ANodesRanksExchange) {
  const CommandResult result = run("-n 7 -N 3 " + sample("pmi_node"));
  EXPECT_EQ(result.code, 0) << result.output << result.errors;
  EXPECT_THAT(
      lines_of(result.output),
      UnorderedElementsAre("rank 0 of 3: 0 wrong", "rank 1 of 3: 0 wrong", "rank 2 of 3: 0 wrong",
                           "rank 3 of 3: 0 wrong", "rank 4 of 3: 0 wrong", "rank 5 of 3: 0 wrong",
                           "rank 6 of 1: 0 wrong"));
}

TEST_P(Pmi, KeyValueSpace) {
  const CommandResult result = run("-n 5 -N 2 " + job + " key_values");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output), AllOf(SizeIs(5), Each(HasSubstr(": 0 wrong"))));
}

TEST_P(Pmi, Mistakes) {
  const CommandResult result = run("-n 3 -N 2 " + job + " mistakes");
  EXPECT_EQ(result.code, 0) << result.output << result.errors;
  EXPECT_THAT(lines_of(result.output),
              UnorderedElementsAre("after PMI_Finalize", "after PMI_Finalize", "after PMI_Finalize",
                                   "rank 0: 0 wrong", "rank 1: 0 wrong", "rank 2: 0 wrong"));
}

// Else the others would wait for it for ever, or take for data what is none.
TEST_P(Pmi, AMistakeOfOneRankIsToldToAll) {
  const CommandResult result = run("-n 3 -N 2 " + job + " mistakes_of_one");
  EXPECT_EQ(result.code, 0) << result.output << result.errors;
  EXPECT_THAT(lines_of(result.output),
              UnorderedElementsAre("rank 0: 0 wrong", "rank 1: 0 wrong", "rank 2: 0 wrong"));
  // Each is said once, by one rank.
  std::vector<std::string> said;
  for (const std::string& line : lines_of(result.errors)) {
    if (line.find("PMI_Allgather") != std::string::npos) said.push_back(line);
  }
  const std::string instead =
      GetParam() == Clock::live ? "another function instead" : "PMI_Barrier instead";
  const std::string line = "castor: PMI_Allgather: rank ";
  EXPECT_THAT(
      said, UnorderedElementsAre(
                line + "1 gives 4 bytes, rank 0 gives 8", line + "1 gives 8 bytes, rank 0 gives 4",
                line + "2 gives 8 bytes, rank 0 gives 4", line + "0 has called " + instead,
                line + "1 has called " + instead, line + "2 has called " + instead));
}

// GASNet's programs end so: their libraries have been ended, and exit() is not called.
TEST_P(Pmi, ProcessesMayEndWithoutExit) {
  const auto quits = [](const std::string& how) {
    return run("-q -n 3 -N 2 " + sample("quits") + " " + how);
  };
  for (const char* const what : {"pmi 0", "mpi 0", "open 0"}) {
    const CommandResult result = quits(what);
    EXPECT_EQ(result.code, 0) << what << ": " << result.errors;
    EXPECT_EQ(result.errors.find("Application"), std::string::npos) << result.errors;
    EXPECT_THAT(lines_of(result.output), UnorderedElementsAre("rank 0", "rank 1", "rank 2"));
  }
  for (const char* const what : {"pmi 7", "mpi 7", "open 7"}) {
    const CommandResult result = quits(what);
    EXPECT_EQ(result.code, 7) << what << ": " << result.errors;
    EXPECT_EQ(result.errors.find("without MPI_Finalize") != std::string::npos,
              std::string(what) == "open 7")
        << result.errors;
  }
}

TEST_P(Pmi, OpensUgni) {
  const CommandResult result = run("-n 4 -N 2 " + job + " put");
  EXPECT_EQ(result.code, 0) << result.output << result.errors;
  EXPECT_THAT(lines_of(result.output),
              UnorderedElementsAre("rank 0 got 103, 0 wrong", "rank 1 got 100, 0 wrong",
                                   "rank 2 got 101, 0 wrong", "rank 3 got 102, 0 wrong"));
}

TEST_P(Pmi, ANodesRanksShareAMessageQueue) {
  const CommandResult result = run("-q -n 4 -N 2 " + sample("message_queues"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(
      lines_of(result.output),
      UnorderedElementsAre("rank 0: sent 40, got 40, 0 wrong", "rank 1: sent 40, got 40, 0 wrong",
                           "rank 2: sent 40, got 40, 0 wrong", "rank 3: sent 40, got 40, 0 wrong"));
}

// Three nodes, whose engines are a tree; each engine has an event for each of three reductions.
TEST_P(Pmi, AnAriesReducesInItsCollectiveEngines) {
  const CommandResult result =
      run("-q -e CASTOR_NIC=aries -n 6 -N 2 " + sample("collective_engine"));
  EXPECT_EQ(result.code, 0) << result.errors;
  std::vector<std::string> expected;
  for (int rank = 0; rank < 6; ++rank) {
    expected.push_back("rank " + std::to_string(rank) +
                       ": sum 21 of 6, highest 4.5 at 4, all 10.0, " + (rank % 2 == 1 ? "3" : "0") +
                       " events");
  }
  EXPECT_THAT(lines_of(result.output), UnorderedElementsAreArray(expected));
}

// A descriptor of the library's wakes a rank that sleeps outside of it.
TEST_P(Pmi, ACompletionChannelEndsAPoll) {
  const CommandResult result = run("-q -n 2 -N 1 " + sample("poll_channel"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output), ElementsAre("at once 0, in 5 ms 0", "poll 1, got 100",
                                                   "poll 1, got 101", "poll 1, got 102"));
}

TEST_P(Pmi, AbortEndsTheJob) {
  const CommandResult spoken = run("-n 3 -N 2 " + job + " abort 6 'out of luck'");
  EXPECT_EQ(spoken.code, 6);
  EXPECT_THAT(lines_of(spoken.errors),
              AllOf(Contains(MatchesRegex(".NID 00001. Apid [0-9]+: rank 2: out of luck")),
                    Contains(MatchesRegex("Application [0-9]+ exit codes: 6"))));
  const CommandResult silent = run("-n 3 -N 2 " + job + " abort 0");
  EXPECT_EQ(silent.code, 1);
  EXPECT_THAT(silent.errors, HasSubstr("rank 2: called PMI_Abort with code 0\n"));
}

TEST_P(Pmi, StartsWithAnyCall) {
  for (const char* first : {"rank", "size", "barrier", "name", "wrong", "dmapp", "gni"}) {
    const CommandResult result = run("-n 3 -N 2 " + first_call + " " + first);
    EXPECT_EQ(result.code, 0) << first << ": " << result.errors;
    EXPECT_THAT(lines_of(result.output), ElementsAre("0 wrong", "0 wrong", "0 wrong")) << first;
    EXPECT_EQ(alone(first_call + " " + first).output, "0 wrong\n") << first;
  }
}

TEST_P(Pmi, UgniNeedsNoPmi) {
  const CommandResult result = run("-n 3 -N 2 " + first_call + " gni_alone");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output), ElementsAre("0 wrong", "0 wrong", "0 wrong"));
}

// Destructors of libraries call when the process has left its job.
TEST(PmiLive, CallsAfterTheEndFail) {
  const CommandResult result = aprun_on(Clock::live, "-n 2 " + first_call + " late");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output), ElementsAre("0 wrong", "0 wrong"));
}

// As UCX does: nothing is missing if all ranks end with status 0.
TEST_P(Pmi, EndsWithoutFinalizeIfTheStatusIsZero) {
  for (const char* how : {"unended", "one_unended"}) {
    const CommandResult result = run("-q -n 3 -N 2 " + first_call + " " + how);
    EXPECT_EQ(result.code, 0) << how;
    EXPECT_THAT(lines_of(result.errors), Each(HasSubstr("ranks share CPUs"))) << how;
  }
}

TEST_P(Pmi, EndingWithoutFinalizeAndAnotherStatusEndsTheJob) {
  for (const std::string& program : {first_call + " one_unended", job + " leave"}) {
    const CommandResult result = run("-n 3 -N 2 " + program + " 3");
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(
        lines_of(result.errors),
        Contains(MatchesRegex(".NID 00001. Apid [0-9]+: rank 2: its process has ended .exit "
                              "code 3. without MPI_Finalize, PMI_Finalize or dmapp_finalize")));
  }
  EXPECT_EQ(run("-n 3 -N 2 " + first_call + " one_killed").code, 128 + SIGKILL);
}

// With and without PMI_Finalize.
TEST_P(Pmi, WaitingForARankThatHasLeftEndsTheJob) {
  for (const std::string& program : {first_call + " one_gone", job + " leave 0"}) {
    const CommandResult result = run("-n 3 -N 2 " + program);
    EXPECT_EQ(result.code, 1) << result.output << result.errors;
    EXPECT_THAT(lines_of(result.errors),
                Contains(MatchesRegex(GetParam() == Clock::live
                                          ? ".NID 0000[01]. Apid [0-9]+: rank [01]: waits for rank "
                                            "2, which has left the job"
                                          : ".*rank 2.*ended.*")));
  }
}

TEST_P(Pmi, AloneWithoutAprun) {
  EXPECT_EQ(alone(job + " identity").output, "rank 0 of 1, node 0 with 1 from 0\n");
  for (const char* what : {"exchange", "key_values", "mistakes"}) {
    const CommandResult result = alone(job + " " + what);
    EXPECT_EQ(result.code, 0) << result.output << result.errors;
    EXPECT_THAT(result.output, HasSubstr("rank 0: 0 wrong\n"));
  }
  EXPECT_EQ(alone(job + " put").output, "rank 0 got 100, 0 wrong\n");
  EXPECT_EQ(alone(job + " abort 4").code, 4);
}

// By who knows it, and by nobody else.
TEST_P(Pmi, WhatIsWrongAtTheStartIsSaidOnce) {
  for (const std::string& program : {job + " identity", sample("pmi_in_mpi")}) {
    const CommandResult result = alone("CASTOR_NONSENSE=1 " + program);
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(lines_of(result.errors), ElementsAre(HasSubstr("CASTOR_NONSENSE")));
  }
}

TEST_P(Pmi, MissingLaunchLayerIsSaidOnce) {
  const castor_test::TestFolder folder;
  for (const auto& library : std::filesystem::directory_iterator(LIBRARIES)) {
    const std::filesystem::path name = library.path().filename();
    if (name.string().find("castor_launch") != std::string::npos) continue;
    std::filesystem::create_symlink(library.path(), folder / name.string());
  }
  for (const std::string& program : {job + " identity", sample("pmi_in_mpi")}) {
    const CommandResult result = alone("LD_LIBRARY_PATH=" + folder.path() + " " + program);
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(lines_of(result.errors),
                ElementsAre(AllOf(StartsWith("castor: no rank without aprun: " + folder.path()),
                                  HasSubstr("libcastor_launch.so"))));
  }
}

// MPI's start and end are PMI's.
TEST_P(Pmi, WithinMpi) {
  for (const char* started : {"", " around"}) {
    const CommandResult result = run("-n 3 -N 2 " + sample("pmi_in_mpi") + started);
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_THAT(lines_of(result.output),
                UnorderedElementsAre("rank 0 is 0", "rank 1 is 1", "rank 2 is 2"));
  }
}

TEST_P(Pmi, EndsWithoutMpis) {
  const CommandResult result = run("-n 3 -N 2 " + sample("pmi_in_mpi") + " within");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.errors, HasSubstr("rank 2: its process has ended (exit code 0) without"));
}

// A client may be built with another {fmt}, or have any function of that name.
TEST_P(Pmi, NamesOfTheProgramAreItsOwn) {
  const CommandResult result = run("-n 2 " + sample("own_names"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, "11 21 31\n");
  EXPECT_THAT(lines_of(result.errors),
              Contains("castor: PMI_Allgather: rank 1 gives 8 bytes, rank 0 gives 4"));
}

// A tool's library may stand before libugni and pass the calls on.
TEST_P(Pmi, AToolStandsBeforeUgni) {
  const std::string sanitizer = SANITIZER_LIBRARY;
  const std::string before =
      "LD_PRELOAD=" + (sanitizer.empty() ? "" : sanitizer + ":") + sample("stands_before.so");
  const std::string program = "-n 1 " + first_call + " gni_alone";
  const CommandResult result = GetParam() == Clock::live
                                   ? aprun("-q --clock live -e " + before + " " + program)
                                   : aprun("-q " + program, before);
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output), UnorderedElementsAre("posts: 1", "0 wrong"));
}

TEST(PmiInVirtualTime, RepeatsExactly) {
  const std::string command = "--compute modelled -n 6 -N 2 " + job + " put";
  const CommandResult first = aprun(command);
  const CommandResult second = aprun(command);
  const auto fingerprint = [](const CommandResult& result) {
    const std::size_t at = result.errors.find("fingerprint ");
    return at == std::string::npos ? "" : result.errors.substr(at, 28);
  };
  EXPECT_EQ(first.output, second.output);
  EXPECT_EQ(fingerprint(first), fingerprint(second));
  EXPECT_THAT(fingerprint(first), MatchesRegex("fingerprint [0-9a-f]{16}"));
}

// ---- Programs that a rank starts

TEST(PmiLive, ProgramsThatARankStartsAreJobsOfTheirOwn) {
  const CommandResult result =
      aprun_on(Clock::live, "-j0 -cc none -t 60 -n 2 -N 1 " + sample("starts_programs"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output),
              UnorderedElementsAre("started by rank 0: rank 0 of 1, put right",
                                   "started by rank 0: rank 0 of 1, put right",
                                   "started by rank 1: rank 0 of 1, put right",
                                   "started by rank 1: rank 0 of 1, put right",
                                   "rank 0: its child's status 3", "rank 1: its child's status 3"));
  // Each rank is told once.
  std::vector<std::string> warnings = lines_of(result.errors);
  EXPECT_THAT(warnings, testing::IsSupersetOf(
                            {StartsWith("castor: warning: rank 0 has started a process (pid "),
                             StartsWith("castor: warning: rank 1 has started a process (pid ")}));
  EXPECT_EQ(std::count_if(warnings.begin(), warnings.end(),
                          [](const std::string& line) {
                            return line.find("has started") != std::string::npos;
                          }),
            2)
      << result.errors;
}

}  // namespace
