// Times of single transfers on a quiet network, each derived by hand.
#include <gtest/gtest.h>

#include "tests/gemini/test_machine.h"
#include "ugni_emu/gemini/format/phits.h"

namespace gemini_test {
namespace {

using ugni::TransactionKind;

// Defaults: 279.5 ns between NIC and router, 105 ns a hop. Phits of 3 bytes: 288.4338 ps on the
// host port, 320 on X, on a mezzanine and on a Z cable, 640 on a Y cable, 200 on a backplane.
constexpr std::int64_t kEnds = 2 * 279500;
constexpr std::int64_t kHop = 105000;

struct Times {
  std::int64_t sent, arrived, answered;
};

Times times_of(Machine& machine, TransactionKind kind, Nid source, Nid target, std::uint64_t length,
               bool captured = true) {
  RecordingNic& to = machine.nic(target);
  if (kind == TransactionKind::get) to.memory = random_bytes(length, 1);
  const auto transaction = machine.make(kind, source, target, length);
  const Bytes bytes = random_bytes(length, 2);
  machine.nic(source).buffers[transaction.initiator_key] = bytes;
  const bool data = captured && gemini::carries_data(kind);
  machine.network().submit(transaction, data ? ugni::Payload(std::span(bytes)) : ugni::Payload());
  machine.run();
  RecordingNic& from = machine.nic(source);
  EXPECT_EQ(from.sent.size(), 1U);
  EXPECT_EQ(to.requests.size(), 1U);
  EXPECT_EQ(from.responses.size(), 1U);
  return {from.sent[0].at.ps(), to.requests[0].at.ps(), from.responses[0].at.ps()};
}

TEST(Latency, BetweenTheNodesOfOneGemini) {
  Machine machine("2x2x2");
  const Times times = times_of(machine, TransactionKind::put, 0, 1, 8);
  EXPECT_EQ(times.sent, 3750);                            // 13 phits over the host port
  EXPECT_EQ(times.arrived, kEnds + 3750);                 // cut through: once, not twice
  EXPECT_EQ(times.answered, kEnds + 3750 + kEnds + 866);  // 3 phits
}

TEST(Latency, OneHop) {
  Machine machine("4x4x4");
  const Times times =
      times_of(machine, TransactionKind::put, machine.nid(0, 0, 0), machine.nid(1, 0, 0), 8);
  EXPECT_EQ(times.arrived, kEnds + kHop + 13 * 320);
  EXPECT_EQ(times.answered - times.arrived, kEnds + kHop + 3 * 320);
}

TEST(Latency, ASmallPutToTheNeighbourTakesLessThan700Nanoseconds) {
  Machine machine("4x4x4");
  const Times times =
      times_of(machine, TransactionKind::put, machine.nid(0, 0, 0), machine.nid(1, 0, 0), 64);
  EXPECT_EQ(times.arrived, 674240);  // 559 + 105 + 32 phits of 0.32 ns
}

TEST(Latency, ManyHopsAndTheSlowestLink) {
  Machine machine("8x8x8");
  // X+ X+, Y+ (mezzanine) Y+ (cable), Z+ Z+ Z+ (backplane); back X-, Y- over the cable first, Z-.
  const Times times =
      times_of(machine, TransactionKind::put, machine.nid(0, 0, 0), machine.nid(2, 2, 3), 64);
  EXPECT_EQ(times.arrived, kEnds + 7 * kHop + 32 * 640);
  EXPECT_EQ(times.answered - times.arrived, kEnds + 7 * kHop + 3 * 640);
}

TEST(Latency, BackplaneIsFasterThanTheHostPort) {
  Machine machine("1x1x8");
  const Times times = times_of(machine, TransactionKind::put, 0, 2, 64);
  EXPECT_EQ(times.arrived, kEnds + kHop + 9230);  // 32 x 288.4338, the host port's
}

TEST(Latency, Get) {
  Machine machine("2x2x2");
  const Times times = times_of(machine, TransactionKind::get, 0, 1, 64);
  EXPECT_EQ(times.arrived, kEnds + 2308);                   // 8 phits
  EXPECT_EQ(times.answered - times.arrived, kEnds + 7788);  // 27 phits
}

TEST(Latency, ASegmentIsDeliveredAtItsTail) {
  Machine machine("4x4x4");
  const Times times = times_of(machine, TransactionKind::put, machine.nid(0, 0, 0),
                               machine.nid(1, 0, 0), 16384, false);
  EXPECT_EQ(times.sent, 2362850);  // 8192 phits over the host port, rounded up
  EXPECT_EQ(times.arrived, kEnds + kHop + 8192 * 320);
  EXPECT_EQ(times.answered - times.arrived, kEnds + kHop + 256 * 3 * 320);
}

TEST(Latency, SegmentsFollowEachOtherWithoutGaps) {
  Machine machine("4x4x4");
  const Nid from = machine.nid(0, 0, 0), to = machine.nid(1, 0, 0);
  machine.put(from, to, 40000);
  machine.run();
  const auto& requests = machine.nic(to).requests;
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].at.ps(), kEnds + kHop + 8192 * 320);
  EXPECT_EQ(requests[1].at.ps(), kEnds + kHop + 2 * 8192 * 320);
  // 7232 bytes: 113 packets of 32 phits.
  EXPECT_EQ(requests[2].at.ps(), kEnds + kHop + (2 * 8192 + 113 * 32) * 320);
  EXPECT_EQ(machine.nic(from).sent.size(), 1U);
  EXPECT_LT(machine.nic(from).sent[0].at, requests[2].at);
}

