// Event words, remote events and CQ writes.
#include "tests/nic/test_machine.h"
#include "ugni_emu/doors/doors.h"

namespace nic_test {
namespace {

TEST(RemoteEventTest, EventWords) {
  run_rank([] {
    Side side(11);
    Side peer(22);
    side.bind(peer);
    for (const bool set : {false, true}) {
      if (set) {
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpSetEventData(side.ep, 0xAAAAAAAA, 0xBBBBBBBB));
      }
      for (gni_post_type_t type : {GNI_POST_FMA_PUT, GNI_POST_FMA_GET}) {
        auto descriptor = side.descriptor(type, peer, 64);
        descriptor.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &descriptor));
        gni_cq_entry_t remote = 0;
        ASSERT_EQ(GNI_RC_SUCCESS, next_event(peer.rx, remote));
        EXPECT_EQ(set ? 0xBBBBBBBB : 11U, GNI_CQ_GET_INST_ID(remote));
        EXPECT_EQ(set ? 0xBBBBBBBB : 11U, GNI_CQ_GET_REM_INST_ID(remote));
        EXPECT_EQ(1U, GNI_CQ_GET_SOURCE(remote));
        gni_cq_entry_t local = 0;
        ASSERT_EQ(GNI_RC_SUCCESS, next_event(side.tx, local));
        EXPECT_EQ(set ? 0xAAAAAAAA : 22U, GNI_CQ_GET_INST_ID(local));
        EXPECT_EQ(0U, GNI_CQ_GET_SOURCE(local));
        gni_post_descriptor_t* found = nullptr;
        EXPECT_EQ(GNI_RC_DESCRIPTOR_ERROR, GNI_GetCompleted(side.tx, remote, &found));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetCompleted(side.tx, local, &found));
        EXPECT_EQ(&descriptor, found);
      }
    }
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqTestEvent(peer.rx));
  });
}

TEST(RemoteEventTest, CqWriteCarries48Bits) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    std::mt19937_64 generator(5);
    for (int i = 0; i < 20; ++i) {
      auto write = side.descriptor(GNI_POST_CQWRITE, peer, 0);
      write.cqwrite_value = generator();
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostCqWrite(side.ep, &write));
      gni_cq_entry_t entry = 0;
      ASSERT_EQ(GNI_RC_SUCCESS, next_event(peer.rx, entry));
      EXPECT_EQ(write.cqwrite_value & 0xFFFFFFFFFFFF, GNI_CQ_GET_DATA(entry));
      ASSERT_EQ(GNI_RC_SUCCESS, next_event(side.tx, entry));
      EXPECT_EQ(2U, GNI_CQ_GET_INST_ID(entry));
      gni_post_descriptor_t* found = nullptr;
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetCompleted(side.tx, entry, &found));
      EXPECT_EQ(&write, found);
    }
  });
}

TEST(RemoteEventTest, CqWriteToSelfAndToMemoryWithoutAQueue) {
  run_rank([] {
    Side side(1);
    side.bind(side);
    auto write = side.descriptor(GNI_POST_CQWRITE, side, 0);
    write.cqwrite_value = 7;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostCqWrite(side.ep, &write));
    gni_cq_entry_t entry = 0;
    ASSERT_EQ(GNI_RC_SUCCESS, next_event(side.rx, entry));
    EXPECT_EQ(7U, GNI_CQ_GET_DATA(entry));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, write));
    ASSERT_EQ(GNI_RC_SUCCESS,
              GNI_MemRegister(side.nic, side.base(), 64, nullptr, 0, 0, &write.remote_mem_hndl));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostCqWrite(side.ep, &write));
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, complete(side, write));
  });
}

TEST(RemoteEventTest, CqWriteCodes) {
  run_rank([] {
    Side side(1, 0, 0, 1);
    auto write = side.descriptor(GNI_POST_CQWRITE, side, 0);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostCqWrite(side.ep, &write));
    side.bind(side);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_PostCqWrite(nullptr, &write));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostCqWrite(side.ep, &write));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_PostCqWrite(side.ep, &write));  // one slot only
  });
}

TEST(RemoteEventTest, StatisticsAndArrivalSignal) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    const std::uint64_t side_epoch = doors::arrival_signal(side.nic).epoch();
    const std::uint64_t peer_epoch = doors::arrival_signal(peer.nic).epoch();
    auto put = side.descriptor(GNI_POST_FMA_PUT, peer, 64);
    put.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
    auto rdma = side.descriptor(GNI_POST_RDMA_PUT, peer, 64);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &rdma));
    auto write = side.descriptor(GNI_POST_CQWRITE, peer, 0);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostCqWrite(side.ep, &write));
    const doors::NicStatistics& own = doors::statistics(side.nic);
    for (int i = 0; i < 500 && looking([&] { return own.local_events; }) < 3; ++i) sleep_us(20);
    EXPECT_EQ(1U, own.fma_descriptors);
    EXPECT_EQ(1U, own.bte_descriptors);
    EXPECT_EQ(1U, own.cq_writes);
    EXPECT_EQ(3U, own.local_events);
    EXPECT_EQ(0U, own.remote_events);
    EXPECT_EQ(0U, own.errors);
    EXPECT_EQ(2U, doors::statistics(peer.nic).remote_events);
    EXPECT_EQ(side_epoch + 3, doors::arrival_signal(side.nic).epoch());
    EXPECT_EQ(peer_epoch + 2, doors::arrival_signal(peer.nic).epoch());
  });
}

TEST(RemoteEventTest, FmaCostsByStore) {
  if (live()) GTEST_SKIP() << "live it costs what it costs";
  corespec::Parameters parameters = free_software();
  parameters.fma_post = Time::nanoseconds(60);
  parameters.fma_store = Time::nanoseconds(8);
  parameters.bte_post = Time::nanoseconds(250);
  run_rank(
      [] {
        Side side(1);
        Side peer(2);
        side.bind(peer);
        auto cost = [&](auto call, gni_post_type_t type, std::uint64_t length) {
          auto descriptor = side.descriptor(type, peer, length);
          descriptor.cq_mode = 0;
          const Time start = now();
          EXPECT_EQ(GNI_RC_SUCCESS, call(side.ep, &descriptor));
          return (now() - start).ps() / 1000;
        };
        EXPECT_EQ(60, cost(GNI_PostFma, GNI_POST_FMA_PUT, 0));
        EXPECT_EQ(68, cost(GNI_PostFma, GNI_POST_FMA_PUT, 64));
        EXPECT_EQ(76, cost(GNI_PostFma, GNI_POST_FMA_PUT, 65));
        EXPECT_EQ(68, cost(GNI_PostFma, GNI_POST_FMA_GET, 64));
        EXPECT_EQ(250, cost(GNI_PostRdma, GNI_POST_RDMA_PUT, 60000));
        EXPECT_EQ(60, cost(GNI_PostCqWrite, GNI_POST_CQWRITE, 0));
      },
      parameters);
}

}  // namespace
}  // namespace nic_test
