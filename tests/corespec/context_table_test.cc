// Calling contexts by number: the same call again, other calls, and walks that are remembered.
#include "corespec/threads/context_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "corespec/threads/calling_context.h"

namespace {

using corespec::ContextNumber;
using corespec::ContextTable;

[[gnu::noipa]] ContextNumber ask(ContextTable& table) {
  const ContextNumber number = table.here();
  asm volatile("");  // or the call would be a jump
  return number;
}
[[gnu::noipa]] ContextNumber ask_from_elsewhere(ContextTable& table) {
  const ContextNumber number = ask(table);
  asm volatile("");
  return number;
}
[[gnu::noipa]] ContextNumber ask_at_depth(ContextTable& table, int depth) {
  const ContextNumber number = depth == 0 ? ask(table) : ask_at_depth(table, depth - 1);
  asm volatile("");
  return number;
}

TEST(ContextTable, TheSameCallHasTheSameNumber) {
  ContextTable table;
  std::set<ContextNumber> numbers;
  for (int i = 0; i < 100; ++i) numbers.insert(ask(table));
  EXPECT_EQ(numbers.size(), 1U);
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(*numbers.begin(), 1U);
}

TEST(ContextTable, CallsFromTwoPlacesDiffer) {
  ContextTable table;
  const ContextNumber first = ask(table);
  const ContextNumber second = ask(table);
  EXPECT_NE(first, second);
  EXPECT_NE(ask_from_elsewhere(table), first);
}

// The same function in the same frame of the stack, called by way of two others: only a return
// address farther out tells them apart.
[[gnu::noipa]] ContextNumber by_one(ContextTable& table) {
  const ContextNumber number = ask(table);
  asm volatile("");
  return number;
}
[[gnu::noipa]] ContextNumber by_other(ContextTable& table) {
  const ContextNumber number = ask(table);
  asm volatile("" ::: "memory");
  return number;
}

TEST(ContextTable, ARememberedWalkIsCheckedToItsEnd) {
  ContextTable table;
  std::set<ContextNumber> ones, others;
  for (int i = 0; i < 20; ++i) {
    ones.insert(by_one(table));
    others.insert(by_other(table));
  }
  EXPECT_EQ(ones.size(), 1U);
  EXPECT_EQ(others.size(), 1U);
  EXPECT_NE(*ones.begin(), *others.begin());
}

TEST(ContextTable, HasTheAddressesThatAWalkFinds) {
  ContextTable table;
  for (int round = 0; round < 3; ++round) {  // the later ones are remembered
    const ContextNumber number = ask_at_depth(table, 3);
    std::vector<void*> own(corespec::most_context);
    own.resize(corespec::own_context(own));
    const auto found = table.addresses(number);
    // From the test's own caller on the two are one.
    ASSERT_GT(own.size(), 3U);
    EXPECT_NE(std::search(found.begin(), found.end(), own.end() - 3, own.end()), found.end());
    EXPECT_EQ(std::count(found.begin(), found.end(), found[2]), 3);  // ask_at_depth, three levels
  }
  EXPECT_EQ(table.size(), 1U);
}

TEST(ContextTable, DepthsDiffer) {
  ContextTable table;
  std::set<ContextNumber> numbers;
  for (int depth = 0; depth < 10; ++depth) numbers.insert(ask_at_depth(table, depth));
  EXPECT_EQ(numbers.size(), 10U);
}

}  // namespace
