// Rates of long transfers: the host port, links, the NIC's cap and the outstanding limit.
#include <gtest/gtest.h>

#include "tests/gemini/test_machine.h"

namespace gemini_test {
namespace {

constexpr std::uint64_t kLong = 16 << 20;

/// GB/s between the first and the last segment's arrival.
double steady_rate(const std::vector<Call>& calls) {
  std::uint64_t bytes = 0;
  for (const Call& call : calls) bytes += call.length;
  bytes -= calls.front().length;
  return static_cast<double>(bytes) / (calls.back().at - calls.front().at).ns();
}

double put_rate(Machine& machine, Nid from, Nid to) {
  machine.put(from, to, kLong);
  machine.run();
  return steady_rate(machine.nic(to).requests);
}

TEST(Bandwidth, ALongPutReachesTheHostPortsPlateau) {
  Machine machine("1x1x8");
  EXPECT_NEAR(put_rate(machine, 0, 2), 10.401 * 64 / 96, 0.001);  // 6.934 GB/s
}

TEST(Bandwidth, WithinAGeminiRequestsAndAcknowledgementsHaveNetlinksOfTheirOwn) {
  Machine machine("1x1x1");
  EXPECT_NEAR(put_rate(machine, 0, 1), 10.401 * 64 / 96, 0.001);
}

TEST(Bandwidth, NetlinkLeavesTheHostPortToTheOthers) {
  Machine machine("2x1x1");
  machine.put(0, 1, kLong);
  machine.put(2, 1, kLong);
  machine.run();
  // What comes to one NIC shares that NIC's cap.
  EXPECT_NEAR(steady_rate(machine.nic(1).requests), 8.32, 0.01);
}

TEST(Bandwidth, NetlinksRateIsAParameter) {
  corespec::Parameters parameters;
  parameters.netlink_bandwidth = 3e9;
  Machine machine("1x1x1", parameters);
  EXPECT_NEAR(put_rate(machine, 0, 1), 2.0, 0.001);
}

TEST(Bandwidth, LinksLimitPutsByTheirOwnRate) {
  Machine x("8x1x1");
  EXPECT_NEAR(put_rate(x, 0, 2), 9.375 * 64 / 96, 0.001);
  Machine y("1x8x1");
  EXPECT_NEAR(put_rate(y, 2, 4), 4.6875 * 64 / 96, 0.001);
}

TEST(Bandwidth, ALongGetIsLimitedByItsReplies) {
  Machine machine("8x1x1");
  machine.get(0, 2, kLong);
  machine.run();
  EXPECT_NEAR(steady_rate(machine.nic(0).responses), 9.375 * 64 / 81, 0.01);
}

TEST(Bandwidth, TheNicCapsPayload) {
  corespec::Parameters parameters;
  parameters.tile_host = 100e9;
  Machine machine("1x1x8", parameters);
  EXPECT_NEAR(put_rate(machine, 0, 2), 8.32, 0.001);
}

TEST(Bandwidth, TheNicCapsWhatArrives) {
  corespec::Parameters parameters;
  parameters.tile_host = 100e9;
  Machine machine("1x1x8", parameters);
  machine.put(machine.nid(0, 0, 1), 0, kLong);  // from either side
  machine.put(machine.nid(0, 0, 7), 0, kLong);
  machine.run();
  EXPECT_NEAR(steady_rate(machine.nic(0).requests), 8.32, 0.01);
}

TEST(Bandwidth, TheNicCapsSelfTraffic) {
  Machine machine("1x1x1");
  EXPECT_NEAR(put_rate(machine, 0, 0), 8.32, 0.001);
}

TEST(Bandwidth, TheDefaultOutstandingLimitFillsTheFarthestRoute) {
  Machine machine("hopper");
  const double rate = put_rate(machine, machine.nid(0, 0, 0), machine.nid(8, 4, 12));
  EXPECT_NEAR(rate, 4.6875 * 64 / 96, 0.001);  // a Y cable's
  Machine along_z("1x1x48");                   // 24 hops without a Y cable: Z cables
  EXPECT_NEAR(put_rate(along_z, 0, 48), 9.375 * 64 / 96, 0.07);
}

TEST(Bandwidth, ASmallOutstandingLimitSlowsFarPairs) {
  corespec::Parameters parameters;
  parameters.nic_window = 64;
  Machine machine("hopper", parameters);
  const double rate = put_rate(machine, machine.nid(0, 0, 0), machine.nid(8, 4, 12));
  // 4 KB per round trip: both ways 559 ns of ends and 24 hops, 2048 and 192 phits of 0.64 ns.
  const double round_trip = 2 * (559 + 24 * 105) + (2048 + 192) * 0.64;
  EXPECT_NEAR(rate, 4096 / round_trip, 0.001);
}

TEST(Bandwidth, AnOutstandingLimitOfOneSendsPacketByPacket) {
  corespec::Parameters parameters;
  parameters.nic_window = 1;
  Machine machine("1x1x1", parameters);
  machine.put(0, 1, 6400);
  machine.run();
  const auto& requests = machine.nic(1).requests;
  ASSERT_EQ(requests.size(), 100U);
  // 559 ns twice, 32 phits there and 3 back over the host port.
  EXPECT_EQ((requests[1].at - requests[0].at).ps(), 2 * 559000 + 9230 + 866);
}

TEST(Bandwidth, LongPutsBothWaysKeepTheirRates) {
  Machine machine("8x1x1");
  machine.put(0, 2, kLong);
  machine.put(2, 0, kLong);
  machine.run();
  // Each link carries 32 phits of requests and 3 of the other's acknowledgements per 64 bytes.
  EXPECT_NEAR(steady_rate(machine.nic(2).requests), 9.375 * 64 / 105, 0.03);
  EXPECT_NEAR(steady_rate(machine.nic(0).requests), 9.375 * 64 / 105, 0.03);
}

}  // namespace
}  // namespace gemini_test
