// Messages that overtake each other come in the order in which they were sent.
#include <algorithm>
#include <map>
#include <span>

#include "tests/nic/disorder.h"
#include "tests/support/disturbed_wire.h"

namespace nic_test {
namespace {

using castor_test::DisturbedWire;
using ugni::Transaction;
using ugni::TransactionKind;

/// Two sides with mailboxes for each other.
struct Connected {
  explicit Connected(std::uint16_t credits = 8, std::uint32_t largest = 1000) {
    one.connect(two);
    at_one = mailbox_of(one, credits, largest);
    at_two = mailbox_of(two, credits, largest);
    open(one, at_one, at_two);
    open(two, at_two, at_one);
  }
  static void open(const Side& side, gni_smsg_attr_t own, gni_smsg_attr_t peers) {
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(side.ep, &own, &peers));
  }
  /// The endpoint goes, whatever is under way, and a new one uses the same mailbox.
  static void reopen(Side& side, const Side& peer, const gni_smsg_attr_t& own,
                     const gni_smsg_attr_t& peers) {
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(side.ep));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, side.tx, &side.ep));
    side.bind(peer);
    open(side, own, peers);
  }

  Side one{1};
  Side two{2};
  gni_smsg_attr_t at_one{};
  gni_smsg_attr_t at_two{};
};

/// Message `number` of a side: of another length each.
std::vector<std::byte> message(std::uint32_t instance, std::uint32_t number) {
  return random_bytes(1 + (number * 37 + instance) % 900, number * 2 + instance);
}

gni_return_t send(const Side& side, std::vector<std::byte> bytes, std::uint32_t id) {
  return GNI_SmsgSendWTag(side.ep, bytes.data(), static_cast<std::uint32_t>(bytes.size()), nullptr,
                          0, id, static_cast<std::uint8_t>(id % 200));
}

/// Takes the next message, which has to be this one; false if there is none.
bool take(const Side& side, const std::vector<std::byte>& expected, std::uint32_t id) {
  void* data = nullptr;
  std::uint8_t tag = GNI_SMSG_ANY_TAG;
  if (GNI_SmsgGetNextWTag(side.ep, &data, &tag) != GNI_RC_SUCCESS) return false;
  EXPECT_EQ(0, std::memcmp(data, expected.data(), expected.size())) << "message " << id;
  EXPECT_EQ(id % 200, tag);
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(side.ep));
  return true;
}

TEST(OrderOfMessages, MessagesAndTheirEventsComeAsSent) {
  run_in_disorder([] {
    Connected both;
    constexpr std::uint32_t count = 200;
    Side* const sides[2] = {&both.one, &both.two};
    std::uint32_t sent[2] = {};
    std::uint32_t got[2] = {};
    std::uint32_t told[2] = {};
    std::uint32_t answered[2] = {};
    for (int i = 0; i < 100000 && (got[0] < count || got[1] < count); ++i) {
      for (std::size_t s = 0; s < 2; ++s) {
        const Side& side = *sides[s];
        const Side& peer = *sides[1 - s];
        gni_cq_entry_t entry = 0;
        while (GNI_CqGetEvent(side.tx, &entry) == GNI_RC_SUCCESS) ++answered[s];
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpSetEventData(side.ep, 0, sent[s]));
        if (sent[s] < count &&
            send(side, message(side.instance, sent[s]), sent[s]) == GNI_RC_SUCCESS) {
          ++sent[s];
        }
        while (GNI_CqGetEvent(side.rx, &entry) == GNI_RC_SUCCESS) {
          EXPECT_EQ(told[s]++, GNI_CQ_GET_INST_ID(entry));
          ASSERT_TRUE(take(side, message(peer.instance, got[s]), got[s]));
          ++got[s];
        }
      }
      sleep_us(0.2);
    }
    sleep_us(20);
    for (std::size_t s = 0; s < 2; ++s) {
      EXPECT_EQ(count, got[s]);
      gni_cq_entry_t entry = 0;
      while (GNI_CqGetEvent(sides[s]->tx, &entry) == GNI_RC_SUCCESS) ++answered[s];
      EXPECT_EQ(count, answered[s]);
    }
  });
}

TEST(OrderOfMessages, MessagesComeAsSentWhereTheMailboxIsOpenedMeanwhile) {
  run_in_disorder([] {
    Side side(1);
    Side peer(2);
    side.connect(peer);
    const gni_smsg_attr_t own = mailbox_of(side, 20, 1000);
    const gni_smsg_attr_t peers = mailbox_of(peer, 20, 1000);
    Connected::open(side, own, peers);
    for (std::uint32_t i = 0; i < 20; ++i) {
      ASSERT_EQ(GNI_RC_SUCCESS, send(side, message(1, i), i));
    }
    sleep_us(9);  // of the last message's last bytes there are some more to come
    Connected::open(peer, peers, own);
    sleep_us(20);
    for (std::uint32_t i = 0; i < 20; ++i) EXPECT_TRUE(take(peer, message(1, i), i));
  });
}

