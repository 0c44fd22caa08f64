// Chained posts: several transactions, one completion.
#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

/// The end of a chain is one event, and no more.
void expect_one_completion(const Side& side, const gni_post_descriptor_t& head,
                           gni_return_t result = GNI_RC_SUCCESS) {
  EXPECT_EQ(result, complete(side, head));
  sleep_us(100);
  gni_cq_entry_t event = 0;
  EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(side.tx, &event));
}

gni_ep_handle_t endpoint_to(const Side& side, const Side& peer) {
  gni_ep_handle_t ep = nullptr;
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, side.tx, &ep));
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, peer.address, peer.instance));
  return ep;
}

gni_ct_put_post_descriptor_t put_link(const Side& side, const Side& peer, std::uint64_t length,
                                      std::uint64_t from, std::uint64_t to) {
  return {nullptr,     endpoint_to(side, peer), length, peer.base() + to,
          peer.handle, side.base() + from};
}

TEST(Chain, PutsToSeveralPeersEndWithOneEvent) {
  run_rank([] {
    Side side(1, 0, 0, 1);  // room for one event
    Side peers[3] = {Side(2), Side(3), Side(4)};
    side.bind(peers[0]);
    auto head = side.descriptor(GNI_POST_FMA_PUT, peers[0], 3000, 0, 100);
    head.cq_mode = GNI_CQMODE_LOCAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
    auto second = put_link(side, peers[1], 5000, 8000, 200);
    auto third = put_link(side, peers[2], 0, 0, 300);
    auto fourth = put_link(side, peers[2], 17, 20001, 301);
    head.next_descr = &second;
    second.next_descr = &third;
    third.next_descr = &fourth;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_CtPostFma(side.ep, &head));
    expect_one_completion(side, head);
    EXPECT_EQ(0, std::memcmp(peers[0].memory.data() + 100, side.memory.data(), 3000));
    EXPECT_EQ(0, std::memcmp(peers[1].memory.data() + 200, side.memory.data() + 8000, 5000));
    EXPECT_EQ(0, std::memcmp(peers[2].memory.data() + 301, side.memory.data() + 20001, 17));
    for (const Side& peer : peers) {
      gni_cq_entry_t event = 0;
      EXPECT_EQ(GNI_RC_SUCCESS, next_event(peer.rx, event));
      EXPECT_EQ(1U, GNI_CQ_GET_INST_ID(event));
    }
  });
}

/// What libfabric does with a GET that is not aligned: its ends by themselves.
TEST(Chain, Gets) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    auto head = side.descriptor(GNI_POST_FMA_GET, peer, 400, 0, 1024);
    gni_ct_get_post_descriptor_t links[2] = {};
    for (int i = 0; i < 2; ++i) {
      const auto at = static_cast<std::uint64_t>(i);
      links[i] = {nullptr,     side.ep,
                  4,           peer.base() + 3000 + at * 8,
                  peer.handle, side.base() + 2000 + at * 100,
                  side.handle};
    }
    head.next_descr = &links[0];
    links[0].next_descr = &links[1];
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_CtPostFma(side.ep, &head));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_EpUnbind(side.ep));
    expect_one_completion(side, head);
    EXPECT_EQ(0, std::memcmp(side.memory.data(), peer.memory.data() + 1024, 400));
    EXPECT_EQ(0, std::memcmp(side.memory.data() + 2000, peer.memory.data() + 3000, 4));
    EXPECT_EQ(0, std::memcmp(side.memory.data() + 2100, peer.memory.data() + 3008, 4));
    links[1].local_addr += 2;
    EXPECT_EQ(GNI_RC_ALIGNMENT_ERROR, GNI_CtPostFma(side.ep, &head));
  });
}

TEST(Chain, Atomics) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    std::uint64_t words[2] = {5, 7};
    std::memcpy(peer.memory.data(), words, sizeof words);
    auto head = side.descriptor(GNI_POST_AMO, peer, 8);
    head.amo_cmd = GNI_FMA_ATOMIC_FADD;
    head.first_operand = 10;
    gni_ct_amo_post_descriptor_t link = {nullptr,     side.ep,
                                         8,           peer.base() + 8,
                                         peer.handle, side.base() + 8,
                                         side.handle, GNI_FMA_ATOMIC_CSWAP,
                                         7,           70};
    head.next_descr = &link;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_CtPostFma(side.ep, &head));
    expect_one_completion(side, head);
    EXPECT_EQ(0, std::memcmp(side.memory.data(), words, sizeof words));
    std::memcpy(words, peer.memory.data(), sizeof words);
    EXPECT_EQ(15U, words[0]);
    EXPECT_EQ(70U, words[1]);
  });
}

