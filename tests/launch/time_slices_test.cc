// What counts as a measured program's computing, and when others have their turn.
#include <gtest/gtest.h>

#include <utility>

#include "corespec/threads/thread.h"
#include "corespec/virtual/virtual_thread.h"
#include "tests/support/virtual_job.h"

namespace {

using corespec::Time;

Time time_by_call(corespec::Thread& thread) {
  const corespec::LibraryCall call;
  return thread.now();
}

TEST(TimeSlices, LeavingOutMoreThanThereWasTakesNoTimeBack) {
  Time before;
  Time after;
  castor_test::run_job(castor_test::small_job(1), [&](corespec::Process&) {
    auto& thread = static_cast<corespec::VirtualThread&>(corespec::this_thread());
    thread.measure();
    before = time_by_call(thread);
    thread.own_computing().leave_out(1000000000);
    thread.charge(Time::nanoseconds(20));
    after = time_by_call(thread);
    return 0;
  });
  EXPECT_EQ(after, before + Time::nanoseconds(20));
}

TEST(LooksAtTheClock, LetOthersHaveTheirTurn) {
  bool told = false;
  castor_test::run_job(castor_test::small_job(2), [&](corespec::Process& process) {
    corespec::Thread& thread = corespec::this_thread();
    if (process.rank() == 1) {
      const corespec::LibraryCall call;
      thread.sleep_until(Time::microseconds(300));
      told = true;
      return 0;
    }
    thread.measure();
    Time now;
    while (now < Time::seconds(1) && !told) {
      const Time before = std::exchange(now, thread.look_at_clock("look"));
      EXPECT_GE(now, before);
    }
    // Rank 0 may be ahead of what happens, but not by more than some microseconds.
    EXPECT_GE(now, Time::microseconds(300));
    EXPECT_LT(now, Time::seconds(1));
    return 0;
  });
  EXPECT_TRUE(told);
}

/// A look by a program whose computing is declared takes no time: its runs repeat.
TEST(LooksAtTheClock, TakeAModelledProgramNoTime) {
  castor_test::run_job(castor_test::small_job(1), [&](corespec::Process&) {
    corespec::Thread& thread = corespec::this_thread();
    const Time before = thread.look_at_clock("look");
    thread.charge(Time::nanoseconds(20));
    for (int i = 0; i < 100; ++i) thread.look_at_clock("look");
    EXPECT_EQ(thread.look_at_clock("look"), before + Time::nanoseconds(20));
    return 0;
  });
}

/// What a program's looks take on the host is its own computing, like the rest of its code.
TEST(LooksAtTheClock, AreAMeasuredProgramsComputing) {
  Time cpu_time;
  castor_test::run_job(castor_test::small_job(1), [&](corespec::Process&) {
    corespec::Thread& thread = corespec::this_thread();
    thread.measure();
    while (thread.look_at_clock("look") < Time::microseconds(500)) {
    }
    const corespec::LibraryCall call;
    thread.sync();
    cpu_time = thread.cpu_time();
    return 0;
  });
  EXPECT_GE(cpu_time, Time::microseconds(490));
}

}  // namespace
