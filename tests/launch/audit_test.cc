// aprun --audit: what a job has not given back at its end.
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
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string nothing_left = "castor: audit: all has been given back";

CommandResult run_leaves(const std::string& what, const std::string& options = "",
                         const std::string& settings = "") {
  return aprun(options + "-q -n 8 -N 2 " + sample("leaves") + " " + what, settings);
}

TEST(Audit, FindsNothingWhereAllHasBeenGivenBack) {
  for (const char* options : {"", "--fidelity packet ", "--workers 2 ",
                              "--faults 'post-fails kind=message p=.3; message-lost p=.3' "}) {
    for (const char* settings :
         {"", "MPICH_NEMESIS_ASYNC_PROGRESS=SC MPICH_MAX_THREAD_SAFETY=multiple"}) {
      const CommandResult run = run_leaves("nothing", std::string("--audit ") + options, settings);
      EXPECT_EQ(run.code, 0) << options << settings << run.errors;
      EXPECT_THAT(run.errors, HasSubstr(nothing_left)) << options << settings;
    }
  }
}

TEST(Audit, NamesWhatARankHasOfMpi) {
  for (const char* workers : {"1", "2"}) {
    const CommandResult run = run_leaves("mpi", std::string("--audit --workers ") + workers + " ");
    EXPECT_EQ(run.code, 1);
    EXPECT_THAT(lines_of(run.errors),
                ElementsAre("castor: audit: rank 0 has not given back (of MPI) 1 request, "
                            "1 communicator, 1 datatype"));
  }
}

TEST(Audit, NamesAMessageThatHasNotBeenReceived) {
  const CommandResult run = run_leaves("message", "", "CASTOR_AUDIT=1");
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(
      lines_of(run.errors),
      ElementsAre("castor: audit: rank 0 has not given back (of MPI) 1 unreceived message"));
}

TEST(Audit, NamesWhatARankHasOfUgni) {
  const CommandResult run = run_leaves("ugni", "--audit ");
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(lines_of(run.errors),
              ElementsAre("castor: audit: rank 0 has not given back 1 communication domain, "
                          "1 endpoint, 1 completion queue (1 event not taken), 1 memory "
                          "registration of 4096 bytes"));
}

TEST(Audit, LooksAtNoJobThatWasEnded) {
  const CommandResult run = run_leaves("abort", "--audit ");
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.errors, Not(HasSubstr("audit")));
}

TEST(Audit, IsOffUnlessAskedFor) {
  const CommandResult run = run_leaves("ugni");
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.errors, IsEmpty());
}

TEST(Audit, IsForVirtualTime) {
  const CommandResult run = run_leaves("nothing", "--clock live --audit ");
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.errors, HasSubstr("--audit: live, a rank's process takes all it has with it"));
}

}  // namespace
