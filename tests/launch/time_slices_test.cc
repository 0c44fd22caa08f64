// What is left out of a measured program's computing.
#include <gtest/gtest.h>

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

}  // namespace
