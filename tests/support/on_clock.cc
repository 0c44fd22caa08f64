// Jobs of programs on either clock.
#include "tests/support/on_clock.h"

namespace launch_test {

std::string sanitizer_first() {
  const std::string library = SANITIZER_LIBRARY;
  return library.empty() ? "" : "LD_PRELOAD=" + library;
}

CommandResult aprun_on(Clock clock, const std::string& arguments, const std::string& variables) {
  if (clock == Clock::virtual_time) return aprun("-q " + arguments, variables);
  const std::string first = sanitizer_first();
  return aprun("-q --clock live " + (first.empty() ? "" : "-e " + first + " ") + arguments,
               variables);
}

CommandResult OnEachClock::alone(const std::string& program) {
  return run_command(std::string("env CASTOR_CLOCK=") +
                     (GetParam() == Clock::live ? "live " : "virtual ") + sanitizer_first() + " " +
                     program);
}

}  // namespace launch_test
