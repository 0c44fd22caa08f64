// BTE channels: start-up, order, fences, to the nanosecond on a wire of fixed latency.
#include "tests/nic/test_machine.h"
#include "ugni_emu/doors/doors.h"

namespace nic_test {
namespace {

corespec::Parameters bte(std::int64_t channels) {
  corespec::Parameters parameters = free_software();
  parameters.bte_startup = Time::microseconds(1);
  parameters.bte_channels = channels;
  return parameters;
}

/// `times` are `expected` ns of the tests' time: exactly, or live at the earliest.
void expect_times(const std::vector<std::int64_t>& expected, const std::vector<Time>& times) {
  ASSERT_EQ(expected.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_TRUE(is_time(test_us(static_cast<double>(expected[i]) / 1000), times[i]));
  }
}

/// When each of `count` RDMA PUTs of 500 bytes, posted at once, is complete (from then on).
std::vector<Time> completion_times(int count, std::int64_t channels, std::uint16_t mode,
                                   std::uint32_t cdm_modes, doors::NicStatistics& statistics) {
  std::vector<Time> times;
  run_rank(
      [&] {
        Side side(1, cdm_modes, GNI_CQ_BLOCKING);
        Side peer(2);
        side.bind(peer);
        std::vector<gni_post_descriptor_t> puts(static_cast<std::size_t>(count),
                                                side.descriptor(GNI_POST_RDMA_PUT, peer, 500));
        const Time start = now();
        for (auto& put : puts) {
          put.rdma_mode = mode;
          ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &put));
        }
        for (int i = 0; i < count; ++i) {
          gni_cq_entry_t entry = 0;
          ASSERT_EQ(GNI_RC_SUCCESS, GNI_CqWaitEvent(side.tx, 1000, &entry));
          times.push_back(now() - start);
          gni_post_descriptor_t* found = nullptr;
          ASSERT_EQ(GNI_RC_SUCCESS, GNI_GetCompleted(side.tx, entry, &found));
          EXPECT_EQ(&puts[static_cast<std::size_t>(i)], found);
        }
        statistics = doors::statistics(side.nic);
      },
      bte(channels));
  return times;
}

// One descriptor: 1,000 start-up + 500 bytes + 2 x 1,000 latency.
TEST(FenceTest, OneChannelWorksInOrder) {
  doors::NicStatistics statistics;
  expect_times({3500, 5000, 6500}, completion_times(3, 1, 0, 0, statistics));
  EXPECT_EQ(0U, statistics.fence_stalls);
}

TEST(FenceTest, FencedDescriptorsWaitForTheAnswers) {
  doors::NicStatistics statistics;
  expect_times({3500, 7000, 10500}, completion_times(3, 1, GNI_RDMAMODE_FENCE, 0, statistics));
  EXPECT_GE(2U, statistics.fence_stalls);
  if (live()) return;
  EXPECT_EQ(2U, statistics.fence_stalls);  // nothing was waiting behind the third
  EXPECT_EQ(Time::nanoseconds(4000).ps(), statistics.fence_stalled.ps());
}

TEST(FenceTest, ChannelsWorkSideBySide) {
  doors::NicStatistics statistics;
  expect_times({3500, 3500, 3500}, completion_times(3, 4, GNI_RDMAMODE_FENCE, 0, statistics));
  EXPECT_EQ(0U, statistics.fence_stalls);
}

TEST(FenceTest, SingleChannelModeUsesOneOfThem) {
  doors::NicStatistics statistics;
  expect_times({3500, 5000, 6500},
               completion_times(3, 4, 0, GNI_CDM_MODE_BTE_SINGLE_CHANNEL, statistics));
}

TEST(FenceTest, FenceWaitsForEarlierPostsToo) {
  run_rank(
      [] {
        Side side(1, 0, GNI_CQ_BLOCKING);
        Side peer(2);
        side.bind(peer);
        // A long GET first: its request is out at once, its data come late.
        auto get = side.descriptor(GNI_POST_RDMA_GET, peer, 4000, 8000, 0);
        auto put = side.descriptor(GNI_POST_RDMA_PUT, peer, 100, 0, 20000);
        auto flag = side.descriptor(GNI_POST_RDMA_PUT, peer, 4, 0, 30000);
        put.rdma_mode = GNI_RDMAMODE_FENCE;
        const Time start = now();
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &get));
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &put));
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &flag));
        gni_cq_entry_t entry = 0;
        for (int i = 0; i < 3; ++i) {
          ASSERT_EQ(GNI_RC_SUCCESS, GNI_CqWaitEvent(side.tx, 1000, &entry));
        }
        // The fenced put: start 1,000 + 1,000, sent at 2,100, answered at 4,100; then the flag.
        EXPECT_TRUE(is_time(test_us(4.1 + 1 + 0.004 + 2), now() - start));
      },
      bte(1));
}

TEST(FenceTest, LeastLoadedChannelIsTaken) {
  run_rank(
      [] {
        Side side(1, 0, GNI_CQ_BLOCKING);
        Side peer(2);
        side.bind(peer);
        auto big = side.descriptor(GNI_POST_RDMA_PUT, peer, 50000);
        auto small = side.descriptor(GNI_POST_RDMA_PUT, peer, 100);
        const Time start = now();
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &big));  // one channel for 51 us
        gni_cq_entry_t entry = 0;
        for (int i = 0; i < 3; ++i) {
          ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &small));
          ASSERT_EQ(GNI_RC_SUCCESS, GNI_CqWaitEvent(side.tx, 1000, &entry));
          gni_post_descriptor_t* found = nullptr;
          EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetCompleted(side.tx, entry, &found));
          EXPECT_TRUE(is_before(start + test_us(53), &small, [&] { return found; }));
        }
        EXPECT_TRUE(is_time(test_us(3 * 3.1), now() - start));  // always the free one
      },
      bte(2));
}

TEST(FenceTest, WhatADomainHasQueuedGoesWithIt) {
  TestMachine machine(1, bte(1));
  machine.start(0, [&] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    std::vector<gni_post_descriptor_t> puts(3, side.descriptor(GNI_POST_RDMA_PUT, peer, 500));
    for (auto& put : puts) ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &put));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(side.cdm));
    EXPECT_EQ(0U, machine.wire.prepared);
  });
  machine.run();
}

TEST(FenceTest, DeregisteringUnderTheEngineIsAnError) {
  run_rank(
      [] {
        Side side(1);
        Side peer(2);
        side.bind(peer);
        auto put = side.descriptor(GNI_POST_RDMA_PUT, peer, 5000);
        put.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
        const auto before = peer.memory;
        const Time read = now() + test_us(1 + 5);  // the last of it, at the earliest
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &put));
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(side.nic, &side.handle));
        const bool in_time = now() < read;
        const gni_return_t result = complete(side, put);
        if (in_time) {
          EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, result);
          gni_cq_entry_t entry = 0;
          EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(peer.rx, &entry));
          EXPECT_EQ(before, peer.memory);
        }
      },
      bte(1));
}

}  // namespace
}  // namespace nic_test
