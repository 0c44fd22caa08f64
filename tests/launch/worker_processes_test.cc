// When a worker's process ends: what the first one makes of it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/workers/workers.h"

namespace {

using launch::Workers;
using testing::ExitedWithCode;

/// The first worker looks around when the other one has ended; it is alive after that if it ends
/// with this code.
constexpr int alive = 42;

void end_the_second(bool leaves, int code) {
  Workers workers({2}, nullptr);
  if (workers.number() == 1) {
    if (leaves) workers.leave();
    _exit(code);
  }
  siginfo_t ended{};
  if (waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) != 0) _exit(1);
  workers.look_around();
  _exit(alive);
}

/// It may have left the last meeting while the first one still waits in it for another host.
TEST(WorkerProcess, OneThatHasLeftMayEndBeforeTheFirst) {
  EXPECT_EXIT(end_the_second(true, 0), ExitedWithCode(alive), "");
}

TEST(WorkerProcess, OneThatEndsBeforeThatEndsTheJob) {
  EXPECT_EXIT(end_the_second(false, 7), ExitedWithCode(7), "");
  EXPECT_EXIT(end_the_second(false, 0), ExitedWithCode(1), "aprun: worker 1 ended before the run");
}

}  // namespace
