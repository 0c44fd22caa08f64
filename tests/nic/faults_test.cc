// Faults by a plan: what a program sees of each, and what has happened at the target.
#include <gmock/gmock.h>

#include "tests/nic/test_machine.h"
#include "ugni_emu/doors/doors.h"
#include "ugni_emu/faults/faulty_wire.h"

namespace nic_test {
namespace {

using faults::FaultPlan;
using faults::FaultyWire;
using testing::HasSubstr;

/// Runs `body` as the only rank of a node on which these things go wrong; their names.
std::vector<std::string> run_with(const std::string& plan, const std::function<void()>& body,
                                  const std::string& only = "") {
  FaultyWire* faulty = nullptr;
  TestMachine machine(1, free_software(), 4, [&](TestMachine& made) {
    auto wire = std::make_unique<FaultyWire>(
        made.wire, FaultPlan(plan, only, 1), [&made] { return made.clock->make_source(); },
        [](ugni::NicAddress) {});
    faulty = wire.get();
    return wire;
  });
  bool ended = false;
  machine.start(0, [&] {
    body();
    ended = true;
  });
  machine.run();
  EXPECT_TRUE(ended);
  std::vector<std::string> names;
  for (const faults::Fault& each : faulty->faults()) {
    names.push_back(std::string(faults::name_of(each.kind)) + " " + std::to_string(each.name.rule) +
                    "." + std::to_string(each.name.node) + "." +
                    std::to_string(each.name.occasion));
  }
  EXPECT_EQ(names.size(), faulty->count());
  return names;
}
using Names = std::vector<std::string>;

struct Two {
  Side side{1}, peer{2};
  Two() { side.connect(peer); }
};

/// What a post ends with, and what its error says of another try.
struct Ended {
  gni_return_t code;
  std::uint32_t recoverable;
  bool operator==(const Ended&) const = default;
};
constexpr Ended well{GNI_RC_SUCCESS, 0};
constexpr Ended recoverable{GNI_RC_TRANSACTION_ERROR, 1};
constexpr Ended fatal{GNI_RC_TRANSACTION_ERROR, 0};

Ended end_of(const Side& side, gni_post_descriptor_t& descriptor) {
  EXPECT_EQ(GNI_RC_SUCCESS, descriptor.type == GNI_POST_CQWRITE
                                ? GNI_PostCqWrite(side.ep, &descriptor)
                                : post(side, descriptor));
  gni_cq_entry_t entry = 0;
  const gni_return_t taken = next_event(side.tx, entry);
  gni_post_descriptor_t* found = nullptr;
  EXPECT_EQ(taken, GNI_GetCompleted(side.tx, entry, &found));
  EXPECT_EQ(&descriptor, found);
  std::uint32_t again = 0;
  if (taken != GNI_RC_SUCCESS) {
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorRecoverable(entry, &again));
  }
  return {taken, again};
}

bool are_equal(const Two& two, std::size_t bytes) {
  return std::memcmp(two.side.memory.data(), two.peer.memory.data(), bytes) == 0;
}

TEST(Faults, APostFailsAndNothingHasHappened) {
  for (const gni_post_type_t type :
       {GNI_POST_FMA_PUT, GNI_POST_RDMA_PUT, GNI_POST_FMA_GET, GNI_POST_RDMA_GET}) {
    const Names names = run_with("post-fails nth=2", [type] {
      Two two;
      auto first = two.side.descriptor(type, two.peer, 4000);
      EXPECT_EQ(well, end_of(two.side, first));
      EXPECT_TRUE(are_equal(two, 4000));
      const std::vector<std::byte> before[] = {two.side.memory, two.peer.memory};
      two.side.memory[5] ^= std::byte{1};
      auto second = two.side.descriptor(type, two.peer, 4000);
      second.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
      EXPECT_EQ(recoverable, end_of(two.side, second));
      EXPECT_EQ(before[1], two.peer.memory);
      gni_cq_entry_t event = 0;
      EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(two.peer.rx, &event));
      EXPECT_EQ(well, end_of(two.side, second));
      EXPECT_TRUE(are_equal(two, 4000));
      EXPECT_EQ(GNI_RC_SUCCESS, next_event(two.peer.rx, event));
    });
    EXPECT_EQ(names, Names{"post-fails 1.0.2"});
  }
}

