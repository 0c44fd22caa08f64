// Programs on DMAPP alone that end, in order and not, on either clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/launch/on_clock.h"

namespace {

using launch_test::aprun_on;
using launch_test::Clock;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using testing::Contains;
using testing::MatchesRegex;

class DmappEnd : public testing::TestWithParam<Clock> {
 protected:
  static CommandResult run(const std::string& arguments) {
    return aprun_on(GetParam(), "-n 3 -N 2 " + sample("dmapp_alone") + " " + arguments);
  }
};

INSTANTIATE_TEST_SUITE_P(, DmappEnd, testing::Values(Clock::virtual_time, Clock::live),
                         [](const auto& each) {
                           return std::string(each.param == Clock::live ? "Live" : "Virtual");
                         });

TEST_P(DmappEnd, InOrder) {
  for (const char* how : {"", "twice", "with_pmi"}) {
    const CommandResult result = run(how);
    EXPECT_EQ(result.code, 0) << how << ": " << result.errors;
  }
}

// The others would wait for it in dmapp_finalize.
TEST_P(DmappEnd, LeavingWithoutFinalizeEndsTheJob) {
  for (const auto& [given, code] : {std::pair{"0", 1}, {"3", 3}}) {
    const CommandResult result = run(std::string("leave ") + given);
    EXPECT_EQ(result.code, code);
    EXPECT_THAT(
        lines_of(result.errors),
        Contains(MatchesRegex(".NID 00001. Apid [0-9]+: rank 2: its process has ended .exit "
                              "code " +
                              std::string(given) +
                              ". without MPI_Finalize, PMI_Finalize or dmapp_finalize")));
  }
}

TEST_P(DmappEnd, ByAFaultNamesTheFunction) {
  if (!launch_test::sanitizer_first().empty()) GTEST_SKIP() << "the sanitizer reports faults";
  const CommandResult result = run("nowhere");
  EXPECT_EQ(result.code, 128 + 11);
  EXPECT_THAT(lines_of(result.errors),
              Contains(MatchesRegex(".NID 00000. Apid [0-9]+: rank 1: Segmentation fault at "
                                    "address 0x1000, in dmapp_put")));
}

}  // namespace
