// Who gets how much where transfers meet: links, host ports, injectors, replies.
#include <gtest/gtest.h>

#include "tests/gemini/test_machine.h"

namespace gemini_test {
namespace {

constexpr std::uint64_t kLonger = 32 << 20;

/// GB/s of request payload that arrived at a NIC between two times.
double rate_between(const RecordingNic& nic, Time from, Time to) {
  return static_cast<double>(nic.bytes_arrived(to) - nic.bytes_arrived(from)) / (to - from).ns();
}

const Time kFrom = Time::microseconds(500);
const Time kTo = Time::microseconds(4500);

TEST(Sharing, ThreeFlowsOverOneCableGetAThirdEach) {
  Machine machine("1x6x1");
  // All cross the cable from y = 1 to y = 2, from three NICs to three NICs, 1 to 3 hops.
  machine.put(machine.nid(0, 0, 0, 0), machine.nid(0, 2, 0, 0), kLonger);
  machine.put(machine.nid(0, 0, 0, 1), machine.nid(0, 3, 0, 0), kLonger);
  machine.put(machine.nid(0, 1, 0, 0), machine.nid(0, 2, 0, 1), kLonger);
  machine.run(kTo);
  const double third = 4.6875 * 64 / 96 / 3;
  EXPECT_NEAR(rate_between(machine.nic(machine.nid(0, 2, 0, 0)), kFrom, kTo), third, third * 0.02);
  EXPECT_NEAR(rate_between(machine.nic(machine.nid(0, 3, 0, 0)), kFrom, kTo), third, third * 0.02);
  EXPECT_NEAR(rate_between(machine.nic(machine.nid(0, 2, 0, 1)), kFrom, kTo), third, third * 0.02);
}

TEST(Sharing, ThreeFlowsThatMeetFromThreeSides) {
  Machine machine("5x5x5");
  // Into (2,2,2) and on over its Z+ link (15 GB/s): from X-, Y- and from the Gemini itself.
  machine.put(machine.nid(1, 2, 2), machine.nid(2, 2, 3, 0), kLonger);
  machine.put(machine.nid(2, 1, 2), machine.nid(2, 2, 4, 0), kLonger);
  machine.put(machine.nid(2, 2, 2), machine.nid(2, 2, 4, 1), kLonger);
  machine.run(kTo);
  // Two of them also share the ejection port of (2,2,4): 15 GB/s is no bottleneck for three
  // thirds of 5 GB/s, but 10.4 over two is not reached either: the Y cable gives 3.125 payload.
  const double third = 15.0 / 3 * 64 / 96;
  const double y_cable = 4.6875 * 64 / 96;
  EXPECT_NEAR(rate_between(machine.nic(machine.nid(2, 2, 4, 0)), kFrom, kTo), y_cable, 0.05);
  EXPECT_GE(rate_between(machine.nic(machine.nid(2, 2, 3, 0)), kFrom, kTo), third);
  EXPECT_GE(rate_between(machine.nic(machine.nid(2, 2, 4, 1)), kFrom, kTo), third);
}

TEST(Sharing, TheNicsOfAGeminiShareItsHostPort) {
  Machine machine("1x1x8");
  machine.put(machine.nid(0, 0, 3, 0), machine.nid(0, 0, 4), kLonger);
  machine.put(machine.nid(0, 0, 3, 1), machine.nid(0, 0, 2), kLonger);
  machine.run(kTo);
  const double half = 10.401 * 64 / 96 / 2;
  EXPECT_NEAR(rate_between(machine.nic(machine.nid(0, 0, 4)), kFrom, kTo), half, half * 0.01);
  EXPECT_NEAR(rate_between(machine.nic(machine.nid(0, 0, 2)), kFrom, kTo), half, half * 0.01);
}

TEST(Sharing, ArrivalsOfAGeminiShareItsHostPort) {
  Machine machine("1x1x8");
  machine.put(machine.nid(0, 0, 4), machine.nid(0, 0, 3, 0), kLonger);
  machine.put(machine.nid(0, 0, 2), machine.nid(0, 0, 3, 1), kLonger);
  machine.run(kTo);
  const double half = 10.401 * 64 / 96 / 2;
  EXPECT_NEAR(rate_between(machine.nic(machine.nid(0, 0, 3, 0)), kFrom, kTo), half, half * 0.01);
  EXPECT_NEAR(rate_between(machine.nic(machine.nid(0, 0, 3, 1)), kFrom, kTo), half, half * 0.01);
}

TEST(Sharing, InjectorsTakeTurnsSegmentBySegment) {
  Machine machine("1x1x2");
  for (const std::uint8_t injector : {1, 2, 4}) machine.put(0, 1, 8 * 16384, injector);
  machine.run();
  const auto& requests = machine.nic(1).requests;
  ASSERT_EQ(requests.size(), 24U);
  const std::array<int, 3> order = {1, 2, 4};
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].transaction.injector, order[i % 3]) << i;
    EXPECT_EQ(requests[i].offset, i / 3 * 16384) << i;
  }
}

