// What is said of a job in virtual time in which nothing will happen any more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/aprun_command.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using launch_test::without_places;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// The lines behind the first, which says that it is a deadlock, without their speaker.
std::vector<std::string> states(const std::string& program, int ranks, const std::string& options) {
  const CommandResult result =
      aprun("-q -n " + std::to_string(ranks) + " " + options + " " + sample(program));
  EXPECT_EQ(result.code, 1);
  std::vector<std::string> lines = lines_of(without_places(result.errors));
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.empty()) {
    ADD_FAILURE() << "nothing is said";
    return lines;
  }
  EXPECT_THAT(lines.front(), testing::StartsWith("aprun: deadlock: "));
  lines.erase(lines.begin());
  const std::string speaker = "aprun: ";
  for (std::string& line : lines) {
    EXPECT_EQ(line.substr(0, speaker.size()), speaker);
    line.erase(0, speaker.size());
  }
  return lines;
}

std::vector<std::string> stuck(const std::string& how, int ranks = 4,
                               const std::string& options = "-N 2") {
  std::vector<std::string> lines = states("stuck " + how, ranks, options);
  EXPECT_EQ(states("stuck " + how, ranks, options), lines) << "the same text every time";
  return lines;
}

TEST(Stuck, AReceiveOfAnotherTagShowsWhatIsThere) {
  EXPECT_THAT(
      stuck("wrong_tag"),
      ElementsAre(
          "ranks 0-2: in MPI_Finalize; rank 3 has not called it",
          "rank 3: in MPI_Recv: receive of up to 4 bytes from rank 0, tag 9, MPI_COMM_WORLD",
          "  unexpected there: 4 bytes from rank 0, tag 7, MPI_COMM_WORLD",
          "  unexpected there: 100 bytes from rank 0, tag 8, MPI_COMM_WORLD"));
}

TEST(Stuck, OfManyUnexpectedMessagesAFewAreShown) {
  EXPECT_THAT(stuck("many_unexpected", 2),
              ElementsAre("rank 0: in MPI_Probe: a message from any rank, tag 99, MPI_COMM_WORLD",
                          "  unexpected there: 4 bytes from rank 1, tag 0, MPI_COMM_WORLD",
                          "  unexpected there: 4 bytes from rank 1, tag 1, MPI_COMM_WORLD",
                          "  unexpected there: 4 bytes from rank 1, tag 2, MPI_COMM_WORLD",
                          "  unexpected there: 4 bytes from rank 1, tag 3, MPI_COMM_WORLD",
                          "  and 3 more unexpected messages",
                          "rank 1: in MPI_Finalize; rank 0 has not called it"));
}

TEST(Stuck, ACollectiveNamesWhoIsMissing) {
  EXPECT_THAT(stuck("missing_member"),
              ElementsAre("ranks 0, 2, 3: in MPI_Allreduce on MPI_COMM_WORLD; rank 1 has not "
                          "called it",
                          "rank 1: in MPI_Recv: receive of up to 4 bytes from any rank, any tag, "
                          "MPI_COMM_WORLD"));
  EXPECT_THAT(stuck("wait_for_barrier"),
              ElementsAre("ranks 0, 1, 3: in MPI_Wait: MPI_Ibarrier on MPI_COMM_WORLD; rank 2 has "
                          "not called it",
                          "rank 2: in MPI_Finalize; ranks 0, 1, 3 have not called it"));
}

TEST(Stuck, OfManyRanksThoseThatDoTheSameAreSaidTogether) {
  EXPECT_THAT(stuck("missing_member", 300, "-N 24"),
              ElementsAre("ranks 0, 2-299: in MPI_Allreduce on MPI_COMM_WORLD; rank 1 has not "
                          "called it",
                          "rank 1: in MPI_Recv: receive of up to 4 bytes from any rank, any tag, "
                          "MPI_COMM_WORLD"));
}

TEST(Stuck, AnotherCollectiveIsNamed) {
  const std::vector<std::string> lines = stuck("other_collective");
  EXPECT_THAT(lines, testing::Contains(testing::HasSubstr(
                         "in MPI_Barrier on MPI_COMM_WORLD; rank 0 has called MPI_Bcast instead")));
}

TEST(Stuck, ARingIsOneLine) {
  EXPECT_THAT(stuck("ring_of_sends", 64, "-N 8"),
              ElementsAre("ranks 0-63: in MPI_Send: send of 1048576 bytes to rank r + 1 (modulo "
                          "64), tag 3, MPI_COMM_WORLD",
                          "  unexpected there: 1048576 bytes from rank r - 1 (modulo 64), tag 3, "
                          "MPI_COMM_WORLD"));
}

TEST(Stuck, AWaitForManyShowsSomeOfItsRequests) {
  EXPECT_THAT(stuck("wait_for_all", 2),
              ElementsAre("rank 0: in MPI_Waitall: 5 of 6 requests are pending",
                          "  receive of up to 4 bytes from rank 1, tag 11, MPI_COMM_WORLD",
                          "  receive of up to 4 bytes from rank 1, tag 12, MPI_COMM_WORLD",
                          "  receive of up to 4 bytes from rank 1, tag 13, MPI_COMM_WORLD",
                          "  receive of up to 4 bytes from rank 1, tag 14, MPI_COMM_WORLD",
                          "  and 1 more pending requests",
                          "rank 1: in MPI_Finalize; rank 0 has not called it"));
}