/// Those that are lost for good have no place among the others.
TEST(OrderOfMessages, MessagesComeAsSentWhereSomeAreLost) {
  for (const gni_smsg_type_t type : {GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT, GNI_SMSG_TYPE_MBOX}) {
    run_in_disorder(
        [type] {
          Side side(1);
          Side peer(2);
          side.connect(peer);
          const gni_smsg_attr_t own = mailbox_of(side, 8, 1000, type);
          const gni_smsg_attr_t peers = mailbox_of(peer, 8, 1000, type);
          Connected::open(side, own, peers);
          Connected::open(peer, peers, own);
          EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSetMaxRetrans(side.nic, 1));
          std::vector<std::uint32_t> got;
          std::vector<bool> lost(300, false);
          std::uint32_t sent = 0;
          std::uint32_t answered = 0;
          for (int i = 0; i < 100000 && answered < lost.size(); ++i) {
            if (sent < lost.size() && send(side, random_bytes(600, sent), sent) == GNI_RC_SUCCESS)
              ++sent;
            gni_cq_entry_t entry = 0;
            const gni_return_t code = GNI_CqGetEvent(side.tx, &entry);
            if (code != GNI_RC_NOT_DONE) {
              ++answered;
              lost[GNI_CQ_GET_MSG_ID(entry)] = code != GNI_RC_SUCCESS;
            }
            void* data = nullptr;
            while (GNI_SmsgGetNext(peer.ep, &data) == GNI_RC_SUCCESS) {
              std::uint32_t next = got.empty() ? 0 : got.back() + 1;
              const auto is = [&](std::uint32_t number) {
                const auto bytes = random_bytes(600, number);  // none reads past another one
                return std::memcmp(data, bytes.data(), bytes.size()) == 0;
              };
              while (next < sent && !is(next)) ++next;
              ASSERT_LT(next, sent)
                  << "none that was sent after message " << (got.empty() ? 0 : got.back());
              got.push_back(next);
              ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(peer.ep));
            }
            sleep_us(0.2);
          }
          const auto gone = static_cast<std::size_t>(std::count(lost.begin(), lost.end(), true));
          EXPECT_LT(10U, gone);
          EXPECT_EQ(lost.size(), got.size() + gone);
        },
        losing_one_in_three());
  }
}

/// A wire on which what `is_late` says takes 50 us longer, and a rank that runs `body`.
template <typename Body>
void run_with_late(const std::function<bool(const Transaction&)>& is_late, const Body& body) {
  corespec::EventSource source;
  TestMachine machine(1, free_software(), 4, [&](TestMachine& made) {
    source = made.clock->make_source();
    return std::make_unique<DisturbedWire>(made.wire, source, [&](const Transaction& each) {
      return DisturbedWire::Verdict{false, is_late(each) ? test_us(50) : Time()};
    });
  });
  machine.start(0, body);
  machine.run();
}

/// The same for all messages, or credits, that are sent while `late` holds.
template <typename Body>
void run_with_late(TransactionKind kind, const bool& late, const Body& body) {
  run_with_late([&, kind](const Transaction& each) { return late && each.kind == kind; }, body);
}

std::vector<std::byte> text(const char* of) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(of);
  return {bytes, bytes + std::strlen(of)};
}

TEST(OrderOfMessages, WhatAnEarlierConnectionHasSentIsNobodysHoweverLate) {
  bool late = false;
  run_with_late(TransactionKind::message, late, [&] {
    Connected both;
    ASSERT_EQ(GNI_RC_SUCCESS, send(both.one, text("first"), 0));
    sleep_us(10);
    ASSERT_TRUE(take(both.two, text("first"), 0));
    late = true;
    ASSERT_EQ(GNI_RC_SUCCESS, send(both.one, text("second"), 1));
    late = false;
    both.reopen(both.one, both.two, both.at_one, both.at_two);
    both.reopen(both.two, both.one, both.at_two, both.at_one);
    for (std::uint32_t i = 0; i < 3; ++i) {
      ASSERT_EQ(GNI_RC_SUCCESS, send(both.one, message(1, i), i));
    }
    sleep_us(100);
    for (std::uint32_t i = 3; i < 6; ++i) {
      ASSERT_EQ(GNI_RC_SUCCESS, send(both.one, message(1, i), i));
    }
    sleep_us(10);
    for (std::uint32_t i = 0; i < 6; ++i) EXPECT_TRUE(take(both.two, message(1, i), i));
    EXPECT_FALSE(take(both.two, {}, 0));
  });
}