TEST(Sharing, ASmallMessageWaitsForOneSegmentNotForATransfer) {
  Machine machine("1x1x2");
  machine.put(0, 1, kLonger, 1);
  machine.run(Time::microseconds(50));
  auto small = machine.make(ugni::TransactionKind::message, 0, 1, 8);
  const Bytes bytes = random_bytes(8, 3);
  machine.network().submit(small, ugni::Payload(std::span(bytes)));
  machine.run(Time::microseconds(60));
  const auto& sent = machine.nic(0).sent;
  ASSERT_EQ(sent.size(), 1U);
  // At most the rest of the segment under way (2.363 us) before its own 13 phits.
  EXPECT_LE((sent[0].at - Time::microseconds(50)).ns(), 2363 + 4);
}

TEST(Sharing, OneInjectorKeepsItsOrder) {
  Machine machine("1x1x2");
  std::vector<std::uint64_t> keys;
  for (const std::uint64_t length : {40000, 8, 16384, 1, 100000}) {
    keys.push_back(machine.put(0, 2, length));
  }
  machine.run();
  std::vector<std::uint64_t> arrived;
  for (const Call& call : machine.nic(2).requests) {
    if (call.last) arrived.push_back(call.transaction.initiator_key);
  }
  EXPECT_EQ(arrived, keys);
}

TEST(Sharing, RepliesContendOnTheirOwnRoute) {
  const auto get_rate = [](bool load) {
    Machine machine("5x4x1");
    // Request (0,0) X+ (1,0) Y+ (1,1); reply (1,1) X- (0,1) Y- (0,0). The load crosses X- of
    // (1,1), which is not on the request's way.
    machine.get(machine.nid(0, 0, 0), machine.nid(1, 1, 0), kLonger);
    if (load) machine.put(machine.nid(2, 1, 0), machine.nid(0, 1, 0), kLonger);
    machine.run(kTo);
    const RecordingNic& nic = machine.nic(machine.nid(0, 0, 0));
    return static_cast<double>(nic.bytes_answered(kTo) - nic.bytes_answered(kFrom)) /
           (kTo - kFrom).ns();
  };
  EXPECT_NEAR(get_rate(false), 9.375 * 64 / 81, 0.05);
  EXPECT_NEAR(get_rate(true), 9.375 / 2 * 64 / 81, 0.1);  // half of the link
}

TEST(Sharing, RepliesOfTwoGetsShareTheirSource) {
  Machine machine("1x1x8");
  machine.get(machine.nid(0, 0, 2), machine.nid(0, 0, 3, 0), kLonger);
  machine.get(machine.nid(0, 0, 4), machine.nid(0, 0, 3, 1), kLonger);
  machine.run(kTo);
  const double half = 10.401 * 64 / 81 / 2;
  for (const std::uint16_t z : {2, 4}) {
    const RecordingNic& nic = machine.nic(machine.nid(0, 0, z));
    const double rate = static_cast<double>(nic.bytes_answered(kTo) - nic.bytes_answered(kFrom)) /
                        (kTo - kFrom).ns();
    EXPECT_NEAR(rate, half, half * 0.02);
  }
}

TEST(Sharing, AcknowledgementsDoNotQueueBehindTheOtherNicsReplies) {
  Machine machine("1x1x24");
  // Eight readers make a long queue of replies at port 0 of (0,0,12).
  for (std::uint16_t z = 8; z < 12; ++z) {
    machine.get(machine.nid(0, 0, z, 0), machine.nid(0, 0, 12, 0), kLonger);
    machine.get(machine.nid(0, 0, z, 1), machine.nid(0, 0, 12, 0), kLonger);
  }
  machine.run(Time::microseconds(100));
  // A put to port 1 is answered after one reply segment of port 0 at most (2 us), not after 32.
  machine.put(machine.nid(0, 0, 13), machine.nid(0, 0, 12, 1), 64);
  machine.run(Time::microseconds(110));
  ASSERT_EQ(machine.nic(machine.nid(0, 0, 13)).responses.size(), 1U);
  EXPECT_LT(machine.nic(machine.nid(0, 0, 13)).responses[0].at.us(), 100 + 1.4 + 2.1);
}

}  // namespace
}  // namespace gemini_test
