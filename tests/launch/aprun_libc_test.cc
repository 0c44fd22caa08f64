// libc's functions in measured jobs: clocks that move with what a rank computes, sleeps that leave
// out what others do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/aprun_command.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::sample;

std::string name_of(const testing::TestParamInfo<const char*>& info) { return info.param; }

class MeasuredClock : public testing::TestWithParam<const char*> {};

TEST_P(MeasuredClock, MovesWithWhatTheRankComputes) {
  // A hundred times what the host needs: some clocks count seconds.
  const CommandResult result =
      aprun("-q -n 1 " + sample("clocks") + " read " + GetParam(), "CASTOR_COMPUTE_FACTOR=10000");
  EXPECT_EQ(result.output, std::string(GetParam()) + " ok\n");
  EXPECT_EQ(result.errors, "");
}
INSTANTIATE_TEST_SUITE_P(Of, MeasuredClock,
                         testing::Values("monotonic", "realtime", "process", "thread",
                                         "timespec_get", "gettimeofday", "time", "clock", "times",
                                         "user_ticks", "getrusage", "thread_usage"),
                         name_of);

class MeasuredSleep : public testing::TestWithParam<const char*> {};

TEST_P(MeasuredSleep, LeavesOutWhatOthersCompute) {
  const CommandResult result = aprun("-q -n 4 -N 1 " + sample("clocks") + " sleep " + GetParam());
  EXPECT_EQ(result.output, std::string(GetParam()) + " ok\n");
  EXPECT_EQ(result.errors, "");
}
INSTANTIATE_TEST_SUITE_P(By, MeasuredSleep,
                         testing::Values("nanosleep", "clock_nanosleep", "usleep", "sleep",
                                         "select", "poll", "sched_yield", "until", "thrd_sleep",
                                         "pselect", "ppoll"),
                         name_of);

}  // namespace
