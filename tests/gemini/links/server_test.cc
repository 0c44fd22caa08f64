// The server that links and ports are made of: service times and the sharing of two channels.
#include "ugni_emu/gemini/links/server.h"

#include <gtest/gtest.h>

#include "ugni_emu/gemini/format/channels.h"

namespace gemini {
namespace {

using corespec::Time;

Time ps(std::int64_t value) { return Time::picoseconds(value); }

TEST(Server, ServiceStartsAtTheLaterOfHeadAndFree) {
  Server server;
  Passage out = server.serve(kRequests, ps(100), {ps(50), ps(50)});
  EXPECT_EQ(out.head, ps(50));
  EXPECT_EQ(out.tail, ps(150));
  out = server.serve(kRequests, ps(100), {ps(60), ps(60)});
  EXPECT_EQ(out.head, ps(150));
  EXPECT_EQ(out.tail, ps(250));
  out = server.serve(kRequests, ps(10), {ps(300), ps(300)});
  EXPECT_EQ(out.head, ps(300));
}

TEST(Server, ASlowedSegmentHoldsTheServerForItsOwnWorkOnly) {
  Server server;
  const Passage slow = server.serve(kRequests, ps(100), {ps(0), ps(400)});
  EXPECT_EQ(slow.tail, ps(400));
  const Passage next = server.serve(kRequests, ps(100), {ps(10), ps(10)});
  EXPECT_EQ(next.head, ps(100));
  EXPECT_EQ(next.tail, ps(200));
}

TEST(Server, AResponseDoesNotWaitForQueuedRequests) {
  Server server;
  server.serve(kRequests, ps(1000), {ps(0), ps(0)});
  const Passage response = server.serve(kResponses, ps(100), {ps(0), ps(0)});
  EXPECT_EQ(response.head, ps(0));
  EXPECT_EQ(response.tail, ps(200));  // every other turn
  const Passage behind = server.serve(kRequests, ps(10), {ps(0), ps(0)});
  EXPECT_EQ(behind.head, ps(1100));  // the response's work is not lost
}

TEST(Server, TwoBusyChannelsHaveTheCapacityBetweenThem) {
  Server server;
  server.serve(kRequests, ps(300), {ps(0), ps(0)});
  const Passage longer = server.serve(kResponses, ps(500), {ps(0), ps(0)});
  EXPECT_EQ(longer.tail, ps(800));
  EXPECT_EQ(server.serve(kRequests, ps(0), {ps(0), ps(0)}).head, ps(600));
}

}  // namespace
}  // namespace gemini
