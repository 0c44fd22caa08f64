// Transactions that are lost on their way: errors that go away, messages sent again.
#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

corespec::Parameters losing_one_in(std::int64_t number) {
  corespec::Parameters parameters = free_software();
  parameters.lost_transactions = static_cast<decltype(parameters.lost_transactions)>(number);
  return parameters;
}

/// Posts until it does not fail; how often it has failed.
int post_until_done(const Side& side, gni_post_descriptor_t& descriptor) {
  for (int failures = 0;; ++failures) {
    EXPECT_EQ(GNI_RC_SUCCESS,
              descriptor.type == GNI_POST_CQWRITE  ? GNI_PostCqWrite(side.ep, &descriptor)
              : descriptor.type < GNI_POST_FMA_PUT ? GNI_PostRdma(side.ep, &descriptor)
                                                   : GNI_PostFma(side.ep, &descriptor));
    gni_cq_entry_t entry = 0;
    const gni_return_t taken = next_event(side.tx, entry);
    gni_post_descriptor_t* found = nullptr;
    EXPECT_EQ(taken, GNI_GetCompleted(side.tx, entry, &found));
    EXPECT_EQ(&descriptor, found);
    if (taken == GNI_RC_SUCCESS) return failures;
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, taken);
    std::uint32_t recoverable = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorRecoverable(entry, &recoverable));
    EXPECT_EQ(1U, recoverable);
    char text[256] = "";
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorStr(entry, text, sizeof text));
    EXPECT_NE(nullptr, std::strstr(text, "lost")) << text;
  }
}

TEST(Lost, APostThatIsRepeatedSucceedsAndHappensOnce) {
  run_rank(
      [] {
        Side side(1);
        Side peer(2);
        side.bind(peer);
        int failures = 0;
        for (int i = 0; i < 12; ++i) {
          for (const gni_post_type_t type :
               {GNI_POST_FMA_PUT, GNI_POST_RDMA_PUT, GNI_POST_FMA_GET, GNI_POST_RDMA_GET}) {
            const auto at = static_cast<std::uint64_t>(i) * 4096;
            auto move = side.descriptor(type, peer, 4000, at, at);
            side.memory[at + 8] ^= std::byte{0xFF};
            failures += post_until_done(side, move);
            EXPECT_EQ(0, std::memcmp(side.memory.data() + at, peer.memory.data() + at, 4000));
          }
          auto add = side.descriptor(GNI_POST_AMO, peer, 8, 0, 60000);
          add.amo_cmd = GNI_FMA_ATOMIC_ADD;
          add.first_operand = 1;
          std::uint64_t before = 0;
          std::uint64_t after = 0;
          std::memcpy(&before, peer.memory.data() + 60000, 8);
          failures += post_until_done(side, add);
          std::memcpy(&after, peer.memory.data() + 60000, 8);
          EXPECT_EQ(before + 1, after);
          auto write = side.descriptor(GNI_POST_CQWRITE, peer, 0);
          write.cqwrite_value = static_cast<std::uint64_t>(i);
          failures += post_until_done(side, write);
          gni_cq_entry_t event = 0;
          EXPECT_EQ(GNI_RC_SUCCESS, next_event(peer.rx, event));
          EXPECT_EQ(static_cast<std::uint64_t>(i), GNI_CQ_GET_DATA(event));
          EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(peer.rx, &event));
        }
        EXPECT_GT(failures, 5);
      },
      losing_one_in(3));
}

void open_small_mailboxes(Side& one, Side& two, std::uint16_t credits = 4,
                          std::uint32_t largest = 64) {
  one.connect(two);
  gni_smsg_attr_t attr[2] = {};
  Side* const sides[2] = {&one, &two};
  for (int i = 0; i < 2; ++i) {
    attr[i].msg_type = GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT;
    attr[i].msg_buffer = sides[i]->memory.data();
    attr[i].mem_hndl = sides[i]->handle;
    attr[i].mbox_maxcredit = credits;
    attr[i].msg_maxsize = largest;
    attr[i].buff_size = 16384;
  }
  ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(one.ep, &attr[0], &attr[1]));
  ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(two.ep, &attr[1], &attr[0]));
}

std::uint32_t statistic(const Side& side, gni_statistic_t which) {
  std::uint32_t value = 0;
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetNicStat(side.nic, which, &value));
  return value;
}

TEST(Lost, MessagesAreSentAgainInOrder) {
  run_rank(
      [] {
        Side side(1);
        Side peer(2);
        open_small_mailboxes(side, peer);
        constexpr std::uint32_t count = 100;
        std::uint32_t sent = 0;
        std::uint32_t got = 0;
        for (int i = 0; i < 100000 && got < count; ++i) {
          if (sent < count &&
              GNI_SmsgSend(side.ep, &sent, sizeof sent, nullptr, 0, sent) == GNI_RC_SUCCESS) {
            ++sent;
          }
          void* header = nullptr;
          if (GNI_SmsgGetNext(peer.ep, &header) == GNI_RC_SUCCESS) {
            EXPECT_EQ(0, std::memcmp(header, &got, sizeof got)) << got;
            ++got;
            EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(peer.ep));
          }
          sleep_us(0.3);
        }
        EXPECT_EQ(count, got);
        for (std::uint32_t i = 0; i < count; ++i) {  // one completion each, and no error
          gni_cq_entry_t event = 0;
          EXPECT_EQ(GNI_RC_SUCCESS, next_event(side.tx, event));
          EXPECT_EQ(i, GNI_CQ_GET_MSG_ID(event));
        }
        EXPECT_GT(statistic(side, GNI_STAT_SMSG_RETRANS_COUNT), 20U);
        EXPECT_GT(statistic(side, GNI_STAT_SMSG_RETRANS_STALL), 0U);
      },
      losing_one_in(2));
}

