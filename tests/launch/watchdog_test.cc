// What the watchdog says of a rank that keeps all others waiting.
#include "launch/virtual_run/watchdog.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "corespec/threads/thread.h"
#include "tests/support/virtual_job.h"

namespace {

using corespec::this_thread;
using corespec::Time;
using Program = launch::Watchdog::Program;

/// What is said of rank 1, which does something over and over until something is said.
template <typename Body>
std::string said_while(Body&& again, Program program = Program::measured) {
  testing::internal::CaptureStderr();
  {
    launch::VirtualRun run(castor_test::small_job(2));
    run.start([&](corespec::Process& process) {
      struct stat errors {};
      while (process.rank() == 1 && errors.st_size == 0) {
        again();
        fstat(STDERR_FILENO, &errors);
      }
      return 0;
    });
    const launch::Watchdog watchdog(run, program, 50);
    run.run();
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Watchdog, NamesARankThatComputes) {
  EXPECT_EQ(said_while([] {}),
            "castor: rank 1 has computed for 0.05 to 0.1 s of CPU time without a library call that "
            "takes time; all others wait\n");
}

TEST(Watchdog, SaysWhatTakesTimeInAModelledProgram) {
  EXPECT_EQ(
      said_while([] {}, Program::modelled),
      "castor: rank 1 has computed for 0.05 to 0.1 s of CPU time without a library call that "
      "takes time; all others wait\n"
      "castor: in a modelled program only corespec_work_ns() takes time between library calls: "
      "a loop that waits until its memory changes has to call it\n");
}

TEST(Watchdog, NamesARankThatPolls) {
  EXPECT_EQ(said_while([] {
              this_thread().charge(Time::nanoseconds(20));
              this_thread().sync();
            }),
            "castor: rank 1 has polled for 0.05 to 0.1 s of CPU time and nothing has come; all "
            "others wait\n");
}

}  // namespace