/// It comes before those of the later connection, which take its place.
TEST(OrderOfMessages, ALaterConnectionsMessagesDoNotWaitForAnEarlierOnes) {
  bool late = false;
  run_with_late(TransactionKind::message, late, [&] {
    Connected both;
    ASSERT_EQ(GNI_RC_SUCCESS, send(both.one, text("first"), 0));
    ASSERT_EQ(GNI_RC_SUCCESS, send(both.one, text("second"), 1));
    both.reopen(both.one, both.two, both.at_one, both.at_two);
    late = true;
    for (std::uint32_t i = 0; i < 3; ++i) {
      ASSERT_EQ(GNI_RC_SUCCESS, send(both.one, message(1, i), i));
    }
    sleep_us(0.5);
    both.reopen(both.two, both.one, both.at_two, both.at_one);
    sleep_us(100);
    void* data = nullptr;
    while (GNI_SmsgGetNext(both.two.ep, &data) == GNI_RC_SUCCESS) {
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(both.two.ep));
    }
    late = false;
    for (std::uint32_t i = 3; i < 6; ++i) {
      ASSERT_EQ(GNI_RC_SUCCESS, send(both.one, message(1, i), i));
    }
    sleep_us(10);
    for (std::uint32_t i = 3; i < 6; ++i) EXPECT_TRUE(take(both.two, message(1, i), i));
  });
}

TEST(OrderOfMessages, CreditsOfAnEarlierConnectionAreNobodys) {
  bool late = false;
  run_with_late(TransactionKind::credit, late, [&] {
    Connected both(2);
    late = true;
    ASSERT_EQ(GNI_RC_SUCCESS, send(both.one, text("first"), 0));
    sleep_us(10);
    ASSERT_TRUE(take(both.two, text("first"), 0));  // its credit leaves
    late = false;
    both.reopen(both.one, both.two, both.at_one, both.at_two);
    both.reopen(both.two, both.one, both.at_two, both.at_one);
    ASSERT_EQ(GNI_RC_SUCCESS, send(both.one, message(1, 0), 0));
    ASSERT_EQ(GNI_RC_SUCCESS, send(both.one, message(1, 1), 1));
    sleep_us(100);
    EXPECT_EQ(GNI_RC_NOT_DONE, send(both.one, message(1, 2), 2));
    EXPECT_TRUE(take(both.two, message(1, 0), 0));
    sleep_us(10);
    EXPECT_EQ(GNI_RC_SUCCESS, send(both.one, message(1, 2), 2));
  });
}

/// Its other half was refused: nobody gets half a message.
TEST(OrderOfMessages, AMessageWhoseMemoryGoesMeanwhileIsNobodys) {
  run_in_disorder([] {
    Connected both;
    for (std::uint32_t i = 0; i < 6; ++i) {
      ASSERT_EQ(GNI_RC_SUCCESS, send(both.one, random_bytes(1000, i), i));
    }
    sleep_us(4);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(both.two.nic, &both.two.handle));
    std::uint32_t failed = 0;
    for (std::uint32_t i = 0; i < 6; ++i) {
      gni_cq_entry_t entry = 0;
      if (next_event(both.one.tx, entry) == GNI_RC_TRANSACTION_ERROR) ++failed;
    }
    EXPECT_LT(0U, failed);
    std::uint32_t got = 0;
    while (take(both.two, random_bytes(1000, got), got)) ++got;
    EXPECT_LE(got + failed, 6U);
  });
}

/// What came of it before its receiver went is not taken for a piece of what comes later.
TEST(OrderOfMessages, AMessageWhoseReceiverGoesMeanwhileIsNobodys) {
  TestMachine machine(2, free_software(), 4,
                      [](TestMachine& made) { return TestMachine::reordering(made, 2); });
  machine.wire.segment_bytes = 100;
  std::unique_ptr<Side> side;
  std::unique_ptr<Side> peer;
  const auto connect = [&](Side& one, const Side& two) {
    one.bind(two);
    gni_smsg_attr_t own = mailbox_of(*side, 4, 1000);
    gni_smsg_attr_t peers = mailbox_of(*peer, 4, 1000);
    Connected::open(one, &one == side.get() ? own : peers, &one == side.get() ? peers : own);
  };
  machine.start(1, [&] {
    peer = std::make_unique<Side>(2);
    sleep_us(10);
    connect(*peer, *side);
    sleep_until(test_us(23.5));  // some pieces are here
    peer.reset();
    sleep_until(test_us(50));
    peer = std::make_unique<Side>(3);
    connect(*peer, *side);
    sleep_until(test_us(80));
    EXPECT_TRUE(take(*peer, random_bytes(1000, 2), 1));
    EXPECT_FALSE(take(*peer, {}, 0));
  });
  machine.start(0, [&] {
    sleep_us(5);
    side = std::make_unique<Side>(1);
    sleep_us(10);
    connect(*side, *peer);
    sleep_until(test_us(20));
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, send(*side, random_bytes(1000, 1), 1));
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(side->tx, entry));
    sleep_until(test_us(60));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(side->ep));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side->nic, side->tx, &side->ep));
    connect(*side, *peer);
    EXPECT_EQ(GNI_RC_SUCCESS, send(*side, random_bytes(1000, 2), 1));
    EXPECT_EQ(GNI_RC_SUCCESS, next_event(side->tx, entry));
  });
  machine.run();
}

