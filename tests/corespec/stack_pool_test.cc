// Stacks of fibers: what lies below each, and what becomes of one that overflows.
#include <alloca.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "corespec/virtual/fiber.h"

namespace corespec {
namespace {

using Guard = StackPool::Guard;

constexpr std::size_t stack_bytes = 65536;

/// What the kernel says of a byte that it is to read.
bool can_be_read(const std::byte* at) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const bool read = syscall(SYS_write, ends[1], at, 1) == 1;
  if (!read) {
    EXPECT_EQ(errno, EFAULT);
  }
  for (const int end : ends) close(end);
  return read;
}

std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t lines = 0;
  for (std::string line; std::getline(maps, line);) ++lines;
  return lines;
}

bool kernel_marks() { return StackPool::best_guard(StackPool::mapped_limit + 1) == Guard::marked; }

void expect_guards(Guard guard) {
  StackPool pool(stack_bytes, 3, guard);
  EXPECT_TRUE(pool.guarded());
  for (int i = 0; i < 5; ++i) {  // more than expected: of a second region, too
    const std::byte* const stack = pool.take();
    EXPECT_TRUE(can_be_read(stack));
    EXPECT_TRUE(can_be_read(stack + stack_bytes - 1));
    EXPECT_FALSE(can_be_read(stack - 1));
    const auto lowest = reinterpret_cast<std::uintptr_t>(stack);
    EXPECT_TRUE(pool.in_guard(lowest - 1));
    EXPECT_FALSE(pool.in_guard(lowest));
    EXPECT_FALSE(pool.in_guard(lowest + stack_bytes - 1));
  }
}

TEST(StackPool, HasAPageBelowEachStackThatCannotBeTouched) { expect_guards(Guard::mapped); }

TEST(StackPool, MarksThatPageWhereTheKernelCan) {
  if (!kernel_marks()) GTEST_SKIP() << "the kernel has no such marks";
  expect_guards(Guard::marked);
}

TEST(StackPool, GuardsManyStacksWithoutMappingsOrNotAtAll) {
  constexpr std::size_t many = StackPool::mapped_limit + 1;
  EXPECT_NE(StackPool::best_guard(many - 1), Guard::none);
  const std::size_t before = mappings();
  StackPool pool(stack_bytes, many);
  EXPECT_EQ(pool.guarded(), kernel_marks());
  // The region's, and what its list of stacks takes; a sanitizer's allocator maps some of its own.
  // A guard to each stack would take as many as there are stacks.
  EXPECT_LE(mappings(), before + 16);
}

TEST(StackPool, WithoutGuardsKnowsNone) {
  StackPool pool(stack_bytes, 2, Guard::none);
  const std::byte* const first = pool.take();
  const std::byte* const second = pool.take();
  EXPECT_FALSE(pool.guarded());
  EXPECT_EQ(second, first + stack_bytes);
  EXPECT_FALSE(pool.in_guard(reinterpret_cast<std::uintptr_t>(second) - 1));
}

TEST(StackPool, HasNothingToTouchBelowTheLowestStack) {
  for (const Guard guard : {Guard::mapped, Guard::none}) {
    StackPool pool(stack_bytes, 2, guard);
    const std::byte* const lowest = pool.take();
    for (const std::size_t below : {std::size_t{1}, stack_bytes / 2, stack_bytes}) {
      EXPECT_FALSE(can_be_read(lowest - below));
      EXPECT_TRUE(pool.in_guard(reinterpret_cast<std::uintptr_t>(lowest) - below));
      EXPECT_TRUE(pool.in_region(reinterpret_cast<std::uintptr_t>(lowest) - below));
    }
    int elsewhere = 0;
    EXPECT_FALSE(pool.in_region(reinterpret_cast<std::uintptr_t>(&elsewhere)));
  }
}

/// A fiber that takes `bytes` of its stack, touches none of them, and suspends itself or looks.
struct Deep {
  Fiber* fiber = nullptr;
  std::size_t bytes = 0;
  bool looks = false;
  bool went_on = false;
};

