// Shared message queues (MSGQ): a queue of the node, connections, messages, credits.
#include <string>

#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

constexpr auto at_once = static_cast<std::uint32_t>(-1);

/// What a queue's callback got.
struct Got {
  std::uint32_t id;
  std::uint32_t pe;
  std::string text;
  std::uint8_t tag;
  bool operator==(const Got&) const = default;
};
struct Inbox {
  std::vector<Got> got;
  std::size_t length = 0;  ///< of each message
  bool goes_on = true;     ///< what the callback says
};

int receive(std::uint32_t id, std::uint32_t pe, void* message, std::uint8_t tag, void* context) {
  auto& inbox = *static_cast<Inbox*>(context);
  inbox.got.push_back({id, pe, {static_cast<const char*>(message), inbox.length}, tag});
  return inbox.goes_on ? 1 : 0;
}

gni_msgq_attr_t attributes_for(std::uint32_t instances) {
  gni_msgq_attr_t attributes = {};
  attributes.max_msg_sz = 100;
  attributes.smsg_q_sz = 4;
  attributes.rcv_pool_sz = 4;
  attributes.num_msgq_eps = 2;
  attributes.nloc_insts = instances;
  attributes.modes = GNI_MSGQ_MODE_BLOCKING;
  attributes.rcv_cq_sz = 8;
  return attributes;
}

/// A side with a queue.
struct QueueSide : Side {
  explicit QueueSide(std::uint32_t id, gni_msgq_attr_t attributes = attributes_for(1)) : Side(id) {
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqInit(nic, receive, &inbox, tx, &attributes, &queue));
    inbox.length = 5;
  }
  gni_msgq_ep_attr_t reserve(std::uint32_t peer) const {
    gni_msgq_ep_attr_t told = {};
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqGetConnAttrs(queue, peer, &told, nullptr));
    return told;
  }
  gni_return_t send(const std::string& text, std::uint32_t id = 0, std::uint8_t tag = 0) const {
    std::string head = text.substr(0, 2);
    std::string rest = text.substr(2);
    return GNI_MsgqSend(queue, ep, head.data(), 2, rest.data(),
                        static_cast<std::uint32_t>(rest.size()), id, tag);
  }
  /// Sends, and takes the local event.
  void deliver(const std::string& text, std::uint32_t id = 7, std::uint8_t tag = 0) const {
    EXPECT_EQ(GNI_RC_SUCCESS, send(text, id, tag));
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, next_event(tx, entry));
    EXPECT_EQ(GNI_CQ_EVENT_TYPE_MSGQ, GNI_CQ_GET_TYPE(entry));
    EXPECT_EQ(id, GNI_CQ_GET_MSG_ID(entry));
  }
  gni_return_t progress(std::uint32_t timeout = at_once) const {
    return GNI_MsgqProgress(queue, timeout);
  }

  Inbox inbox;
  gni_msgq_handle_t queue = nullptr;
};

/// Connects the queue of a node with itself.
void connect_within(const QueueSide& side) {
  gni_msgq_ep_attr_t told = side.reserve(side.address);
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqConnect(side.queue, side.address, &told));
}

/// Two ranks of two nodes, which connect their queues.
class Pair {
 public:
  /// On the thread of rank 0 or 1; the other one may still be about to connect.
  QueueSide& make(int rank) {
    side_[rank] = std::make_unique<QueueSide>(static_cast<std::uint32_t>(10 + rank));
    QueueSide& side = *side_[rank];
    told_[rank] = side.reserve(1 - side.address);
    reserved_[rank].open();
    reserved_[1 - rank].await();
    side.bind(*side_[1 - rank]);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqConnect(side.queue, 1 - side.address, &told_[1 - rank]));
    return side;
  }

 private:
  std::unique_ptr<QueueSide> side_[2];
  gni_msgq_ep_attr_t told_[2] = {};
  Gate reserved_[2];
};

