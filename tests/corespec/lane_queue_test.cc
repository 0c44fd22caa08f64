// The lane queue gives each lane's entries in the order of the heap, bucket by bucket, whatever
// is pushed when.
#include "corespec/virtual/lane_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <stdexcept>
#include <vector>

namespace corespec {
namespace {

using Entry = EventQueue::Entry;
using Keys = std::vector<std::uint64_t>;

constexpr Time hop = Time::nanoseconds(105);
constexpr Time bucket = Time::picoseconds(1 << 16);

LaneQueue queue_of_buckets() {
  LaneQueue queue;
  queue.set_least_delay(hop);
  return queue;
}

void push(LaneQueue& queue, Time at, std::uint64_t key, std::uint32_t lane = 0) {
  queue.push({at, key, nullptr, in_lane(lane, 0)});
}

Keys keys_of(std::span<const Entry* const> entries) {
  Keys keys;
  for (const Entry* entry : entries) keys.push_back(entry->key);
  return keys;
}

TEST(LaneQueue, IsEmptyAtFirst) {
  const LaneQueue queue = queue_of_buckets();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_time(), Time::max());
  EXPECT_EQ(queue.next_end(), Time::max());
}

TEST(LaneQueue, BucketsAreTheLargestPowerOfTwoWithinTheLeastDelay) {
  LaneQueue queue = queue_of_buckets();
  EXPECT_EQ(queue.bucket(), bucket);
  queue.set_least_delay(Time::picoseconds(1));
  EXPECT_EQ(queue.bucket(), Time::picoseconds(1));
  queue.set_least_delay(Time::picoseconds(4096));
  EXPECT_EQ(queue.bucket(), Time::picoseconds(4096));
}

TEST(LaneQueue, LanesFollowEachOtherAsTheyWerePushedFirst) {
  LaneQueue queue = queue_of_buckets();
  push(queue, Time::nanoseconds(30), 1, 7);
  push(queue, Time::nanoseconds(20), 2, 3);
  push(queue, Time::nanoseconds(10), 3, 7);
  push(queue, Time::nanoseconds(10), 4, 3);
  EXPECT_EQ(queue.next_time(), Time::nanoseconds(10));
  EXPECT_EQ(queue.next_end(), bucket);
  EXPECT_EQ(keys_of(queue.open()), (Keys{3, 1, 4, 2}));
  EXPECT_TRUE(queue.empty());
}

TEST(LaneQueue, EqualTimesOfALaneGoByKey) {
  LaneQueue queue = queue_of_buckets();
  for (const std::uint64_t key : {5, 1, 4, 2, 3}) push(queue, Time::nanoseconds(7), key);
  EXPECT_EQ(keys_of(queue.open()), (Keys{1, 2, 3, 4, 5}));
}

TEST(LaneQueue, FarEntriesComeInTheirTurn) {
  LaneQueue queue = queue_of_buckets();
  push(queue, Time::microseconds(1000), 1);
  push(queue, Time::nanoseconds(1), 2);
  push(queue, Time::microseconds(300), 3);
  EXPECT_EQ(keys_of(queue.open()), Keys{2});
  EXPECT_EQ(queue.next_time(), Time::microseconds(300));
  push(queue, Time::microseconds(200), 4);
  EXPECT_EQ(keys_of(queue.open()), Keys{4});
  EXPECT_EQ(keys_of(queue.open()), Keys{3});
  // The ring is empty; what comes now may lie before the far one.
  push(queue, Time::microseconds(500), 5);
  EXPECT_EQ(keys_of(queue.open()), Keys{5});
  EXPECT_EQ(keys_of(queue.open()), Keys{1});
}

TEST(LaneQueue, RefusesWhatComesTooLate) {
  LaneQueue queue = queue_of_buckets();
  push(queue, Time::nanoseconds(70), 1);
  queue.open();
  EXPECT_THROW(push(queue, Time::nanoseconds(80), 2), std::logic_error);
  push(queue, bucket * 2, 3);
  EXPECT_EQ(queue.size(), 1u);
}

/// Random entries at several distances from the present, in many lanes.
class RandomLaneQueue : public testing::TestWithParam<std::int64_t> {};

TEST_P(RandomLaneQueue, FollowsTheHeapLaneByLane) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  LaneQueue queue = queue_of_buckets();
  EventQueue heap;
  std::uint64_t key = 0;
  Time open_from;
  for (int step = 0; step < 3000 || !heap.empty(); ++step) {
    for (std::uint64_t i = step < 3000 ? random() % 12 : 0; i > 0; --i) {
      const auto ahead = static_cast<std::int64_t>(random()) & (GetParam() - 1);
      const bool far = random() % 64 == 0;
      const Entry entry{open_from + Time::picoseconds(far ? ahead * 1000 : ahead),
                        (random() << 20) + key++, nullptr,
                        in_lane(static_cast<std::uint32_t>(random() % 50), 1)};
      heap.push(entry);
      queue.push(entry);
    }
    ASSERT_EQ(queue.next_time(), heap.next_time());
    if (heap.empty()) continue;
    const Time end = queue.next_end();
    ASSERT_LT(heap.next_time(), end);
    ASSERT_GE(heap.next_time(), end - bucket);
    std::map<std::uint32_t, Keys> expected, found;
    while (heap.next_time() < end) {
      const Entry entry = heap.pop();
      expected[lane_of(entry.arg)].push_back(entry.key);
    }
    for (const Entry* entry : queue.open()) found[lane_of(entry->arg)].push_back(entry->key);
    ASSERT_EQ(found, expected);
    ASSERT_EQ(queue.size(), heap.size());
    open_from = end;
  }
}

INSTANTIATE_TEST_SUITE_P(Distances, RandomLaneQueue,
                         testing::Values(1, 1 << 10, 1 << 16, 1 << 20, 1 << 27));

}  // namespace
}  // namespace corespec