TEST(Faults, AFailedPostMayHaveHappened) {
  run_with("post-fails nth=1 times=9 done=yes", [] {
    Two two;
    auto put = two.side.descriptor(GNI_POST_FMA_PUT, two.peer, 4000);
    EXPECT_EQ(recoverable, end_of(two.side, put));  // again does no harm
    EXPECT_TRUE(are_equal(two, 4000));
    put.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
    EXPECT_EQ(fatal, end_of(two.side, put));  // the event would come twice
    gni_cq_entry_t event = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, next_event(two.peer.rx, event));
    auto add = two.side.descriptor(GNI_POST_AMO, two.peer, 8, 0, 800);
    add.amo_cmd = GNI_FMA_ATOMIC_ADD;
    add.first_operand = 7;
    std::uint64_t before = 0, after = 0;
    std::memcpy(&before, two.peer.memory.data() + 800, 8);
    EXPECT_EQ(fatal, end_of(two.side, add));
    std::memcpy(&after, two.peer.memory.data() + 800, 8);
    EXPECT_EQ(before + 7, after);
  });
}

TEST(Faults, APostFailsForGood) {
  run_with("post-fails kind=amo,cq-write error=fatal", [] {
    Two two;
    auto put = two.side.descriptor(GNI_POST_FMA_PUT, two.peer, 64);
    EXPECT_EQ(well, end_of(two.side, put));
    auto add = two.side.descriptor(GNI_POST_AMO, two.peer, 8, 0, 800);
    add.amo_cmd = GNI_FMA_ATOMIC_ADD;
    EXPECT_EQ(fatal, end_of(two.side, add));
    auto write = two.side.descriptor(GNI_POST_CQWRITE, two.peer, 0);
    EXPECT_EQ(fatal, end_of(two.side, write));
    gni_cq_entry_t event = 0;
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(two.peer.rx, &event));
  });
}

TEST(Faults, APostIsRefused) {
  // Longer than the four posts take, on the host's clock too.
  const std::string time = std::to_string(20 * slower());
  const Names names = run_with("post-refused nth=1 times=4 for=" + time + "us", [] {
    Two two;
    auto put = two.side.descriptor(GNI_POST_FMA_PUT, two.peer, 64);
    auto long_put = two.side.descriptor(GNI_POST_RDMA_PUT, two.peer, 64);
    auto write = two.side.descriptor(GNI_POST_CQWRITE, two.peer, 0);
    auto get = two.side.descriptor(GNI_POST_FMA_GET, two.peer, 64);
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, post(two.side, put));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, post(two.side, long_put));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_PostCqWrite(two.side.ep, &write));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, post(two.side, get));
    sleep_us(20);
    EXPECT_EQ(well, end_of(two.side, put));
    EXPECT_TRUE(are_equal(two, 64));
  });
  EXPECT_EQ(names, (Names{"post-refused 1.0.1", "post-refused 1.0.2", "post-refused 1.0.3",
                          "post-refused 1.0.4"}));
}

/// Without nth= and p= each post is refused, but not for longer than the statement says.
TEST(Faults, ARefusedPostGetsThroughAfterItsTime) {
  const std::string time = std::to_string(20 * slower());
  const Names names = run_with("post-refused for=" + time + "us kind=put", [] {
    Two two;
    auto put = two.side.descriptor(GNI_POST_FMA_PUT, two.peer, 64);
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(GNI_RC_ERROR_RESOURCE, post(two.side, put));
      sleep_us(5);
      EXPECT_EQ(GNI_RC_ERROR_RESOURCE, post(two.side, put)) << "which makes it last no longer";
      sleep_us(15);
      EXPECT_EQ(well, end_of(two.side, put));
    }
    EXPECT_TRUE(are_equal(two, 64));
  });
  EXPECT_EQ(names, (Names{"post-refused 1.0.1", "post-refused 1.0.2", "post-refused 1.0.3",
                          "post-refused 1.0.4"}));
}

void open_mailboxes(Two& two) {
  gni_smsg_attr_t mailboxes[] = {mailbox_of(two.side, 4, 64), mailbox_of(two.peer, 4, 64)};
  ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(two.side.ep, &mailboxes[0], &mailboxes[1]));
  ASSERT_EQ(GNI_RC_SUCCESS, GNI_SmsgInit(two.peer.ep, &mailboxes[1], &mailboxes[0]));
}

