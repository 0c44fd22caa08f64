// Jobs of programs on either clock, with the sanitizer that the libraries are built with.
#pragma once

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

}  // namespace launch_test
