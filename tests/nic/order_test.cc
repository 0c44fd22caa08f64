// Transfers that overtake each other, and pieces of one: what comes behind what all the same.
#include <algorithm>
#include <array>
#include <random>
#include <span>

#include "tests/nic/disorder.h"
#include "ugni_emu/doors/doors.h"
#include "ugni_emu/nic/piece_table.h"

namespace nic_test {
namespace {

using ugni::Transaction;
using ugni::TransactionKind;

// ---- What lands, flags, events

/// What is put into a landing region is there as a whole, and its event behind it.
TEST(Order, WhatLandsIsWholeWhenItsEventComes) {
  run_in_disorder([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    ASSERT_TRUE(doors::keep_payloads(peer.nic, peer.handle));
    constexpr std::uint32_t count = 20;
    constexpr std::uint32_t each = 2000;
    std::vector<gni_post_descriptor_t> puts(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpSetEventData(side.ep, 0, i));
      puts[i] = side.descriptor(GNI_POST_RDMA_PUT, peer, each - i, i * each, i * each);
      puts[i].cq_mode |= GNI_CQMODE_REMOTE_EVENT;
      ASSERT_EQ(GNI_RC_SUCCESS, post(side, puts[i]));
    }
    const auto expect_whole = [&](std::uint32_t which, std::span<const std::byte> bytes) {
      ASSERT_EQ(each - which, bytes.size());
      EXPECT_EQ(0, std::memcmp(bytes.data(), side.memory.data() + which * each, bytes.size()));
    };
    for (std::uint32_t told = 0; told < count;) {
      for (std::uint32_t which = 0; which < count; ++which) {
        const auto there = doors::landed(peer.nic, peer.base() + which * each);
        if (!there.empty()) expect_whole(which, there);
      }
      gni_cq_entry_t entry = 0;
      while (GNI_CqGetEvent(peer.rx, &entry) == GNI_RC_SUCCESS) {
        ++told;
        const auto which = static_cast<std::uint32_t>(GNI_CQ_GET_INST_ID(entry));
        const ugni::Payload landed = doors::take_landed(peer.nic, peer.base() + which * each);
        expect_whole(which, landed.bytes());
      }
      sleep_us(0.1);
      ASSERT_LT(now(), test_us(1000));
    }
  });
}

TEST(Order, AFlagComesBehindAllOfItsData) {
  run_in_disorder([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    for (std::uint32_t round = 0; round < 10; ++round) {
      constexpr std::uint64_t bytes = 3000;
      constexpr std::uint64_t flag_at = 40000;
      const auto data = random_bytes(bytes, 100 + round);
      auto put = side.descriptor(GNI_POST_FMA_PUT_W_SYNCFLAG, peer, bytes, 0, 8000);
      put.local_addr = reinterpret_cast<std::uint64_t>(data.data());
      put.sync_flag_addr = peer.base() + flag_at;
      put.sync_flag_value = 0x1000 + round;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
      std::uint64_t flag = 0;
      bool partly = false;
      for (int i = 0; i < 10000 && flag != put.sync_flag_value; ++i) {
        sleep_us(0.05);
        std::memcpy(&flag, peer.memory.data() + flag_at, sizeof flag);
        partly = partly || std::memcmp(peer.memory.data() + 8000, data.data(), bytes) != 0;
      }
      EXPECT_TRUE(partly);
      EXPECT_EQ(put.sync_flag_value, flag);
      EXPECT_EQ(0, std::memcmp(peer.memory.data() + 8000, data.data(), bytes));
      EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
    }
  });
}

/// Puts of another value each to the same word: the last one's is there in the end.
void put_one_after_the_other(std::uint16_t mode, int& other_ends) {
  Side side(1);
  Side peer(2);
  side.bind(peer);
  for (int round = 0; round < 20; ++round) {
    constexpr std::size_t count = 10;
    std::array<std::uint64_t, count> values{};
    std::array<gni_post_descriptor_t, count> puts{};
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = i + 1;
      puts[i] = side.descriptor(GNI_POST_FMA_PUT, peer, sizeof values[i]);
      puts[i].local_addr = reinterpret_cast<std::uint64_t>(&values[i]);
      puts[i].dlvr_mode = mode;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &puts[i]));
    }
    for (std::size_t i = 0; i < count; ++i) {
      gni_cq_entry_t entry = 0;
      gni_post_descriptor_t* found = nullptr;
      ASSERT_EQ(GNI_RC_SUCCESS, next_event(side.tx, entry));
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_GetCompleted(side.tx, entry, &found));
    }
    std::uint64_t last = 0;
    std::memcpy(&last, peer.memory.data(), sizeof last);
    if (last != count) ++other_ends;
  }
}

/// GNI promises an order of this delivery mode only.
TEST(Order, PutsInOrderKeepIt) {
  int other_ends = 0;
  run_in_disorder([&] { put_one_after_the_other(GNI_DLVMODE_PERFORMANCE, other_ends); });
  EXPECT_LT(20, other_ends);
  TestMachine machine(1, free_software(), 4,
                      [](TestMachine& made) { return TestMachine::reordering(made, 3); });
  other_ends = 0;
  machine.start(0, [&] { put_one_after_the_other(GNI_DLVMODE_IN_ORDER, other_ends); });
  machine.run();
  EXPECT_EQ(0, other_ends);
}