__attribute__((noinline)) void take_stack(Deep& deep) {
  volatile std::byte* const room = static_cast<std::byte*>(alloca(deep.bytes));
  if (deep.looks) {
    deep.fiber->look_at_stack();
  } else {
    deep.fiber->suspend();
  }
  deep.went_on = true;
  EXPECT_NE(room, nullptr);
}

class DeepFiber : public testing::TestWithParam<Guard> {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer has stacks of its own";
#endif
    if (GetParam() == Guard::marked && !kernel_marks()) {
      GTEST_SKIP() << "the kernel has no such marks";
    }
  }

  /// True if it was found to have overflowed.
  static bool overflows(std::size_t bytes, bool looks) {
    StackPool pool(stack_bytes, 2, GetParam());
    pool.take();  // what overflows gets into this one
    Deep deep{nullptr, bytes, looks, false};
    Fiber fiber(
        pool, [](void* it) { take_stack(*static_cast<Deep*>(it)); }, &deep);
    deep.fiber = &fiber;
    fiber.resume();
    EXPECT_EQ(deep.went_on, looks && !fiber.overflowed());
    return fiber.overflowed();
  }
};

TEST_P(DeepFiber, WithinItsStackGoesOn) {
  EXPECT_FALSE(overflows(stack_bytes / 2, false));
  EXPECT_FALSE(overflows(stack_bytes / 2, true));
}

TEST_P(DeepFiber, BeyondItsGuardIsFoundWhenItSuspends) {
  EXPECT_TRUE(overflows(stack_bytes + 3 * 4096, false));
}

TEST_P(DeepFiber, BeyondItsGuardIsFoundByALook) {
  EXPECT_TRUE(overflows(stack_bytes + 3 * 4096, true));
}

INSTANTIATE_TEST_SUITE_P(Guards, DeepFiber,
                         testing::Values(Guard::marked, Guard::mapped, Guard::none));

/// A program may have stacks of its own, and make its calls there.
struct OwnStack {
  Fiber* fiber = nullptr;
  ucontext_t program{};
  ucontext_t own{};
  std::vector<std::byte> memory = std::vector<std::byte>(stack_bytes);  // lower than mappings
  bool went_on = false;
};

/// makecontext() passes ints.
void call_from_own_stack(unsigned upper, unsigned lower) {
  auto& it = *reinterpret_cast<OwnStack*>((std::uint64_t{upper} << 32) | lower);
  it.fiber->look_at_stack();
  it.fiber->suspend();
  it.went_on = true;
}

void enter_own_stack(void* argument) {
  auto& it = *static_cast<OwnStack*>(argument);
  getcontext(&it.own);
  it.own.uc_stack.ss_sp = it.memory.data();
  it.own.uc_stack.ss_size = it.memory.size();
  it.own.uc_link = &it.program;
  const auto address = reinterpret_cast<std::uint64_t>(argument);
  makecontext(&it.own, reinterpret_cast<void (*)()>(&call_from_own_stack), 2,
              static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
  swapcontext(&it.program, &it.own);
}

TEST_P(DeepFiber, OnAStackOfItsOwnGoesOn) {
  StackPool pool(stack_bytes, 2, GetParam());
  OwnStack it;
  Fiber fiber(pool, enter_own_stack, &it);
  it.fiber = &fiber;
  fiber.resume();
  EXPECT_FALSE(fiber.overflowed());
  fiber.resume();
  EXPECT_TRUE(it.went_on);
  EXPECT_TRUE(fiber.finished());
}

TEST(DeepFiberWithoutGuard, IsFoundBeforeItReachesTheEnd) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer has stacks of its own";
#endif
  StackPool pool(stack_bytes, 2, Guard::none);
  pool.take();
  Deep deep{nullptr, stack_bytes - 2048, true, false};
  Fiber fiber(
      pool, [](void* it) { take_stack(*static_cast<Deep*>(it)); }, &deep);
  deep.fiber = &fiber;
  fiber.resume();
  EXPECT_TRUE(fiber.overflowed());
  EXPECT_FALSE(deep.went_on);
}

}  // namespace
}  // namespace corespec
