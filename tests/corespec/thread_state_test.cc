// Which state of a thread may follow which, and what a wrong one says.
#include "corespec/virtual/thread_state.h"

#include <gtest/gtest.h>

namespace corespec {
namespace {

using enum ThreadState;

TEST(ThreadStates, FollowAThreadsLife) {
  CheckedThreadState state(blocked);
  for (const ThreadState next :
       {ready, running, spinning, ready, spinning, running, blocked, ready, running, finished}) {
    state.become(next);
    EXPECT_EQ(state, next);
  }
}

TEST(ThreadStates, AreNotLeftForEveryOther) {
  EXPECT_FALSE(may_become(finished, running));
  EXPECT_FALSE(may_become(finished, ready));
  EXPECT_FALSE(may_become(blocked, running));
  EXPECT_FALSE(may_become(blocked, spinning));
  EXPECT_FALSE(may_become(ready, blocked));
  EXPECT_FALSE(may_become(spinning, finished));
}

TEST(ThreadStatesDeathTest, EndTheRunWithOneLineIfTheyCannotFollow) {
  CheckedThreadState state(finished);
  EXPECT_DEATH(
      state.become(running),
      "^castor: internal error: [a-z_/]*thread_state.h:[0-9]+: a thread's state that cannot "
      "follow its last one\n$");
}

}  // namespace
}  // namespace corespec