TEST(MessageQueueTest, CodesOfInitAndSize) {
  run_rank([] {
    Side side(1);
    Side other(2);
    Inbox inbox;
    gni_msgq_attr_t good = attributes_for(1);
    gni_msgq_handle_t queue = nullptr;
    const auto init = [&](gni_msgq_attr_t attributes) {
      return GNI_MsgqInit(side.nic, receive, &inbox, side.tx, &attributes, &queue);
    };
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqInit(nullptr, receive, &inbox, side.tx, &good, &queue));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MsgqInit(side.nic, nullptr, &inbox, side.tx, &good, &queue));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MsgqInit(side.nic, receive, &inbox, nullptr, &good, &queue));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MsgqInit(side.nic, receive, &inbox, other.tx, &good, &queue));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MsgqInit(side.nic, receive, &inbox, side.rx, &good, &queue));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MsgqInit(side.nic, receive, &inbox, side.tx, nullptr, &queue));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MsgqInit(side.nic, receive, &inbox, side.tx, &good, nullptr));
    using Change = void (*)(gni_msgq_attr_t&);
    for (const Change change : std::initializer_list<Change>{
             [](auto& a) { a.max_msg_sz = 0; }, [](auto& a) { a.max_msg_sz = 129; },
             [](auto& a) { a.smsg_q_sz = 0; }, [](auto& a) { a.smsg_q_sz = 3; },
             [](auto& a) { a.nloc_insts = 0; }, [](auto& a) { a.nloc_insts = 129; },
             [](auto& a) { a.modes = 2; }}) {
      gni_msgq_attr_t bad = good;
      change(bad);
      std::uint32_t size = 0;
      EXPECT_EQ(GNI_RC_INVALID_PARAM, init(bad));
      EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqSize(&bad, &size));
    }
    EXPECT_EQ(nullptr, queue);
    std::uint32_t size = 0;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqSize(nullptr, &size));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqSize(&good, nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqSize(&good, &size));
    EXPECT_EQ(2U << 20, size);
    gni_msgq_attr_t large = good;
    large.num_msgq_eps = 1000;
    large.smsg_q_sz = 100;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqSize(&large, &size));
    EXPECT_LT(1000U * 100 * 100, size);
    EXPECT_EQ(0U, size % (2 << 20));
    EXPECT_EQ(GNI_RC_SUCCESS, init(good));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_CqDestroy(side.tx));  // it is in use
    EXPECT_EQ(GNI_RC_INVALID_STATE, init(good));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqRelease(queue));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqRelease(queue));
    EXPECT_EQ(GNI_RC_SUCCESS, init(good));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(side.cdm));  // the queue goes with it
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqIdle(queue));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqInit(other.nic, receive, &inbox, other.tx, &large, &queue));
  });
}

TEST(MessageQueueTest, AllOfANodeHaveEqualAttributes) {
  run_rank([] {
    Inbox inbox;
    gni_msgq_attr_t two = attributes_for(2);
    QueueSide first(1, two);
    Side second(2);
    gni_msgq_handle_t queue = nullptr;
    const auto init = [&](const Side& side, gni_msgq_attr_t attributes) {
      return GNI_MsgqInit(side.nic, receive, &inbox, side.tx, &attributes, &queue);
    };
    using Change = void (*)(gni_msgq_attr_t&);
    for (const Change change : std::initializer_list<Change>{
             [](auto& a) { ++a.max_msg_sz; }, [](auto& a) { a.smsg_q_sz += 2; },
             [](auto& a) { ++a.rcv_pool_sz; }, [](auto& a) { ++a.num_msgq_eps; },
             [](auto& a) { ++a.nloc_insts; }, [](auto& a) { a.modes = 0; },
             [](auto& a) { ++a.rcv_cq_sz; }}) {
      gni_msgq_attr_t other = two;
      change(other);
      EXPECT_EQ(GNI_RC_INVALID_STATE, init(second, other));
    }
    gni_msgq_ep_attr_t told = {};
    EXPECT_EQ(GNI_RC_INVALID_STATE,  // one is still missing
              GNI_MsgqGetConnAttrs(first.queue, 5, &told, nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, init(second, two));
    Side third(3);
    gni_msgq_handle_t of_second = queue;
    EXPECT_EQ(GNI_RC_INVALID_STATE, init(third, two));  // they are only two
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqRelease(of_second));
    EXPECT_EQ(GNI_RC_SUCCESS, init(third, two));
    std::uint32_t size = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqGetConnAttrs(first.queue, 5, &told, &size));
    EXPECT_EQ(2U, told.num_insts);
    EXPECT_EQ(offsetof(gni_msgq_ep_attr_t, insts) + 2 * sizeof(gni_msgq_rem_inst_t), size);
    EXPECT_EQ(first.address, told.pe_addr);
    EXPECT_EQ(100U, told.max_msg_sz);
    EXPECT_EQ(4U, told.smsg_q_sz);
    EXPECT_EQ(1U, told.insts[0].id);
    EXPECT_EQ(3U, told.insts[1].id);
  });
}

