// Clocks of ranks, from differences between pairs of them.
#include "apps/traces/replay/clocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using replay::Clock;
using replay::ClockPair;
using replay::clocks_of;

TEST(Clocks, DifferencesAddUpAlongTheWay) {
  const auto clocks = clocks_of(4, {{0, 2, 100, 1}, {2, 3, -30, 1}, {1, 3, 5, 1}});
  EXPECT_EQ(clocks[0].offset_ns, 0);
  EXPECT_EQ(clocks[2].offset_ns, 100);
  EXPECT_EQ(clocks[3].offset_ns, 70);
  EXPECT_EQ(clocks[1].offset_ns, 65);
  for (const Clock& each : clocks) EXPECT_TRUE(each.is_known);
}

TEST(Clocks, TheCloserBoundsAreTaken) {
  const auto clocks = clocks_of(3, {{0, 1, 10, 1}, {1, 2, 10, 1}, {0, 2, 999, 2}});
  EXPECT_EQ(clocks[2].offset_ns, 20);
}

TEST(Clocks, ARankWithoutMessagesIsUnknown) {
  const auto clocks = clocks_of(4, {{0, 1, 10, 1}, {2, 3, 7, 1}});
  EXPECT_TRUE(clocks[0].is_known);
  EXPECT_TRUE(clocks[1].is_known);
  EXPECT_FALSE(clocks[2].is_known);
  EXPECT_FALSE(clocks[3].is_known);
}

TEST(Clocks, ExactDifferencesGiveExactClocksInAnyOrder) {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    const std::size_t ranks = 2 + random() % 50;
    std::vector<std::int64_t> offset(ranks);
    for (std::size_t rank = 1; rank < ranks; ++rank) offset[rank] = random() % 1'000'000;
    std::vector<ClockPair> pairs;
    const auto add = [&](std::size_t one, std::size_t other) {
      pairs.push_back({static_cast<std::int32_t>(one), static_cast<std::int32_t>(other),
                       offset[other] - offset[one], static_cast<std::int64_t>(random() % 5)});
    };
    for (std::size_t rank = 1; rank < ranks; ++rank) add(random() % rank, rank);
    for (int more = 0; more < 20; ++more) add(random() % ranks, random() % ranks);
    std::shuffle(pairs.begin(), pairs.end(), random);
    const auto clocks = clocks_of(ranks, pairs);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      EXPECT_TRUE(clocks[rank].is_known);
      EXPECT_EQ(clocks[rank].offset_ns, offset[rank]);
    }
  }
}

}  // namespace