// ---- Shared message queues

using Delivered = std::vector<std::pair<std::uint32_t, std::vector<std::byte>>>;

int keep_message(std::uint32_t from, std::uint32_t, void* data, std::uint8_t tag, void* context) {
  const auto* const bytes = static_cast<const std::byte*>(data);
  static_cast<Delivered*>(context)->push_back({from, {bytes, bytes + tag}});
  return 1;
}

/// Messages of 1 to 120 bytes; their tag says how many.
std::vector<std::byte> queue_message(std::uint32_t from, std::uint32_t number) {
  return random_bytes(1 + (from + number * 7) % 120, number * 8 + from);
}

/// Two instances of a node, each sending to both, over the node's connection with itself.
TEST(OrderOfMessages, MessagesOfSharedQueuesComeAsSent) {
  for (const bool losing : {false, true}) {
    run_in_disorder(
        [] {
          constexpr std::uint32_t count = 60;
          Side one(1);
          Side two(2);
          Side* const sides[2] = {&one, &two};
          gni_msgq_attr_t attributes = {};
          attributes.max_msg_sz = 120;
          attributes.smsg_q_sz = 6;
          attributes.rcv_pool_sz = 8;
          attributes.num_msgq_eps = 1;
          attributes.nloc_insts = 2;
          attributes.rcv_cq_sz = 64;
          Delivered got[2];
          gni_msgq_handle_t queues[2] = {};
          gni_ep_handle_t to[2][2] = {};
          for (std::size_t i = 0; i < 2; ++i) {
            ASSERT_EQ(GNI_RC_SUCCESS, GNI_MsgqInit(sides[i]->nic, keep_message, &got[i],
                                                   sides[i]->tx, &attributes, &queues[i]));
            for (std::size_t j = 0; j < 2; ++j) {
              ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(sides[i]->nic, sides[i]->tx, &to[i][j]));
              ASSERT_EQ(GNI_RC_SUCCESS,
                        GNI_EpBind(to[i][j], one.address, static_cast<std::uint32_t>(j) + 1));
            }
          }
          for (std::uint32_t round = 0; round < 2; ++round) {  // connected anew in between
            gni_msgq_ep_attr_t told = {};
            ASSERT_EQ(GNI_RC_SUCCESS, GNI_MsgqGetConnAttrs(queues[0], one.address, &told, nullptr));
            ASSERT_EQ(GNI_RC_SUCCESS, GNI_MsgqConnect(queues[0], one.address, &told));
            std::uint32_t sent[2][2] = {};
            for (int i = 0; i < 100000 && (got[0].size() < 2 * count || got[1].size() < 2 * count);
                 ++i) {
              for (std::size_t from = 0; from < 2; ++from) {
                for (std::size_t at = 0; at < 2; ++at) {
                  if (sent[from][at] == count) continue;
                  auto bytes = queue_message(static_cast<std::uint32_t>(from) + 1, sent[from][at]);
                  const auto length = static_cast<std::uint32_t>(bytes.size());
                  if (GNI_MsgqSend(queues[from], to[from][at], bytes.data(), length, nullptr, 0, 0,
                                   static_cast<std::uint8_t>(length)) == GNI_RC_SUCCESS) {
                    ++sent[from][at];
                  }
                }
                gni_cq_entry_t entry = 0;
                while (GNI_CqGetEvent(sides[from]->tx, &entry) == GNI_RC_SUCCESS) continue;
                EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqProgress(queues[from], ~0U));
              }
              sleep_us(0.3);
            }
            for (Delivered& each : got) {
              ASSERT_EQ(2 * count, each.size());
              std::map<std::uint32_t, std::uint32_t> next;
              for (const auto& [from, bytes] : each) {
                EXPECT_EQ(queue_message(from, next[from]), bytes);
                ++next[from];
              }
              each.clear();
            }
            sleep_us(50);
            ASSERT_EQ(GNI_RC_SUCCESS, GNI_MsgqConnRelease(queues[0], one.address));
          }
        },
        losing ? losing_one_in_three() : free_software());
  }
}

}  // namespace
}  // namespace nic_test