std::uint32_t next_message(const Side& side) {
  void* message = nullptr;
  for (int i = 0; i < 1000; ++i) {
    if (GNI_SmsgGetNext(side.ep, &message) == GNI_RC_SUCCESS) {
      std::uint32_t value = 0;
      std::memcpy(&value, message, sizeof value);
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgRelease(side.ep));
      return value;
    }
    sleep_us(0.5);
  }
  return 0;
}

TEST(Faults, AMessageIsLostSomeTimesAndArrives) {
  const Names names = run_with("message-lost nth=2 times=3", [] {
    Two two;
    open_mailboxes(two);
    for (std::uint32_t value : {11U, 12U, 13U}) {
      gni_return_t sent = GNI_RC_NOT_DONE;
      while (sent == GNI_RC_NOT_DONE) {  // while one is sent again there is no other
        sent = GNI_SmsgSend(two.side.ep, &value, sizeof value, nullptr, 0, value);
        sleep_us(15);
      }
      EXPECT_EQ(GNI_RC_SUCCESS, sent);
    }
    for (std::uint32_t value : {11U, 12U, 13U}) EXPECT_EQ(value, next_message(two.peer));
    std::uint32_t again = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_GetNicStat(two.side.nic, GNI_STAT_SMSG_RETRANS_COUNT, &again));
    EXPECT_EQ(3U, again);
  });
  EXPECT_EQ(names, (Names{"message-lost 1.0.2", "message-lost 1.0.3", "message-lost 1.0.4"}));
}

TEST(Faults, AMessageFails) {
  run_with("post-fails kind=message nth=1", [] {
    Two two;
    open_mailboxes(two);
    std::uint32_t value = 9;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSend(two.side.ep, &value, sizeof value, nullptr, 0, 77));
    gni_cq_entry_t event = 0;
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(two.side.tx, event));
    EXPECT_EQ(77U, GNI_CQ_GET_MSG_ID(event));
    std::uint32_t again = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqErrorRecoverable(event, &again));
    EXPECT_EQ(1U, again);
  });
}

/// Sends what there is room for.
gni_return_t send(const Side& side, std::uint32_t value) {
  return GNI_SmsgSend(side.ep, &value, sizeof value, nullptr, 0, value);
}

TEST(Faults, WhatFollowsAFailedMessageArrives) {
  run_with("post-fails kind=message nth=1 times=2", [] {
    Two two;
    open_mailboxes(two);
    for (const std::uint32_t value : {11U, 12U, 13U}) {
      EXPECT_EQ(GNI_RC_SUCCESS, send(two.side, value));
    }
    gni_cq_entry_t event = 0;
    for (const std::uint32_t value : {11U, 12U}) {
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(two.side.tx, event));
      EXPECT_EQ(value, GNI_CQ_GET_MSG_ID(event));
    }
    for (const std::uint32_t value : {14U, 15U, 16U}) {  // four have a place
      EXPECT_EQ(GNI_RC_SUCCESS, send(two.side, value));
    }
    EXPECT_EQ(GNI_RC_NOT_DONE, send(two.side, 17));
    for (const std::uint32_t value : {14U, 15U, 13U, 16U}) EXPECT_EQ(value, next_message(two.peer));
  });
}

TEST(Faults, AMessageThatKeepsItsPlaceComesInItsTurn) {
  run_with("post-fails kind=message nth=2 times=2", [] {
    Two two;
    open_mailboxes(two);
    doors::keep_places(two.side.nic);
    for (const std::uint32_t value : {11U, 12U, 13U, 14U}) {
      EXPECT_EQ(GNI_RC_SUCCESS, send(two.side, value));
    }
    EXPECT_EQ(11U, next_message(two.peer));
    gni_cq_entry_t event = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, next_event(two.side.tx, event));
    for (const std::uint32_t value : {12U, 13U}) {
      EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(two.side.tx, event));
      EXPECT_EQ(value, GNI_CQ_GET_MSG_ID(event));
    }
    EXPECT_EQ(0U, next_message(two.peer));
    EXPECT_EQ(GNI_RC_NOT_DONE, send(two.side, 15));  // theirs are the credits
    EXPECT_EQ(GNI_RC_SUCCESS, send(two.side, 13));
    EXPECT_EQ(GNI_RC_SUCCESS, send(two.side, 12));
    for (const std::uint32_t value : {12U, 13U, 14U}) EXPECT_EQ(value, next_message(two.peer));
    sleep_us(9);
    EXPECT_EQ(GNI_RC_SUCCESS, send(two.side, 15));
    EXPECT_EQ(15U, next_message(two.peer));
  });
}

