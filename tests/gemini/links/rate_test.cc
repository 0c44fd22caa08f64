// A rate's times are exact and rounded up.
#include "ugni_emu/gemini/links/rate.h"

#include <gtest/gtest.h>

namespace gemini {
namespace {

corespec::Time picoseconds(std::int64_t count) { return corespec::Time::picoseconds(count); }

TEST(Rate, IsExactForTheLinks) {
  EXPECT_EQ(Rate(3, 9.375e9).time(32), picoseconds(10240));
  EXPECT_EQ(Rate(3, 4.6875e9).time(1), picoseconds(640));
  EXPECT_EQ(Rate(3, 15e9).time(524288), picoseconds(524288 * 200));
  EXPECT_EQ(Rate(3, 10.401e9).time(1), picoseconds(289));  // 288.43, rounded up
  EXPECT_EQ(Rate(1, 8.32e9).time(64), picoseconds(7693));  // 7692.3
}

}  // namespace
}  // namespace gemini