TEST(Lost, AMessageIsGivenUpAfterTheMostRetransmissions) {
  run_rank(
      [] {
        Side side(1);
        Side peer(2);
        open_small_mailboxes(side, peer);
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSetMaxRetrans(side.nic, 3));
        for (std::uint32_t i = 0; i < 20; ++i) {  // more than there are credits: none is used up
          ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgSend(side.ep, &i, sizeof i, nullptr, 0, 500 + i));
          gni_cq_entry_t event = 0;
          EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(side.tx, event));
          EXPECT_EQ(GNI_CQ_EVENT_TYPE_SMSG, GNI_CQ_GET_TYPE(event));
          EXPECT_EQ(500 + i, GNI_CQ_GET_MSG_ID(event));
          std::uint32_t recoverable = 0;
          EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorRecoverable(event, &recoverable));
          EXPECT_EQ(1U, recoverable);
        }
        EXPECT_EQ(60U, statistic(side, GNI_STAT_SMSG_RETRANS_COUNT));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_ResetNicStat(side.nic, GNI_STAT_SMSG_RETRANS_COUNT));
        EXPECT_EQ(0U, statistic(side, GNI_STAT_SMSG_RETRANS_COUNT));
        void* header = nullptr;
        EXPECT_EQ(GNI_RC_NOT_DONE, GNI_SmsgGetNext(peer.ep, &header));
      },
      losing_one_in(1));
}

/// A NIC whose network gives up `count` requests of a kind, after the first `spared`.
void run_giving_up(ugni::TransactionKind kind, int count, const std::function<void()>& body,
                   int spared = 0) {
  corespec::Parameters parameters = free_software();
  parameters.lost_packets = 1000;  // the NIC takes care
  TestMachine machine(1, parameters);
  machine.wire.loses = [=, come = 0](const ugni::Transaction& transaction) mutable {
    if (transaction.kind != kind) return false;
    ++come;
    return come > spared && come <= spared + count;
  };
  bool ended = false;
  machine.start(0, [&] {
    body();
    ended = true;
  });
  machine.run();
  EXPECT_TRUE(ended);
}

TEST(Lost, CreditsAreSentAgainTenTimes) {
  for (const bool for_good : {false, true}) {
    run_giving_up(ugni::TransactionKind::credit, for_good ? 11 : 10, [&] {
      Side side(1);
      Side peer(2);
      open_small_mailboxes(side, peer);  // of 4 credits, which come back two at a time
      for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSend(side.ep, &i, sizeof i, nullptr, 0, i));
      }
      std::uint32_t more = 4;
      EXPECT_EQ(GNI_RC_NOT_DONE, GNI_SmsgSend(side.ep, &more, sizeof more, nullptr, 0, more));
      sleep_us(5);
      void* message = nullptr;
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgGetNext(peer.ep, &message));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(peer.ep));
      }
      sleep_us(50);
      EXPECT_EQ(for_good ? GNI_RC_NOT_DONE : GNI_RC_SUCCESS,
                GNI_SmsgSend(side.ep, &more, sizeof more, nullptr, 0, more));
    });
  }
}

TEST(Lost, AMessageOfWhichSomePiecesHadComeIsWholeTheSecondTime) {
  run_giving_up(
      ugni::TransactionKind::message, 2,
      [] {
        Side side(1);
        Side peer(2);
        open_small_mailboxes(side, peer, 2, 2600);
        std::vector<std::byte> sent(2500);  // three pieces
        for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = std::byte(i * 31 + i / 256);
        for (const gni_return_t end : {GNI_RC_TRANSACTION_ERROR, GNI_RC_SUCCESS}) {
          EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSend(side.ep, sent.data(), 2500, nullptr, 0, 5));
          gni_cq_entry_t event = 0;
          EXPECT_EQ(end, next_event(side.tx, event));
        }
        void* message = nullptr;
        ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgGetNext(peer.ep, &message));
        EXPECT_EQ(0, std::memcmp(message, sent.data(), sent.size()));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(peer.ep));
        EXPECT_EQ(GNI_RC_NOT_DONE, GNI_SmsgGetNext(peer.ep, &message));
      },
      1);
}

TEST(Lost, DatagramsAreSentAgain) {
  run_giving_up(ugni::TransactionKind::datagram, 3, [] {
    Side side(1);
    Side peer(2);
    side.connect(peer);
    char out[2][8] = {};
    gni_post_state_t state = GNI_POST_ERROR;
    std::uint32_t address = 0, instance = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostData(peer.ep, const_cast<char*>("peer's"), 7, out[1], 8));
    sleep_us(20);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostData(side.ep, const_cast<char*>("side's"), 7, out[0], 8));
    constexpr auto no_time_out = static_cast<std::uint32_t>(-1);
    EXPECT_EQ(GNI_RC_SUCCESS,
              GNI_EpPostDataWait(side.ep, no_time_out, &state, &address, &instance));
    EXPECT_EQ(GNI_POST_COMPLETED, state);
    EXPECT_EQ(GNI_RC_SUCCESS,
              GNI_EpPostDataWait(peer.ep, no_time_out, &state, &address, &instance));
    EXPECT_EQ(GNI_POST_COMPLETED, state);
    EXPECT_STREQ("peer's", out[0]);
    EXPECT_STREQ("side's", out[1]);
  });
}

}  // namespace
}  // namespace nic_test