TEST(Stuck, CommunicatorsAreNamed) {
  EXPECT_THAT(
      stuck("named"),
      ElementsAre("rank 0: in MPI_Barrier on communicator \"even ranks\"; rank 2 has not called it",
                  "ranks 1, 3: in MPI_Finalize; ranks 0, 2 have not called it",
                  "rank 2: in MPI_Recv: receive of up to 4 bytes from rank 0 (rank 0 of the job), "
                  "tag 4, communicator \"even ranks\""));
  EXPECT_THAT(stuck("unnamed"),
              ElementsAre("rank 0: in MPI_Comm_dup on a communicator of 2 ranks; rank 1 has not "
                          "called it",
                          "ranks 1, 2: in MPI_Finalize; ranks 0, 3 have not called it",
                          "rank 3: in MPI_Recv: receive of up to 4 bytes from rank 0 (rank 2 of "
                          "the job), any tag, a communicator of 2 ranks"));
}

TEST(Stuck, AWindowNamesWhoseEpochsAreMissing) {
  EXPECT_THAT(stuck("window_post", 3),
              ElementsAre("rank 0: in MPI_Win_wait on a window of 3 ranks, for MPI_Win_complete of "
                          "rank 1, rank 2",
                          "ranks 1, 2: in MPI_Finalize; rank 0 has not called it"));
}

TEST(Stuck, InPmiAndGni) {
  EXPECT_THAT(states("stuck_ugni event", 3, "-N 1"),
              ElementsAre("rank 0: in GNI_CqWaitEvent: sleeps until an event comes into its queue",
                          "ranks 1, 2: in PMI_Barrier; rank 0 has not called it"));
}

TEST(Stuck, WithoutAnEventOfItsChannel) {
  const auto expect = [](const std::string& program, int rank, const std::string& wait) {
    const std::string number = std::to_string(rank);
    const std::string other = std::to_string(1 - rank);
    EXPECT_THAT(states(program, 2, "-N 1"),
                UnorderedElementsAre(
                    "rank " + number + ": in " + wait,
                    "rank " + other + ": in PMI_Barrier; rank " + number + " has not called it"));
  };
  expect("stuck_ugni channel", 0,
         "GNI_CompChanGetEvent: sleeps until an event comes into an armed queue of its completion "
         "channel");
  expect("poll_channel never", 1, "poll: sleeps until a completion channel has an event");
  expect("stuck_ugni error", 0,
         "GNI_WaitErrorEvents: sleeps until a transaction of the node fails");
}

TEST(Stuck, ADatagramThatIsNotAnswered) {
  const auto expect = [](const std::string& what, const std::string& function) {
    EXPECT_THAT(
        states("stuck_ugni " + what, 2, "-N 1"),
        ElementsAre("rank 0: in " + function + ": sleeps until a datagram has found the peer's",
                    "rank 1: in PMI_Barrier; rank 0 has not called it"));
  };
  expect("datagram", "GNI_EpPostDataWait");
  expect("datagram_by_id", "GNI_EpPostDataWaitById");
  expect("any_datagram", "GNI_PostdataProbeWaitById");
}

/// Who waits for a lock reads it again and again: such a job is stuck, but something happens.
TEST(Stuck, ALockOfDmappNamesWhoHoldsIt) {
  const CommandResult result = aprun("-q -n 3 -N 1 -t 0.02 " + sample("stuck_dmapp") + " locks");
  EXPECT_EQ(result.code, 152);
  EXPECT_THAT(without_places(result.errors),
              testing::HasSubstr(
                  "aprun: rank 0: in PMI_Barrier; ranks 1, 2 have not called it\n"
                  "aprun: rank 1: in dmapp_lock_acquire of a lock at rank 0; rank 2 holds it\n"
                  "aprun: rank 2: in dmapp_lock_acquire of a lock at rank 0; rank 1 holds it\n"));
}

/// PE 0's dmapp_finalize has met the others' barrier.
TEST(Stuck, InDmapp) {
  EXPECT_THAT(
      states("stuck_dmapp", 3, "-N 1"),
      ElementsAre("rank 0: has ended", "ranks 1, 2: in dmapp_finalize; rank 0 has not called it"));
}

TEST(Stuck, AMutexOfArmciNamesWhoHoldsIt) {
  EXPECT_THAT(states("stuck_armci", 3, "-N 1"),
              ElementsAre("rank 0: in ARMCI_Barrier on a communicator of 3 ranks; ranks 1, 2 have "
                          "not called it",
                          "rank 1: in ARMCI_Lock of mutex 1 of rank 0; rank 2 holds it",
                          "rank 2: in MPI_Recv: receive of up to 4 bytes from rank 1, tag 0, "
                          "MPI_COMM_WORLD"));
}

/// A progress thread that waits too, and a lock between them, change nothing of what is said.
TEST(Stuck, WithProgressThreads) {
  for (const char* design : {"-e MPICH_NEMESIS_ASYNC_PROGRESS=SC", "-e MPICH_ASYNC_PROGRESS=1"}) {
    EXPECT_THAT(states("stuck missing_member", 4,
                       std::string("-N 2 -e MPICH_MAX_THREAD_SAFETY=multiple ") + design),
                ElementsAre("ranks 0, 2, 3: in MPI_Allreduce on MPI_COMM_WORLD; rank 1 has not "
                            "called it",
                            "rank 1: in MPI_Recv: receive of up to 4 bytes from any rank, any tag, "
                            "MPI_COMM_WORLD"))
        << design;
  }
}

}  // namespace
