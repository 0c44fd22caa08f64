// Signals and timers of ranks in virtual time: each has its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/aprun_command.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using testing::ElementsAre;
using testing::MatchesRegex;
using testing::UnorderedElementsAre;

class RankSignals : public testing::TestWithParam<std::string> {};

TEST_P(RankSignals, AreTheRanksOwn) {
  const CommandResult result = aprun("-q -n 4 -N 2 " + GetParam() + " " + sample("signals"));
  EXPECT_EQ(result.code, 0);
  // The address sanitizer warns of a jump out of a handler when the stack is a fiber's.
  if (SANITIZED == 0) {
    EXPECT_EQ(result.errors, "");
  }
  EXPECT_THAT(lines_of(result.output), UnorderedElementsAre("rank 0: right", "rank 1: right",
                                                            "rank 2: right", "rank 3: right"));
}

INSTANTIATE_TEST_SUITE_P(Computing, RankSignals,
                         testing::Values("--compute modelled", "--compute measured"),
                         [](const auto& info) { return info.param.substr(10); });

TEST(RankSignals, OfVirtualTimeRepeat) {
  const auto last_line = [] {
    return lines_of(aprun("--compute modelled -n 4 -N 2 " + sample("signals")).errors).back();
  };
  const std::string first = last_line();
  // The alarm that is set when the ranks end does not keep the run going.
  EXPECT_THAT(first, MatchesRegex("castor: virtual time 9\\..*"));
  EXPECT_EQ(last_line(), first);
}

TEST(RankSignals, FromAnotherProcessReachTheRanksThatHandleThem) {
  const CommandResult result = launch_test::run_command(
      "bash -c 'there=$(mktemp -u); " + launch_test::tool("aprun") + " -q -n 4 -N 2 " +
      sample("foreign_signal") +
      " $there & until [ -e $there ]; do sleep 0.02; done; kill -USR1 $!; wait $!; "
      "code=$?; rm $there; exit $code'");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output),
              UnorderedElementsAre("rank 0: 1", "rank 1: 0", "rank 2: 1", "rank 3: 0"));
}

}  // namespace
