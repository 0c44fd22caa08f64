// Where other MPI libraries lie in the way: Castor's are taken all the same, or one line says whose
// the program would take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/aprun_command.h"
#include "tests/support/on_clock.h"

namespace {

using launch_test::aprun;
using launch_test::aprun_on;
using launch_test::Clock;
using launch_test::CommandResult;
using launch_test::sample;
using testing::HasSubstr;

const char* const clocks[] = {"virtual", "live"};

TEST(OtherMpi, InTheSearchPathIsNotTaken) {
  for (const Clock clock : {Clock::virtual_time, Clock::live}) {
    const CommandResult result =
        aprun_on(clock, "-n 2 -N 1 " + sample("mpi_job"), "LD_LIBRARY_PATH=" + sample("other_mpi"));
    EXPECT_EQ(result.code, 0) << result.errors;
  }
}

TEST(OtherMpi, OfARunPathIsNamed) {
  for (const char* clock : clocks) {
    const CommandResult result =
        aprun(std::string("--clock ") + clock + " -q -n 2 -N 1 " + sample("other_mpi_user"));
    EXPECT_EQ(result.code, 2) << clock;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(launch_test::lines_of(result.errors).size(), 1U) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("libothermpi.so"));
  }
}

TEST(OtherMpi, OfOpenMpisNameIsNamed) {
  for (const char* clock : clocks) {
    const CommandResult result =
        aprun(std::string("--clock ") + clock + " -q -n 2 -N 1 " + sample("open_mpi_user"));
    EXPECT_EQ(result.code, 2) << clock;
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.errors, HasSubstr("built for Open MPI (libmpi.so.40)"));
  }
}

}  // namespace
