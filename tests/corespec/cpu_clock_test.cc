// The cheap clock of CPU time beside the kernel's.
#include "corespec/host/cpu_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "corespec/host/host_time.h"

namespace {

TEST(CpuClock, SleepIsNoCpuTime) {
  corespec::CpuClock clock;
  const std::int64_t exact = corespec::host_cpu_time_ns();
  const std::int64_t before = clock.now_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const std::int64_t after = clock.now_ns();
  // Whatever the host is busy with, the kernel's own clock bounds what it may say.
  EXPECT_LE(after - before, corespec::host_cpu_time_ns() - exact);
  EXPECT_GE(after - before, 0);
}

/// However often the thread loses its CPU meanwhile: only readings close to each other are trusted.
TEST(CpuClock, AReadingAfterAPauseIsTheKernels) {
  corespec::CpuClock clock;
  for (int i = 0; i < 200; ++i) {
    for (int look = 0; look < 100; ++look) clock.now_ns();
    std::this_thread::sleep_for(std::chrono::nanoseconds(2 * corespec::CpuClock::close_ns));
    const std::int64_t exact = corespec::host_cpu_time_ns();
    const std::int64_t read = clock.now_ns();
    ASSERT_GE(read, exact);
    ASSERT_LE(read, corespec::host_cpu_time_ns());
  }
}

TEST(CpuClock, MovesOnWhileTheThreadComputes) {
  constexpr std::int64_t computing = 10000000;
  corespec::CpuClock clock;
  const std::int64_t exact = corespec::host_cpu_time_ns();
  const std::int64_t before = clock.now_ns();
  while (clock.now_ns() - before < computing) continue;
  // Ahead of the kernel's clock by short losses of the CPU only.
  EXPECT_GE(corespec::host_cpu_time_ns() - exact, computing / 2);
}

}  // namespace
