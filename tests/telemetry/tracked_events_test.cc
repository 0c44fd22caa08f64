// Which events of a queue are marked commands'.
#include "ugni_emu/nic/tracked_events.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace {

using nic::Track;
using nic::TrackedEvents;

TEST(TrackedEvents, FindTheirPlaceAmongOthers) {
  TrackedEvents events;
  events.push(2, {7, 70});  // two unmarked ones before it
  EXPECT_EQ(events.pop().mark, 0U);
  events.push(3, {8, 80});  // one, the first marked one, one more
  EXPECT_EQ(events.pop().mark, 0U);
  EXPECT_EQ(events.pop().mark, 70U);
  EXPECT_FALSE(events.empty());
  EXPECT_EQ(events.pop().mark, 0U);
  const Track last = events.pop();
  EXPECT_EQ(last.mark, 80U);
  EXPECT_EQ(last.source, 8U);
  EXPECT_TRUE(events.empty());
}

/// A queue that is asked only while it has marked events, as completion queues do it.
TEST(TrackedEvents, FollowAQueueOfAnyKind) {
  std::mt19937 random(5);
  std::deque<std::uint32_t> queue;  // marks; 0: none
  TrackedEvents events;
  bool tracked = false;
  std::uint32_t next = 1;
  int seen = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (queue.empty() || random() % 2 == 0) {
      const std::uint32_t mark = random() % 5 == 0 ? next++ : 0;
      if (mark != 0) {
        events.push(static_cast<std::uint32_t>(queue.size()), {1, mark});
        tracked = true;
      }
      queue.push_back(mark);
    } else {
      Track track;
      if (tracked) {
        track = events.pop();
        tracked = !events.empty();
      }
      ASSERT_EQ(track.mark, queue.front()) << i;
      seen += track.mark != 0 ? 1 : 0;
      queue.pop_front();
    }
  }
  EXPECT_GT(seen, 1000);
}

}  // namespace