TEST(Latency, KindsWithoutData) {
  for (const TransactionKind kind : {TransactionKind::cq_write, TransactionKind::credit}) {
    Machine machine("2x2x2");
    const Times times = times_of(machine, kind, 0, 1, 0);
    EXPECT_EQ(times.arrived, kEnds + 3750);  // 13 phits
    EXPECT_EQ(times.answered - times.arrived, kEnds + 866);
  }
  Machine machine("2x2x2");
  const Times datagram = times_of(machine, TransactionKind::datagram, 0, 1, 0);
  EXPECT_EQ(datagram.arrived, kEnds + 2885);  // 10 phits
}

TEST(Latency, Atomic) {
  Machine machine("2x2x2");
  const Times times = times_of(machine, TransactionKind::atomic, 0, 1, 8);
  EXPECT_EQ(times.arrived, kEnds + 4615);                   // 16 phits
  EXPECT_EQ(times.answered - times.arrived, kEnds + 2308);  // 8 phits
}

TEST(Latency, ANicToItselfDoesNotUseThePort) {
  Machine machine("2x2x2");
  const Times times = times_of(machine, TransactionKind::put, 0, 0, 4);
  EXPECT_EQ(times.sent, 481);  // 4 bytes through the NIC at 8.32 GB/s
  EXPECT_EQ(times.arrived, 481 + 100000);
  EXPECT_EQ(times.answered, 481 + 200000);
  EXPECT_EQ(machine.injected(0), gemini::LinkCounters{});
}

TEST(Latency, GetFromItself) {
  Machine machine("2x2x2");
  const Times times = times_of(machine, TransactionKind::get, 0, 0, 64);
  EXPECT_EQ(times.arrived, 100000);
  EXPECT_EQ(times.answered, 200000 + 7693);
}

TEST(Latency, TheFarthestPairOnHopper) {
  corespec::Parameters parameters;
  parameters.hop_latency = Time::nanoseconds(108.75);
  Machine machine("hopper", parameters);
  const Times times =
      times_of(machine, TransactionKind::put, machine.nid(0, 0, 0), machine.nid(8, 4, 12), 64);
  EXPECT_EQ(times.arrived, kEnds + 24 * 108750 + 32 * 640);
  EXPECT_EQ(machine.network().least_delay(), Time::nanoseconds(108.75));
}

TEST(Latency, ParametersSetIt) {
  corespec::Parameters parameters;
  parameters.hop_latency = Time::nanoseconds(50);
  parameters.nic_to_router_latency = Time::nanoseconds(100);
  Machine machine("4x4x4", parameters);
  const Times times =
      times_of(machine, TransactionKind::put, machine.nid(0, 0, 0), machine.nid(1, 0, 0), 64);
  EXPECT_EQ(times.arrived, 200000 + 50000 + 32 * 320);
}

}  // namespace
}  // namespace gemini_test
