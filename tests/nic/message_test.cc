// Short messages: mailboxes, credits, order, tags, events.
#include "tests/nic/test_machine.h"
#include "ugni_emu/doors/doors.h"

namespace nic_test {
namespace {

void open_mailboxes(Side& one, Side& two, std::uint16_t credits = 4, std::uint32_t largest = 2000) {
  one.connect(two);
  gni_smsg_attr_t first = mailbox_of(one, credits, largest);
  gni_smsg_attr_t second = mailbox_of(two, credits, largest);
  ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(one.ep, &first, &second));
  ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(two.ep, &second, &first));
}

gni_return_t send(Side& side, std::uint32_t value, std::uint8_t tag = 0) {
  return GNI_SmsgSendWTag(side.ep, &value, sizeof value, nullptr, 0, value, tag);
}

/// Calls until the answer is another than NOT_DONE, for a while.
template <typename Call>
gni_return_t once_done(const Call& call) {
  gni_return_t code = call();
  for (int i = 0; i < 10000 && code == GNI_RC_NOT_DONE; ++i) {
    sleep_us(0.1);
    code = call();
  }
  return code;
}

std::uint32_t take(Side& side) {
  void* header = nullptr;
  std::uint32_t value = ~0U;
  if (once_done([&] { return GNI_SmsgGetNext(side.ep, &header); }) == GNI_RC_SUCCESS) {
    std::memcpy(&value, header, sizeof value);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(side.ep));
  }
  return value;
}

TEST(MessageTest, BufferSize) {
  gni_smsg_attr_t attr = {};
  unsigned size = 0;
  EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgBufferSizeNeeded(nullptr, &size));
  EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgBufferSizeNeeded(&attr, &size));
  attr.msg_type = GNI_SMSG_TYPE_MBOX;
  attr.mbox_maxcredit = 8;
  attr.msg_maxsize = 1000;
  EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgBufferSizeNeeded(&attr, nullptr));
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgBufferSizeNeeded(&attr, &size));
  EXPECT_LE(8U * 1000, size);
  attr.msg_maxsize = GNI_SMSG_MAX_SIZE + 1;
  EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgBufferSizeNeeded(&attr, &size));
}

TEST(MessageTest, InitCodes) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    gni_smsg_attr_t local = mailbox_of(side, 4, 100);
    gni_smsg_attr_t remote = mailbox_of(peer, 4, 100);
    EXPECT_EQ(GNI_RC_INVALID_STATE, GNI_SmsgInit(side.ep, &local, &remote));  // not bound
    void* header = nullptr;
    std::uint8_t tag = 0;
    side.bind(peer);
    EXPECT_EQ(GNI_RC_INVALID_STATE, GNI_SmsgGetNext(side.ep, &header));
    EXPECT_EQ(GNI_RC_INVALID_STATE, GNI_SmsgGetNextWTag(side.ep, &header, &tag));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgRelease(side.ep));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, send(side, 1));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgInit(nullptr, &local, &remote));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgInit(side.ep, nullptr, &remote));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgInit(side.ep, &local, nullptr));
    gni_smsg_attr_t bad = local;
    bad.mbox_offset = Side::memory_bytes - 100;  // reaches beyond the registration
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgInit(side.ep, &bad, &remote));
    bad = local;
    bad.mem_hndl = {5, 5};
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgInit(side.ep, &bad, &remote));
    bad = local;
    bad.buff_size = 100;  // not one message
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgInit(side.ep, &bad, &remote));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(side.ep, &local, &remote));
    EXPECT_EQ(GNI_RC_INVALID_STATE, GNI_SmsgInit(side.ep, &local, &remote));
    gni_ep_handle_t second = nullptr;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, side.tx, &second));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpBind(second, peer.address, 2));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgInit(second, &local, &remote));  // taken
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpUnbind(side.ep));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, send(side, 1));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(second, &local, &remote));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgSetMaxRetrans(nullptr, 1));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSetMaxRetrans(side.nic, 1));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgSetDeliveryMode(side.nic, 0x200));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgSetDeliveryMode(nullptr, 0));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSetDeliveryMode(side.nic, GNI_DLVMODE_IN_ORDER));
  });
}