TEST(MessageQueueTest, CodesOfConnections) {
  run_rank([] {
    QueueSide side(1);
    gni_msgq_ep_attr_t told = {};
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqGetConnAttrs(nullptr, 0, &told, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqGetConnAttrs(side.queue, 0, nullptr, nullptr));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_MsgqConnRelease(side.queue, 0));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqGetConnAttrs(side.queue, 0, &told, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_STATE, GNI_MsgqGetConnAttrs(side.queue, 0, &told, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqConnect(nullptr, 0, &told));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqConnect(side.queue, 0, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqConnect(side.queue, 1, &told));  // another PE's
    using Change = void (*)(gni_msgq_ep_attr_t&);
    for (const Change change : std::initializer_list<Change>{
             [](auto& a) { a.max_msg_sz = 129; }, [](auto& a) { a.smsg_q_sz = 0; },
             [](auto& a) { a.num_insts = 0; }, [](auto& a) { a.num_insts = 129; }}) {
      gni_msgq_ep_attr_t bad = told;
      change(bad);
      EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqConnect(side.queue, 0, &bad));
    }
    gni_msgq_ep_attr_t elsewhere = told;
    elsewhere.pe_addr = 9;
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_MsgqConnect(side.queue, 9, &elsewhere));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqConnect(side.queue, 0, &told));
    EXPECT_EQ(GNI_RC_INVALID_STATE, GNI_MsgqConnect(side.queue, 0, &told));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqGetConnAttrs(side.queue, 8, &told, nullptr));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_MsgqGetConnAttrs(side.queue, 9, &told, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqConnRelease(nullptr, 0));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqConnRelease(side.queue, 0));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqGetConnAttrs(side.queue, 9, &told, nullptr));
  });
}

TEST(MessageQueueTest, CodesOfSendAndProgress) {
  run_rank([] {
    gni_msgq_attr_t polled = attributes_for(1);
    polled.modes = 0;
    QueueSide side(1, polled);
    Side other(2);
    std::array<char, 128> data{};
    const auto send = [&](std::uint32_t head, std::uint32_t rest) {
      return GNI_MsgqSend(side.queue, side.ep, data.data(), head, data.data(), rest, 0, 0);
    };
    EXPECT_EQ(GNI_RC_INVALID_PARAM, send(1, 1));  // is not bound
    side.bind(side);
    other.bind(side);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqSend(nullptr, side.ep, nullptr, 0, nullptr, 0, 0, 0));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MsgqSend(side.queue, other.ep, nullptr, 0, nullptr, 0, 0, 0));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MsgqSend(side.queue, side.ep, nullptr, 1, nullptr, 0, 0, 0));
    EXPECT_EQ(GNI_RC_INVALID_PARAM,
              GNI_MsgqSend(side.queue, side.ep, nullptr, 0, nullptr, 1, 0, 0));
    EXPECT_EQ(GNI_RC_SIZE_ERROR, send(50, 51));
    EXPECT_EQ(GNI_RC_NO_MATCH, send(1, 1));
    gni_msgq_ep_attr_t told = side.reserve(side.address);
    EXPECT_EQ(GNI_RC_INVALID_STATE, send(1, 1));
    told.max_msg_sz = 50;  // the peer's are shorter
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqConnect(side.queue, side.address, &told));
    EXPECT_EQ(GNI_RC_SIZE_ERROR, send(50, 1));
    gni_ep_handle_t stranger = nullptr;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, side.tx, &stranger));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpBind(stranger, side.address, 77));
    EXPECT_EQ(GNI_RC_NO_MATCH, GNI_MsgqSend(side.queue, stranger, nullptr, 0, nullptr, 0, 0, 0));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_MsgqProgress(nullptr, at_once));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, side.progress(1));  // it does not block
    EXPECT_EQ(GNI_RC_SUCCESS, side.progress());
    EXPECT_EQ(0U, side.inbox.got.size());
    EXPECT_EQ(GNI_RC_SUCCESS, send(0, 0));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_MsgqIdle(side.queue));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_MsgqRelease(side.queue));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_MsgqConnRelease(side.queue, side.address));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_EpUnbind(side.ep));
    sleep_us(5);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqIdle(side.queue));
    side.inbox.length = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, side.progress());
    EXPECT_EQ((std::vector<Got>{{1, side.address, "", 0}}), side.inbox.got);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqConnRelease(side.queue, side.address));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqRelease(side.queue));
  });
}