TEST(Chain, CqWrites) {
  run_rank([] {
    Side side(1);
    Side peers[2] = {Side(2), Side(3)};
    side.bind(peers[0]);
    auto head = side.descriptor(GNI_POST_CQWRITE, peers[0], 0);
    head.cqwrite_value = 11;
    gni_ct_cqw_post_descriptor_t link = {nullptr, endpoint_to(side, peers[1]), peers[1].handle, 12};
    head.next_descr = &link;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CtPostFma(side.ep, &head));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_CtPostCqWrite(side.ep, &head));
    expect_one_completion(side, head);
    for (std::uint64_t i = 0; i < 2; ++i) {
      gni_cq_entry_t event = 0;
      EXPECT_EQ(GNI_RC_SUCCESS, next_event(peers[i].rx, event));
      EXPECT_EQ(11 + i, GNI_CQ_GET_DATA(event));
    }
    head.type = GNI_POST_FMA_PUT;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CtPostCqWrite(side.ep, &head));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CtPostCqWrite(side.ep, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CtPostCqWrite(nullptr, &head));
  });
}

TEST(Chain, WhatIsWrongWithOneStopsAll) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    const auto before = peer.memory;
    auto head = side.descriptor(GNI_POST_FMA_PUT, peer, 64);
    auto link = put_link(side, peer, 64, 0, 0);
    head.next_descr = &link;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CtPostFma(side.ep, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CtPostFma(nullptr, &head));
    gni_ep_handle_t unbound = nullptr;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, side.tx, &unbound));
    for (const gni_ep_handle_t bad : {gni_ep_handle_t{}, unbound}) {
      auto wrong = link;
      wrong.ep_hndl = bad;
      head.next_descr = &wrong;
      EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CtPostFma(side.ep, &head));
    }
    head.next_descr = &link;
    head.dlvr_mode = GNI_DLVMODE_ORDERED_TAIL;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CtPostFma(side.ep, &head));
    head.dlvr_mode = GNI_DLVMODE_PERFORMANCE;
    for (const gni_post_type_t type : {GNI_POST_RDMA_PUT, GNI_POST_FMA_PUT_W_SYNCFLAG}) {
      head.type = type;
      EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CtPostFma(side.ep, &head));
    }
    head.type = GNI_POST_FMA_PUT;
    link.length = (std::uint64_t{1} << 30) - 63;
    EXPECT_EQ(GNI_RC_SIZE_ERROR, GNI_CtPostFma(side.ep, &head));
    Side shared(3, GNI_CDM_MODE_FMA_SHARED);
    shared.bind(peer);
    link.length = (1 << 20) - 63;
    EXPECT_EQ(GNI_RC_SIZE_ERROR, GNI_CtPostFma(shared.ep, &head));
    sleep_us(100);
    EXPECT_EQ(before, peer.memory);
    // What the target refuses fails the whole chain, when all of it has been answered.
    link.length = 64;
    link.remote_addr = peer.base() + Side::memory_bytes;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_CtPostFma(side.ep, &head));
    expect_one_completion(side, head, GNI_RC_TRANSACTION_ERROR);
  });
}

/// The domain goes while a chain is under way: nothing of it is left, and the next one is as ever.
TEST(Chain, ItsDomainMayGoMeanwhile) {
  run_rank([] {
    Side peer(2);
    for (int i = 0; i < 3; ++i) {
      Side side(1);
      side.bind(peer);
      auto head = side.descriptor(GNI_POST_FMA_PUT, peer, 4000);
      auto link = put_link(side, peer, 4000, 0, 8000);
      head.next_descr = &link;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_CtPostFma(side.ep, &head));
      if (i < 2) continue;
      expect_one_completion(side, head);
    }
  });
}

}  // namespace
}  // namespace nic_test