TEST(MessageTest, SendCodes) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    open_mailboxes(side, peer, 2, 100);
    char data[200] = {};
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgSend(nullptr, data, 1, data, 1, 1));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgSend(side.ep, nullptr, 1, data, 1, 1));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgSend(side.ep, data, 1, nullptr, 1, 1));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_SmsgSendWTag(side.ep, data, 1, nullptr, 0, 1, GNI_SMSG_ANY_TAG));
    // 100 bytes and their header take two lines: there is room for 112.
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_SmsgSend(side.ep, data, 50, data, 63, 1));
    const Time arrival = now() + test_us(1.1);  // or later
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSend(side.ep, data, 50, data, 62, 1));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSend(side.ep, nullptr, 0, nullptr, 0, 2));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_SmsgSend(side.ep, data, 1, nullptr, 0, 3));
    std::uint32_t stalls = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetNicStat(side.nic, GNI_STAT_SMSG_MBOX_CREDITS_STALL, &stalls));
    EXPECT_EQ(1U, stalls);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_ResetNicStat(side.nic, GNI_STAT_SMSG_MBOX_CREDITS_STALL));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetNicStat(side.nic, GNI_STAT_SMSG_MBOX_CREDITS_STALL, &stalls));
    EXPECT_EQ(0U, stalls);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetNicStat(side.nic, GNI_NUM_STATS, &stalls));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_ResetNicStat(nullptr, GNI_STAT_SMSG_DLA_STALL));
    void* header = nullptr;
    const gni_return_t early = GNI_SmsgGetNext(peer.ep, &header);
    EXPECT_TRUE(is_before(arrival, GNI_RC_NOT_DONE, [&] { return early; }));
    if (early == GNI_RC_NOT_DONE) {
      EXPECT_EQ(GNI_RC_NOT_DONE, GNI_SmsgRelease(peer.ep));
    }
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgGetNext(peer.ep, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_SmsgGetNextWTag(peer.ep, &header, nullptr));
    sleep_us(10);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgGetNext(peer.ep, &header));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(peer.ep));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_SmsgRelease(peer.ep));          // no current message
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgGetNext(peer.ep, &header));  // the empty one
    EXPECT_NE(nullptr, header);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(peer.ep));
  });
}

TEST(MessageTest, OneTakenOutStaysAndItsPlaceIsFreed) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    open_mailboxes(side, peer, 2, 100);
    EXPECT_TRUE(doors::take_message(peer.ep).empty());  // there is none
    const auto bytes = random_bytes(300, 11);
    const std::span<const std::byte> all(bytes);
    std::array<ugni::Payload, 3> taken;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const auto part = all.subspan(100 * i, 100);
      // The credits of two have to come back for the third.
      ASSERT_EQ(GNI_RC_SUCCESS, once_done([&] {
                  return doors::send_message(side.ep, part.first(30), part.subspan(30), 0, nullptr);
                }));
      const ugni::PayloadBlock* message = nullptr;
      ASSERT_EQ(GNI_RC_SUCCESS, once_done([&] { return doors::next_message(peer.ep, message); }));
      taken[i] = doors::take_message(peer.ep);
      EXPECT_TRUE(doors::take_message(peer.ep).empty());  // it is out
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(peer.ep));
      EXPECT_EQ(GNI_RC_NOT_DONE, GNI_SmsgRelease(peer.ep));
    }
    for (std::size_t i = 0; i < taken.size(); ++i) {
      ASSERT_EQ(100U, taken[i].size());
      EXPECT_EQ(0, std::memcmp(bytes.data() + 100 * i, taken[i].bytes().data(), 100));
    }
  });
}