TEST(MessageQueueTest, MessagesSayFromWhomAndComeInOrder) {
  TestMachine machine(2);
  Pair pair;
  machine.start(0, [&] {
    const QueueSide& side = pair.make(0);
    for (const char* text : {"one..", "two..", "three"}) {
      side.deliver(text, static_cast<std::uint32_t>(text[0]), static_cast<std::uint8_t>(text[1]));
    }
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqConnRelease(side.queue, 1));
  });
  machine.start(1, [&] {
    const QueueSide& side = pair.make(1);
    for (int i = 0; i < 1000 && side.inbox.got.size() < 3; ++i) {
      EXPECT_EQ(GNI_RC_SUCCESS, side.progress(50));
    }
    EXPECT_EQ(
        (std::vector<Got>{{10, 0, "one..", 'n'}, {10, 0, "two..", 'w'}, {10, 0, "three", 'h'}}),
        side.inbox.got);
  });
  machine.run();
}

// The wire may cut a message.
TEST(MessageQueueTest, PiecesArePutTogether) {
  TestMachine machine(1);
  machine.wire.segment_bytes = 16;
  machine.start(0, [] {
    QueueSide side(1);
    side.bind(side);
    connect_within(side);
    const std::string text = "a message of several pieces, each of which comes by itself";
    side.inbox.length = text.size();
    side.deliver(text);
    EXPECT_EQ(GNI_RC_SUCCESS, side.progress());
    ASSERT_EQ(1U, side.inbox.got.size());
    EXPECT_EQ(text, side.inbox.got[0].text);
  });
  machine.run();
}

TEST(MessageQueueTest, CreditsLimitAndComeBack) {
  run_rank([] {
    QueueSide side(1);
    side.bind(side);
    connect_within(side);
    for (const char* text : {"aaaaa", "bbbbb", "ccccc", "ddddd"}) side.deliver(text);
    EXPECT_EQ(GNI_RC_NOT_DONE, side.send("eeeee"));
    side.inbox.goes_on = false;
    EXPECT_EQ(GNI_RC_NOT_DONE, side.progress());
    sleep_us(5);
    EXPECT_EQ(GNI_RC_NOT_DONE, side.send("eeeee"));  // half of them come back at a time
    EXPECT_EQ(GNI_RC_NOT_DONE, side.progress());
    sleep_us(5);
    for (const char* text : {"eeeee", "fffff"}) side.deliver(text);
    EXPECT_EQ(GNI_RC_NOT_DONE, side.send("ggggg"));
    side.inbox.goes_on = true;
    EXPECT_EQ(GNI_RC_SUCCESS, side.progress());
    std::string all;
    for (const Got& each : side.inbox.got) all += each.text[0];
    EXPECT_EQ("abcdef", all);
  });
}

TEST(MessageQueueTest, TheCallbackStopsIt) {
  run_rank([] {
    QueueSide side(1);
    side.bind(side);
    connect_within(side);
    side.deliver("first");
    side.deliver("later");
    side.inbox.goes_on = false;
    EXPECT_EQ(GNI_RC_NOT_DONE, side.progress(1000));
    EXPECT_EQ(1U, side.inbox.got.size());
    EXPECT_EQ(GNI_RC_NOT_DONE, side.progress(1000));
    EXPECT_EQ(2U, side.inbox.got.size());
    const Time before = now();
    EXPECT_EQ(GNI_RC_SUCCESS, side.progress(3));  // nothing came in 3 ms
    EXPECT_TRUE(is_time(Time::microseconds(3000), now() - before));
  });
}

TEST(MessageQueueTest, AMessageWakesTheWaiter) {
  corespec::Parameters parameters = free_software();
  parameters.interrupt_handler = Time::nanoseconds(1000);
  parameters.thread_wake = Time::nanoseconds(1500);
  TestMachine machine(2, parameters);
  Pair pair;
  Time sent;
  machine.start(0, [&] {
    const QueueSide& side = pair.make(0);
    sleep_us(15);
    sent = now();
    side.deliver("hello");
  });
  machine.start(1, [&] {
    QueueSide& side = pair.make(1);
    side.inbox.goes_on = false;
    EXPECT_EQ(GNI_RC_NOT_DONE, side.progress(60'000));
    // 5 bytes in 5 ns, the way, the interrupt, the wake-up.
    EXPECT_TRUE(is_time(test_us(live() ? 1.005 : 1.005 + 1.0 + 1.5), now() - sent));
  });
  machine.run();
}

// Two ranks of a node share its connection and its credits.
TEST(MessageQueueTest, OneConnectsForAllOfItsNode) {
  run_rank([] {
    gni_msgq_attr_t two = attributes_for(2);
    QueueSide first(1, two);
    QueueSide second(2, two);
    connect_within(first);  // both are of this node
    first.bind(second);
    second.bind(first);
    first.deliver("to b1");
    second.deliver("to a1");
    first.deliver("to b2");
    second.deliver("to a2");
    EXPECT_EQ(GNI_RC_NOT_DONE, first.send("more."));
    EXPECT_EQ(GNI_RC_SUCCESS, first.progress());
    EXPECT_EQ(GNI_RC_SUCCESS, second.progress());
    EXPECT_EQ((std::vector<Got>{{2, first.address, "to a1", 0}, {2, first.address, "to a2", 0}}),
              first.inbox.got);
    EXPECT_EQ((std::vector<Got>{{1, first.address, "to b1", 0}, {1, first.address, "to b2", 0}}),
              second.inbox.got);
    sleep_us(5);
    for (int i = 0; i < 4; ++i) first.deliver("again");
    EXPECT_EQ(GNI_RC_NOT_DONE, second.send("more."));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqRelease(second.queue));
  });
}

TEST(MessageQueueTest, AMessageToAnInstanceThatHasGoneFails) {
  run_rank([] {
    gni_msgq_attr_t two = attributes_for(2);
    QueueSide first(1, two);
    QueueSide second(2, two);
    connect_within(first);
    first.bind(second);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqRelease(second.queue));
    for (int i = 0; i < 5; ++i) {  // it takes no credit
      EXPECT_EQ(GNI_RC_SUCCESS, first.send("hello", 3));
      gni_cq_entry_t entry = 0;
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(first.tx, entry));
      EXPECT_EQ(GNI_CQ_EVENT_TYPE_MSGQ, GNI_CQ_GET_TYPE(entry));
      EXPECT_EQ(3U, GNI_CQ_GET_MSG_ID(entry));
    }
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqIdle(first.queue));
  });
}