TEST(Faults, AMessageThatIsGivenUpKeepsItsPlaceToo) {
  run_with("message-lost nth=1 times=3; post-fails kind=message nth=1", [] {
    Two two;
    open_mailboxes(two);
    doors::keep_places(two.side.nic);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSetMaxRetrans(two.side.nic, 1));
    for (const std::uint32_t value : {11U, 12U}) {
      while (send(two.side, value) != GNI_RC_SUCCESS) sleep_us(0.5);
    }
    gni_cq_entry_t event = 0;
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, next_event(two.side.tx, event));
    EXPECT_EQ(11U, GNI_CQ_GET_MSG_ID(event));
    while (send(two.side, 11) != GNI_RC_SUCCESS) sleep_us(0.5);
    for (const std::uint32_t value : {11U, 12U}) EXPECT_EQ(value, next_message(two.peer));
  });
}

TEST(Faults, ARegistrationFails) {
  const Names names = run_with("register-fails nth=3", [] {
    Two two;  // registers twice
    std::vector<std::byte> more(100);
    gni_mem_handle_t handle = {};
    const auto address = reinterpret_cast<std::uint64_t>(more.data());
    const auto add = [&] {
      return GNI_MemRegister(two.side.nic, address, 100, nullptr, GNI_MEM_READWRITE, no_index,
                             &handle);
    };
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, add());
    EXPECT_EQ(GNI_RC_SUCCESS, add());
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(two.side.nic, &handle));
  });
  EXPECT_EQ(names, Names{"register-fails 1.0.3"});
}

TEST(Faults, AQueueOverruns) {
  run_with("cq-overrun nth=2", [] {
    Two two;
    auto put = two.side.descriptor(GNI_POST_FMA_PUT, two.peer, 64);
    put.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(GNI_RC_SUCCESS, post(two.side, put));
      EXPECT_EQ(GNI_RC_SUCCESS, complete(two.side, put));
    }
    EXPECT_TRUE(are_equal(two, 64));
    gni_cq_entry_t event = 0;
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, next_event(two.peer.rx, event));
    EXPECT_TRUE(GNI_CQ_OVERRUN(event));
    EXPECT_EQ(GNI_RC_SUCCESS, next_event(two.peer.rx, event));
    EXPECT_EQ(GNI_RC_SUCCESS, next_event(two.peer.rx, event));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(two.peer.rx, &event));
  });
}

TEST(Faults, ACompletionIsLate) {
  const std::string by = std::to_string(40 * slower());
  run_with("completion-late by=" + by + "us kind=get nth=1", [] {
    Two two;
    auto get = two.side.descriptor(GNI_POST_FMA_GET, two.peer, 64);
    const Time begin = now();
    EXPECT_EQ(well, end_of(two.side, get));
    const Time late = now() - begin;
    EXPECT_GE(late, test_us(40));
    EXPECT_TRUE(are_equal(two, 64));
    auto put = two.side.descriptor(GNI_POST_FMA_PUT, two.peer, 64);
    EXPECT_EQ(well, end_of(two.side, put));
    EXPECT_LT(now() - begin - late, test_us(live() ? 1e6 : 10));
  });
}

/// Nothing leaves it, and all of it leaves in its order.
TEST(Faults, ANicStalls) {
  const std::string time = std::to_string(50 * slower());
  const Names names = run_with("nic-stalls for=" + time + "us nth=1", [] {
    Two two;
    const Time begin = now();
    gni_post_descriptor_t puts[3];
    for (std::uint64_t i = 0; i < 3; ++i) {
      puts[i] = two.side.descriptor(GNI_POST_FMA_PUT, two.peer, 8, i * 8, 0);
      puts[i].dlvr_mode = GNI_DLVMODE_IN_ORDER;
      EXPECT_EQ(GNI_RC_SUCCESS, post(two.side, puts[i]));
      sleep_us(1);
    }
    for (auto& put : puts) EXPECT_EQ(GNI_RC_SUCCESS, complete(two.side, put));
    EXPECT_GE(now() - begin, test_us(50));
    EXPECT_EQ(0, std::memcmp(two.side.memory.data() + 16, two.peer.memory.data(), 8));
  });
  EXPECT_EQ(names, Names{"nic-stalls 1.0.1"});
}