TEST(MessageTest, DataOrderTagsAndEvents) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    open_mailboxes(side, peer, 8, 5000);
    const auto bytes = random_bytes(4321, 9);  // five segments
    char head[] = "head";
    ASSERT_EQ(GNI_RC_SUCCESS,
              GNI_SmsgSendWTag(side.ep, head, sizeof head, const_cast<std::byte*>(bytes.data()),
                               4321, 0xABCD1234, 3));
    ASSERT_EQ(GNI_RC_SUCCESS, send(side, 55, 4));
    sleep_us(20);
    void* header = nullptr;
    std::uint8_t tag = 4;
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_SmsgGetNextWTag(peer.ep, &header, &tag));
    tag = GNI_SMSG_ANY_TAG;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgGetNextWTag(peer.ep, &header, &tag));
    EXPECT_EQ(3, tag);
    EXPECT_STREQ(head, static_cast<char*>(header));
    EXPECT_EQ(0, std::memcmp(bytes.data(), static_cast<char*>(header) + sizeof head, 4321));
    void* again = nullptr;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgGetNext(peer.ep, &again));  // current until released
    EXPECT_EQ(header, again);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(peer.ep));
    tag = 4;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgGetNextWTag(peer.ep, &header, &tag));
    gni_cq_entry_t entry = 0;
    for (std::uint32_t id : {0xABCD1234U, 55U}) {
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_CqGetEvent(side.tx, &entry));
      EXPECT_EQ(GNI_CQ_EVENT_TYPE_SMSG, GNI_CQ_GET_TYPE(entry));
      EXPECT_EQ(id, GNI_CQ_GET_MSG_ID(entry));
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_CqGetEvent(peer.rx, &entry));
      EXPECT_EQ(1U, GNI_CQ_GET_INST_ID(entry));
    }
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(peer.rx, &entry));
  });
}

TEST(MessageTest, CreditsRunOutAndComeBackInHalves) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    open_mailboxes(side, peer, 4);
    for (std::uint32_t i = 0; i < 4; ++i) ASSERT_EQ(GNI_RC_SUCCESS, send(side, i));
    EXPECT_EQ(GNI_RC_NOT_DONE, send(side, 4));
    EXPECT_EQ(0U, take(peer));
    sleep_us(10);
    EXPECT_EQ(GNI_RC_NOT_DONE, send(side, 4));  // one of four is not half
    EXPECT_EQ(1U, take(peer));
    sleep_us(10);
    EXPECT_EQ(1U, doors::statistics(peer.nic).credit_returns);
    EXPECT_EQ(GNI_RC_SUCCESS, send(side, 4));
    EXPECT_EQ(GNI_RC_SUCCESS, send(side, 5));
    EXPECT_EQ(GNI_RC_NOT_DONE, send(side, 6));
    for (std::uint32_t i = 2; i < 6; ++i) EXPECT_EQ(i, take(peer));
  });
}

TEST(MessageTest, ALongRunKeepsOrderBothWays) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    open_mailboxes(side, peer, 3, 64);
    std::uint32_t sent[2] = {0, 0};
    std::uint32_t got[2] = {0, 0};
    Side* sides[2] = {&side, &peer};
    while (got[0] < 500 || got[1] < 500) {
      for (int s = 0; s < 2; ++s) {
        gni_cq_entry_t entry = 0;
        while (GNI_CqGetEvent(sides[s]->tx, &entry) == GNI_RC_SUCCESS) {
        }
        if (sent[s] < 500 && send(*sides[s], sent[s]) == GNI_RC_SUCCESS) ++sent[s];
        void* header = nullptr;
        if (GNI_SmsgGetNext(sides[s]->ep, &header) != GNI_RC_SUCCESS) continue;
        std::uint32_t value = 0;
        std::memcpy(&value, header, sizeof value);
        ASSERT_EQ(got[s], value);
        ++got[s];
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(sides[s]->ep));
      }
      sleep_us(0.3);
    }
  });
}

TEST(MessageTest, AMessageMayBeEarlierThanTheMailbox) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.connect(peer);
    gni_smsg_attr_t local = mailbox_of(side, 4, 100);
    gni_smsg_attr_t remote = mailbox_of(peer, 4, 100);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(side.ep, &local, &remote));
    ASSERT_EQ(GNI_RC_SUCCESS, send(side, 123));
    sleep_us(10);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(peer.ep, &remote, &local));
    EXPECT_EQ(123U, take(peer));
  });
}