// A full queue of arrivals loses no message, and no sender hears of it.
TEST(MessageQueueTest, ArrivalsMayOverrun) {
  run_rank([] {
    gni_msgq_attr_t one = attributes_for(1);
    one.rcv_cq_sz = 1;
    QueueSide side(1, one);
    side.bind(side);
    connect_within(side);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(GNI_RC_SUCCESS, side.send("hello"));
      gni_cq_entry_t entry = 0;
      EXPECT_EQ(GNI_RC_SUCCESS, next_event(side.tx, entry));
      EXPECT_FALSE(GNI_CQ_REM_OVERRUN(entry));
    }
    EXPECT_EQ(GNI_RC_SUCCESS, side.progress(1));
    EXPECT_EQ(4U, side.inbox.got.size());
  });
}

TEST(MessageQueueTest, LostMessagesAreSentAgain) {
  corespec::Parameters parameters = free_software();
  parameters.lost_transactions = 2;  // every other one
  run_rank(
      [] {
        QueueSide side(1);
        side.bind(side);
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSetMaxRetrans(side.nic, 60000));
        connect_within(side);
        std::string all;
        for (char each = 'a'; each <= 'z'; ++each) {
          const std::string text(5, each);
          while (side.send(text) == GNI_RC_NOT_DONE) {
            sleep_us(3);
            side.progress();
          }
        }
        sleep_us(200);
        side.progress();
        for (const Got& got : side.inbox.got) all += got.text[0];
        EXPECT_EQ("abcdefghijklmnopqrstuvwxyz", all);
      },
      parameters);
}

TEST(MessageQueueTest, AMessageThatIsLostForGoodTakesNoCredit) {
  corespec::Parameters parameters = free_software();
  parameters.lost_transactions = 1;  // each
  run_rank(
      [] {
        QueueSide side(1);
        side.bind(side);
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSetMaxRetrans(side.nic, 2));
        connect_within(side);
        for (int i = 0; i < 5; ++i) {
          EXPECT_EQ(GNI_RC_SUCCESS, side.send("hello"));
          EXPECT_EQ(GNI_RC_NOT_DONE, side.send("later"));  // it would come before
          gni_cq_entry_t entry = 0;
          EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(side.tx, entry));
          std::uint32_t recoverable = 0;
          EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorRecoverable(entry, &recoverable));
          EXPECT_EQ(1U, recoverable);
        }
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqRelease(side.queue));
      },
      parameters);
}

TEST(MessageQueueTest, TheDomainsEndEndsAWait) {
  TestMachine machine;
  std::unique_ptr<QueueSide> side;
  Gate made;
  machine.start(0, [&] {
    side = std::make_unique<QueueSide>(1);
    made.open();
    sleep_us(50);
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_MsgqRelease(side->queue));  // a thread is in it
    EXPECT_EQ(GNI_RC_INVALID_STATE, side->progress());
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(side->cdm));
  });
  machine.start(0, [&] {
    made.await();
    EXPECT_EQ(GNI_RC_INVALID_PARAM, side->progress(60'000));
  });
  machine.run();
}

}  // namespace
}  // namespace nic_test
