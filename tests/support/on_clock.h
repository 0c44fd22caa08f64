// Jobs of programs on either clock, with the sanitizer that the libraries are built with.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/aprun_command.h"

namespace launch_test {

enum class Clock { virtual_time, live };

/// What `env` is to set for a process that loads Castor's libraries and is built without their
/// sanitizer: the sanitizer has to come first. Empty without one.
std::string sanitizer_first();

/// aprun -q on a clock.
CommandResult aprun_on(Clock clock, const std::string& arguments,
                       const std::string& variables = "");

/// A test that runs on either clock: INSTANTIATE_TEST_SUITE_P(, SUITE, each_clock(), clock_name).
class OnEachClock : public testing::TestWithParam<Clock> {
 protected:
  static CommandResult run(const std::string& arguments) { return aprun_on(GetParam(), arguments); }
  /// Without a launcher.
  static CommandResult alone(const std::string& program);
};
inline auto each_clock() { return testing::Values(Clock::virtual_time, Clock::live); }
inline std::string clock_name(const testing::TestParamInfo<Clock>& each) {
  return each.param == Clock::live ? "Live" : "Virtual";
}

}  // namespace launch_test