TEST(Faults, WhenIsInAStatement) {
  const auto posts = [](const std::string& plan, const std::string& only = "") {
    std::string failed;
    run_with(
        plan,
        [&failed] {
          Two two;
          for (int i = 1; i <= 12; ++i) {
            auto put = two.side.descriptor(GNI_POST_FMA_PUT, two.peer, 8);
            failed += end_of(two.side, put) == well ? '.' : 'x';
          }
        },
        only);
    return failed;
  };
  EXPECT_EQ(posts("post-fails"), "xxxxxxxxxxxx");
  EXPECT_EQ(posts("post-fails nth=3"), "..x.........");
  EXPECT_EQ(posts("post-fails nth=3 times=2"), "..xx........");
  EXPECT_EQ(posts("post-fails times=2"), "xx..........");
  EXPECT_EQ(posts("post-fails nth=3;post-fails nth=5"), "..x.x.......");
  EXPECT_EQ(posts("post-fails node=1"), "............");
  EXPECT_EQ(posts("post-fails peer=1"), "............");
  EXPECT_EQ(posts("post-fails node=0 peer=0 nth=12"), "...........x");
  EXPECT_EQ(posts("post-fails p=0"), "............");
  EXPECT_EQ(posts("post-fails", "1.0.2,1.0.11"), ".x........x.");
  const std::string drawn = posts("post-fails p=.5");
  EXPECT_THAT(drawn, HasSubstr("x"));
  EXPECT_THAT(drawn, HasSubstr("."));
  EXPECT_EQ(posts("post-fails p=.5"), drawn);
  if (live()) return;
  EXPECT_EQ(posts("post-fails at=10us"), ".....xxxxxxx");
  EXPECT_EQ(posts("post-fails until=10us"), "xxxxx.......");
}

int take_letter(std::uint32_t, std::uint32_t, void* message, std::uint8_t, void* letters) {
  *static_cast<std::string*>(letters) += *static_cast<const char*>(message);
  return 1;
}

/// Messages of a node's shared queue to itself, a letter each; one that failed is sent again. What
/// has come, and what the local events said.
std::pair<std::string, std::string> shared_queue_messages(const std::string& plan,
                                                          std::uint16_t retransmissions) {
  std::string came, events;
  run_with(plan, [&] {
    Side side(1);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_SmsgSetMaxRetrans(side.nic, retransmissions));
    gni_msgq_attr_t attributes = {};
    attributes.max_msg_sz = 8;
    attributes.smsg_q_sz = attributes.rcv_pool_sz = attributes.rcv_cq_sz = 8;
    attributes.num_msgq_eps = attributes.nloc_insts = 1;
    gni_msgq_handle_t queue = nullptr;
    EXPECT_EQ(GNI_RC_SUCCESS,
              GNI_MsgqInit(side.nic, take_letter, &came, side.tx, &attributes, &queue));
    gni_msgq_ep_attr_t told = {};
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqGetConnAttrs(queue, side.address, &told, nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqConnect(queue, side.address, &told));
    side.bind(side);
    for (char letter = 'a'; letter <= 'd'; ++letter) {
      gni_return_t ended = GNI_RC_TRANSACTION_ERROR;
      while (ended == GNI_RC_TRANSACTION_ERROR) {
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqSend(queue, side.ep, nullptr, 0, &letter, 1,
                                               static_cast<std::uint32_t>(letter), 0));
        gni_cq_entry_t entry = 0;
        ended = next_event(side.tx, entry);
        events += ended == GNI_RC_SUCCESS ? '.' : 'x';
      }
      EXPECT_EQ(GNI_RC_SUCCESS, ended);
    }
    constexpr auto at_once = static_cast<std::uint32_t>(-1);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_MsgqProgress(queue, at_once));
  });
  return {came, events};
}

/// Its number goes to the message that is sent next: one of a hole would wait for ever.
TEST(Faults, AMessageOfASharedQueueThatFailedLeavesNoHole) {
  using Seen = std::pair<std::string, std::string>;
  EXPECT_EQ(shared_queue_messages("post-fails kind=message nth=2", 0), Seen("abcd", ".x..."));
  EXPECT_EQ(shared_queue_messages("post-fails kind=message nth=2 times=2", 0),
            Seen("abcd", ".xx..."));
  EXPECT_EQ(shared_queue_messages("message-lost nth=3", 0), Seen("abcd", "..x.."));
  // Sent again by the NIC, one of these times refused at the target, where it has its number.
  EXPECT_EQ(shared_queue_messages("message-lost nth=2; post-fails kind=message nth=3", 5),
            Seen("abcd", "...."));
}