/// Three sides: `first` and `second` both take `peer`'s one mailbox for theirs.
struct SharedMailbox {
  SharedMailbox() {
    for (Side* side : {&first, &second}) {
      side->bind(peer);
      gni_smsg_attr_t own = mailbox_of(*side, 2, 100);
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(side->ep, &own, &at_peer));
    }
  }
  /// The mailbox becomes that of `side`'s messages.
  void open_for(Side& side) {
    peer.bind(side);
    gni_smsg_attr_t theirs = mailbox_of(side, 2, 100);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(peer.ep, &at_peer, &theirs));
  }
  void expect_nothing() {
    sleep_us(10);
    void* header = nullptr;
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_SmsgGetNext(peer.ep, &header));
  }

  Side first{1};
  Side second{2};
  Side peer{3};
  gni_smsg_attr_t at_peer = mailbox_of(peer, 2, 100);
};

TEST(MessageTest, EarlyMessagesOfOthersAreNobodys) {
  run_rank([] {
    SharedMailbox sides;
    ASSERT_EQ(GNI_RC_SUCCESS, send(sides.first, 1));
    ASSERT_EQ(GNI_RC_SUCCESS, send(sides.second, 2));
    ASSERT_EQ(GNI_RC_SUCCESS, send(sides.first, 3));
    sleep_us(10);
    sides.open_for(sides.second);
    EXPECT_EQ(2U, take(sides.peer));
    sides.expect_nothing();
  });
}

TEST(MessageTest, MessagesAndCreditsOfAnEarlierConnectionAreNobodys) {
  run_rank([] {
    SharedMailbox sides;
    sides.open_for(sides.first);
    ASSERT_EQ(GNI_RC_SUCCESS, send(sides.peer, 5));
    sleep_us(10);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpUnbind(sides.peer.ep));
    sides.open_for(sides.second);
    ASSERT_EQ(GNI_RC_SUCCESS, send(sides.first, 1));
    ASSERT_EQ(GNI_RC_SUCCESS, send(sides.second, 2));
    EXPECT_EQ(2U, take(sides.peer));
    sides.expect_nothing();
    EXPECT_EQ(5U, take(sides.first));  // which gives its credit back
    sleep_us(10);
    EXPECT_EQ(1U, doors::statistics(sides.first.nic).credit_returns);
    for (std::uint32_t i = 0; i < 2; ++i) EXPECT_EQ(GNI_RC_SUCCESS, send(sides.peer, i));
    EXPECT_EQ(GNI_RC_NOT_DONE, send(sides.peer, 2));
  });
}

TEST(MessageTest, NoMailboxMemoryNoMessage) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    open_mailboxes(side, peer);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(peer.nic, &peer.handle));
    ASSERT_EQ(GNI_RC_SUCCESS, send(side, 9));
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(side.tx, entry));
    EXPECT_EQ(9U, GNI_CQ_GET_MSG_ID(entry));
    void* header = nullptr;
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_SmsgGetNext(peer.ep, &header));
  });
}

TEST(MessageTest, FullQueueOfTheSenderMeansLater) {
  run_rank([] {
    Side side(1, 0, 0, 1);
    Side peer(2);
    open_mailboxes(side, peer, 4);
    ASSERT_EQ(GNI_RC_SUCCESS, send(side, 0));
    EXPECT_EQ(GNI_RC_NOT_DONE, send(side, 1));
    gni_cq_entry_t entry = 0;
    ASSERT_EQ(GNI_RC_SUCCESS, next_event(side.tx, entry));
    EXPECT_EQ(GNI_RC_SUCCESS, send(side, 1));
  });
}

TEST(MessageTest, UnequalMailboxes) {
  run_rank([] {
    Side side(1);
    Side peer(2);
    side.connect(peer);
    gni_smsg_attr_t small = mailbox_of(side, 1, 10);
    gni_smsg_attr_t large = mailbox_of(peer, 6, 500);
    large.buff_size /= 2;  // room for two only, whatever the credits say
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(side.ep, &small, &large));
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(peer.ep, &large, &small));
    char data[500] = {};
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_SmsgSend(peer.ep, data, 49, nullptr, 0, 0));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSend(peer.ep, data, 48, nullptr, 0, 0));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_SmsgSend(peer.ep, data, 10, nullptr, 0, 0));
    int sent = 0;
    while (GNI_SmsgSend(side.ep, data, 500, nullptr, 0, 0) == GNI_RC_SUCCESS) ++sent;
    EXPECT_EQ(2, sent);
  });
}

}  // namespace
}  // namespace nic_test
