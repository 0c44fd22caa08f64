// The bucket queue gives its entries in the order of the heap, whatever is pushed when.
#include "corespec/virtual/bucket_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace corespec {
namespace {

using Entry = EventQueue::Entry;

/// Both queues, fed and emptied alike.
class Both {
 public:
  void push(Time at, std::uint64_t key) {
    const Entry entry{at, key, nullptr, key * 3};
    heap_.push(entry);
    buckets_.push(entry);
  }
  /// The time of what was popped.
  Time pop() {
    EXPECT_EQ(heap_.next_time(), buckets_.next_time());
    const Entry expected = heap_.pop();
    const Entry entry = buckets_.pop();
    EXPECT_EQ(expected.at, entry.at);
    EXPECT_EQ(expected.key, entry.key);
    EXPECT_EQ(expected.arg, entry.arg);
    EXPECT_EQ(heap_.size(), buckets_.size());
    EXPECT_EQ(heap_.next_time(), buckets_.next_time());
    return entry.at;
  }
  bool empty() const { return heap_.empty(); }

 private:
  EventQueue heap_;
  BucketQueue buckets_;
};

TEST(BucketQueue, IsEmptyAtFirst) {
  const BucketQueue queue;
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_time(), Time::max());
  EXPECT_EQ(queue.peek(0), nullptr);
}

TEST(BucketQueue, EqualTimesGoByKey) {
  Both both;
  for (const std::uint64_t key : {5, 1, 4, 2, 3}) both.push(Time::nanoseconds(7), key);
  while (!both.empty()) both.pop();
}

TEST(BucketQueue, AnEarlierBucketMayComeBeforeTheOpenOne) {
  Both both;
  both.push(Time::nanoseconds(100), 1);
  both.push(Time::nanoseconds(101), 2);
  both.push(Time::nanoseconds(50), 3);
  EXPECT_EQ(both.pop(), Time::nanoseconds(50));
  both.push(Time::nanoseconds(60), 4);
  both.push(Time::nanoseconds(100), 0);
  while (!both.empty()) both.pop();
}

TEST(BucketQueue, FarEntriesComeInTheirTurn) {
  Both both;
  both.push(Time::microseconds(1000), 1);
  both.push(Time::nanoseconds(1), 2);
  both.push(Time::microseconds(3), 3);
  EXPECT_EQ(both.pop(), Time::nanoseconds(1));
  both.push(Time::microseconds(2), 4);
  EXPECT_EQ(both.pop(), Time::microseconds(2));
  EXPECT_EQ(both.pop(), Time::microseconds(3));
  // The ring is empty; what comes now may lie before the far one.
  both.push(Time::microseconds(500), 5);
  EXPECT_EQ(both.pop(), Time::microseconds(500));
  EXPECT_EQ(both.pop(), Time::microseconds(1000));
}

/// Random entries around the present, at several distances.
class RandomBucketQueue : public testing::TestWithParam<std::int64_t> {};

TEST_P(RandomBucketQueue, FollowsTheHeap) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  Both both;
  Time now;
  std::uint64_t key = 0;
  for (int step = 0; step < 20000; ++step) {
    if (both.empty() || (random() % 100 < 50 && step < 15000)) {
      const std::uint64_t burst = random() % 40 == 0 ? 60 : 1;
      for (std::uint64_t i = 0; i < burst; ++i) {
        const auto ahead = static_cast<std::int64_t>(random()) & (GetParam() - 1);
        const bool far = random() % 64 == 0;
        both.push(now + Time::picoseconds(far ? ahead * 1000 : ahead), (random() << 20) + key++);
      }
    } else {
      now = both.pop();
    }
  }
  while (!both.empty()) both.pop();
}

INSTANTIATE_TEST_SUITE_P(Distances, RandomBucketQueue,
                         testing::Values(1, 256, 1024, 1 << 14, 1 << 20, 1 << 24));

}  // namespace
}  // namespace corespec