/// Asks, as a live wire does, whether it may move a transaction's data before the target hears of
/// it.
class AskingWire final : public ugni::WireAround {
 public:
  explicit AskingWire(ugni::Wire& inner) : WireAround(inner) {}
  void attach(ugni::NicAddress address, ugni::WireClient& client,
              corespec::EventDomain& domain) override {
    client_ = &client;
    WireAround::attach(address, client, domain);
  }
  std::uint64_t expose(const ugni::ExposedRegion&) override { return 1; }
  void conceal(std::uint64_t) override {}

  std::string answers;

 protected:
  void enter(const ugni::Transaction& transaction, ugni::Payload payload) override {
    const ugni::DirectMemory memory = client_->source_memory(transaction);
    answers += memory.ahead ? 'a' : '.';
    answers += memory.unnoticed ? 'u' : '.';
    pass_on(transaction, std::move(payload));
  }

 private:
  ugni::WireClient* client_ = nullptr;
};

TEST(Faults, NoDataMovesBeforeATargetThatRefusesIt) {
  for (const char* done : {"no", "yes"}) {
    std::unique_ptr<AskingWire> asking;
    TestMachine machine(1, free_software(), 4, [&](TestMachine& made) {
      asking = std::make_unique<AskingWire>(made.wire);
      return std::make_unique<FaultyWire>(
          *asking, FaultPlan(std::string("post-fails nth=2 done=") + done, "", 1),
          [&made] { return made.clock->make_source(); }, [](ugni::NicAddress) {});
    });
    machine.start(0, [] {
      Two two;
      auto put = two.side.descriptor(GNI_POST_RDMA_PUT, two.peer, 64);
      EXPECT_EQ(well, end_of(two.side, put));
      EXPECT_EQ(recoverable, end_of(two.side, put));
      EXPECT_EQ(well, end_of(two.side, put));
    });
    machine.run();
    EXPECT_EQ(asking->answers, "au..au") << done;
  }
}

std::string fault_in(const std::string& plan, const std::string& only = "") {
  try {
    FaultPlan read(plan, only, 1);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(FaultPlan, MistakesAreOneLine) {
  EXPECT_EQ(fault_in("link-down router=1 link=X+ at=1ms; post-fails p=.25"), "");
  EXPECT_EQ(fault_in(""), "");
  EXPECT_EQ(fault_in("post-fails nth=1", "1.2.3"), "");
  const std::pair<const char*, const char*> cases[] = {
      {"post-fials p=1",
       "CASTOR_FAULTS: post-fials: no such fault; known are link-down, links-down, post-fails, "},
      {"post-fails p=1.5", "p=1.5: a number from 0 to 1 is allowed"},
      {"post-fails p=nan", "p=nan: a number from 0 to 1 is allowed"},
      {"post-fails p=1 nth=2", "nth= and p= exclude each other"},
      {"post-fails nth=0", "nth=0: a number from 1 to"},
      {"post-fails kind=puts", "kind=puts: put, get, cq-write, message and amo are allowed"},
      {"post-fails kind=put,", "kind=put,: put, get, cq-write"},
      {"post-fails error=no", "error=no: recoverable or fatal is allowed"},
      {"post-fails at=2ms until=1ms", "until= has to be later than at="},
      {"completion-late p=1", "by=TIME is missing"},
      {"nic-stalls for=0s", "for=TIME is missing"},
      {"register-fails peer=3", "peer is not known here; known are node, nth, p, times, at, until"},
      {"cq-overrun queue=tx", "queue=tx: rx is allowed"},
      {"node-dead at=1ms", "node=NID is missing"},
      {"node-dead node=3", "at=TIME is missing"},
      {"node-dead node=3 at=1ms p=1", "p is not known here; known are node, at, noticed-after"},
      {"no/such/file", "this file cannot be read"},
  };
  for (const auto& [plan, expected] : cases) {
    const std::string line = fault_in(plan);
    EXPECT_THAT(line, HasSubstr(expected));
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
  for (const char* only : {"x", "1", "1.2", "1.2.3.", "1.2.3,", "1.2.3.4", "1.2.-3", "1..3"}) {
    EXPECT_THAT(fault_in("post-fails nth=1", only), HasSubstr("STATEMENT.NID.OCCASION")) << only;
  }
}

}  // namespace
}  // namespace nic_test
