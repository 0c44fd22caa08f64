// Return addresses of the running thread and of a fiber that has been left.
#include "corespec/threads/calling_context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "corespec/virtual/fiber.h"

namespace {

using corespec::Fiber;
using corespec::StackPool;

/// A fiber that is left in calls within calls, and what those calls return to.
struct Left {
  StackPool stacks{std::size_t{1} << 16, 2};
  std::vector<void*> returns;  ///< the outermost first
  Fiber fiber{stacks, &Left::run, this};
  int left_again = 0;

  [[gnu::noipa]] void go_deeper(int levels) {
    returns.push_back(__builtin_return_address(0));
    if (levels == 0) {
      fiber.suspend();
      ++left_again;
      fiber.suspend();
    } else {
      go_deeper(levels - 1);
      ++left_again;
    }
  }
  static void run(void* self) {
    static_cast<Left*>(self)->go_deeper(5);
    ++static_cast<Left*>(self)->left_again;
  }
};

std::vector<void*> context_of(const Left& left, std::size_t most = 64) {
  std::vector<void*> context(most);
  context.resize(corespec::context_from(left.fiber.left_at(), context));
  return context;
}

/// `inner` are all in `context`, in this order.
bool has_in_order(const std::vector<void*>& context, std::vector<void*> outermost_first) {
  std::reverse(outermost_first.begin(), outermost_first.end());
  auto at = context.begin();
  for (void* address : outermost_first) {
    at = std::find(at, context.end(), address);
    if (at == context.end()) return false;
    ++at;
  }
  return true;
}

TEST(CallingContext, OfAFiberThatWasLeft) {
  Left left;
  EXPECT_EQ(left.fiber.left_at(), nullptr) << "it has not begun";
  left.fiber.resume();
  const std::vector<void*> context = context_of(left);
  EXPECT_TRUE(has_in_order(context, left.returns));
  // Any number of times, and the fiber goes on as it would have.
  EXPECT_EQ(context_of(left), context);
  left.fiber.resume();
  EXPECT_EQ(left.left_again, 1);
  EXPECT_TRUE(has_in_order(context_of(left), left.returns));
  left.fiber.resume();
  EXPECT_EQ(left.left_again, 7);
  EXPECT_TRUE(left.fiber.finished());
  EXPECT_EQ(left.fiber.left_at(), nullptr);
}

TEST(CallingContext, IsTheInnermostPartIfThereIsLittleRoom) {
  Left left;
  left.fiber.resume();
  const std::vector<void*> context = context_of(left);
  const std::vector<void*> part = context_of(left, 3);
  ASSERT_EQ(part.size(), 3U);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), context.begin()));
  EXPECT_TRUE(context_of(left, 0).empty());
}

[[gnu::noipa]] std::vector<void*> own(void*& returns_to) {
  std::vector<void*> context(64);
  context.resize(corespec::own_context(context));
  returns_to = __builtin_return_address(0);
  return context;
}

TEST(CallingContext, OfTheCaller) {
  void* returns_to = nullptr;
  const std::vector<void*> context = own(returns_to);
  EXPECT_NE(std::find(context.begin(), context.end(), returns_to), context.end());
}

}  // namespace