/// Random transfers both ways, each into a place of its own; all of them whole when their events
/// say so.
TEST(Order, TransfersAreWholeWhenTheyHaveEnded) {
  run_in_disorder([] {
    Side side(1);
    Side peer(2);
    side.bind(peer);
    std::vector<std::byte> mine = side.memory;
    std::vector<std::byte> theirs = peer.memory;
    std::vector<gni_post_descriptor_t> posts(40);
    for (std::size_t i = 0; i < posts.size(); ++i) {
      const gni_post_type_t types[] = {GNI_POST_FMA_PUT, GNI_POST_RDMA_PUT, GNI_POST_FMA_GET,
                                       GNI_POST_RDMA_GET};
      const gni_post_type_t type = types[i % 4];
      const std::uint64_t at = i * 1600;
      const std::uint64_t bytes = 4 * (1 + i * 97 % 400);
      posts[i] = side.descriptor(type, peer, bytes, at, at);
      const bool put = type == GNI_POST_FMA_PUT || type == GNI_POST_RDMA_PUT;
      ASSERT_EQ(GNI_RC_SUCCESS, post(side, posts[i]));
      auto& from = put ? mine : theirs;
      auto& to = put ? theirs : mine;
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), bytes,
                  to.begin() + static_cast<std::ptrdiff_t>(at));
    }
    for (std::size_t i = 0; i < posts.size(); ++i) {
      gni_cq_entry_t entry = 0;
      gni_post_descriptor_t* found = nullptr;
      ASSERT_EQ(GNI_RC_SUCCESS, next_event(side.tx, entry));
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_GetCompleted(side.tx, entry, &found));
      const std::uint64_t at = found->local_addr - side.base();
      EXPECT_EQ(0, std::memcmp(mine.data() + at, side.memory.data() + at, found->length));
      EXPECT_EQ(0, std::memcmp(theirs.data() + at, peer.memory.data() + at, found->length));
    }
    EXPECT_EQ(mine, side.memory);
    EXPECT_EQ(theirs, peer.memory);
  });
}

TEST(Order, AFencedPutIsThereBeforeTheNext) {
  run_in_disorder([] {
    Side side(1, GNI_CDM_MODE_BTE_SINGLE_CHANNEL);
    Side peer(2);
    side.bind(peer);
    for (int round = 0; round < 5; ++round) {
      auto first = side.descriptor(GNI_POST_RDMA_PUT, peer, 4000);
      auto second = side.descriptor(GNI_POST_RDMA_PUT, peer, 4000, 4000);
      first.rdma_mode = GNI_RDMAMODE_FENCE;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &first));
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostRdma(side.ep, &second));
      EXPECT_EQ(GNI_RC_SUCCESS, complete(side, first));
      EXPECT_EQ(GNI_RC_SUCCESS, complete(side, second));
      EXPECT_EQ(0, std::memcmp(side.memory.data() + 4000, peer.memory.data(), 4000));
    }
  });
}

// ---- Pieces

/// Transactions of three kinds and two senders, in pieces that come in any order among each
/// other's, but for the last one of each; some of the pieces have been refused.
TEST(Order, PiecesArePutTogetherByTransaction) {
  struct Sent {
    Transaction transaction;
    std::vector<std::byte> bytes;
    bool refused = false;
  };
  struct Piece {
    std::size_t of;
    std::uint64_t offset;
    std::uint64_t length;
    bool last;
  };
  constexpr std::uint64_t piece = 64;
  std::mt19937 random(7);
  ugni::PayloadPool pool;
  nic::PieceTable table;
  std::vector<Sent> all(60);
  std::vector<std::vector<Piece>> pieces;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Sent& sent = all[i];
    sent.bytes = random_bytes(100 + random() % 900, static_cast<unsigned>(i));
    sent.refused = i % 5 == 0;
    const TransactionKind kinds[] = {TransactionKind::put, TransactionKind::message,
                                     TransactionKind::datagram};
    sent.transaction.kind = kinds[i % 3];
    sent.transaction.length = sent.bytes.size();
    sent.transaction.source_instance = i % 2;
    // A datagram has a serial and no post.
    sent.transaction.initiator_key = i % 3 == 2 ? 0 : 1 + i / 6;
    sent.transaction.immediate[0] = i % 3 == 2 ? i / 6 : 0;
    auto& own = pieces.emplace_back();
    for (std::uint64_t at = 0; at < sent.bytes.size(); at += piece) {
      own.push_back({i, at, std::min<std::uint64_t>(piece, sent.bytes.size() - at), false});
    }
    std::shuffle(own.begin(), own.end(), random);
    own.back().last = true;
  }
  std::size_t whole = 0;
  std::size_t ended = 0;
  while (ended < all.size()) {
    auto& own = pieces[random() % pieces.size()];
    if (own.empty()) continue;
    const Piece next = own.front();
    own.erase(own.begin());
    const Sent& sent = all[next.of];
    const std::span<const std::byte> part(sent.bytes.data() + next.offset, next.length);
    ugni::Payload payload(pool, part);
    ugni::SegmentView segment{sent.transaction, next.offset, next.length, next.last, payload};
    // Of these, the last piece but one is refused.
    const bool taken = !sent.refused || own.size() != 1;
    const bool together = taken && table.put_together(pool, segment);
    EXPECT_EQ(next.last && !sent.refused, together);
    if (together) {
      ++whole;
      EXPECT_TRUE(std::ranges::equal(sent.bytes, payload.bytes()));
      EXPECT_EQ(sent.bytes.size(), segment.length);
    }
    if (next.last) {
      ++ended;
      table.end(segment);
    }
  }
  EXPECT_EQ(48U, whole);
  EXPECT_TRUE(table.empty());
}

}  // namespace
}  // namespace nic_test
