// Deferred posts: they leave at the thread's own time, whatever happens to thread and handles.
#include "tests/nic/test_machine.h"
#include "ugni_emu/doors/doors.h"

namespace nic_test {
namespace {

using Times = std::vector<Time>;

constexpr Time us(int count) { return Time::microseconds(count); }

/// A post costs 10 us, an interrupt 3 us.
corespec::Parameters slow_posts() {
  corespec::Parameters parameters = free_software();
  parameters.fma_post = us(10);
  parameters.interrupt_handler = us(3);
  return parameters;
}

class RaisedInterrupt final : public corespec::Event {
 public:
  RaisedInterrupt(TestMachine& machine, std::vector<int> at)
      : node_(*machine.nodes[0]), source_(machine.clock->make_source()) {
    for (int time : at) node_.domain().schedule(us(time), source_, *this, 0);
  }
  void fire(std::uint64_t) override { node_.raise_interrupt(); }

 private:
  corespec::Node& node_;
  corespec::EventSource source_;
};

/// Two domains of the one rank, connected, with an endpoint and a descriptor between them.
struct Pair {
  Side side{1};
  Side peer{2};
  gni_post_descriptor_t put = side.descriptor(GNI_POST_FMA_PUT, peer, 64);
  Pair() { side.connect(peer); }
  bool arrived() const { return std::memcmp(side.memory.data(), peer.memory.data(), 64) == 0; }
};

void compute(int microseconds) {
  corespec::this_thread().charge(us(microseconds));
  corespec::this_thread().sync();
}

TEST(DeferredTest, AnInterruptDelaysThePostsBehindIt) {
  TestMachine machine(1, slow_posts(), 1);
  RaisedInterrupt interrupt(machine, {4, 15});
  machine.start(0, [&] {
    Pair pair;
    gni_post_descriptor_t second = pair.put;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(pair.side.ep, &pair.put));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(pair.side.ep, &second));
    EXPECT_EQ(0U, machine.wire.submitted);
    EXPECT_EQ(us(26), now());  // 20 us of its own, twice 3 of the interrupts'
    EXPECT_EQ(GNI_RC_SUCCESS, complete(pair.side, pair.put));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(pair.side, second));
    EXPECT_TRUE(pair.arrived());
  });
  machine.run();
  EXPECT_EQ((Times{us(13), us(26)}), machine.wire.submit_times);
}

TEST(DeferredTest, APreemptionDelaysThePostsBehindIt) {
  TestMachine machine(1, slow_posts(), 1);
  machine.start(
      0,
      [&] {
        sleep_us(4);
        compute(5);
      },
      corespec::ThreadRole::progress);
  machine.start(0, [&] {
    Pair pair;
    gni_post_descriptor_t second = pair.put;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(pair.side.ep, &pair.put));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(pair.side.ep, &second));
    EXPECT_EQ(us(25), now());
    EXPECT_EQ(GNI_RC_SUCCESS, complete(pair.side, pair.put));
  });
  machine.run();
  EXPECT_EQ((Times{us(15), us(25)}), machine.wire.submit_times);
}

TEST(DeferredTest, ASpinThatFollowsDoesNotWaitForThePost) {
  TestMachine machine(1, slow_posts(), 1);
  RaisedInterrupt interrupt(machine, {4});
  machine.start(0, [&] {
    Pair pair;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(pair.side.ep, &pair.put));
    corespec::Signal& arrivals = doors::arrival_signal(pair.side.nic);
    corespec::this_thread().spin(arrivals, arrivals.epoch(), us(1));
    // Leaves at 13 us, takes 64 ns and 1 us each way; polled every us from 13 us on.
    EXPECT_EQ(us(16), now());
    EXPECT_EQ(GNI_RC_SUCCESS, complete(pair.side, pair.put));
  });
  machine.run();
  EXPECT_EQ((Times{us(13)}), machine.wire.submit_times);
}

TEST(DeferredTest, TheThreadMayEndFirst) {
  TestMachine machine(1, slow_posts());
  std::unique_ptr<Pair> pair;
  machine.start(0, [&] {
    pair = std::make_unique<Pair>();
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(pair->side.ep, &pair->put));
  });
  machine.start(
      0,
      [&] {
        sleep_us(20);
        EXPECT_TRUE(pair->arrived());
        EXPECT_EQ(GNI_RC_SUCCESS, complete(pair->side, pair->put));
        pair.reset();
      },
      corespec::ThreadRole::progress);
  machine.run();
  EXPECT_EQ((Times{us(10)}), machine.wire.submit_times);
}

/// One thread posts, which takes until 10 us; another one does `meanwhile` at 5 us.
void while_pending(
    const std::function<void(Pair&)>& meanwhile, const std::function<void(Pair&)>& afterwards,
    const std::function<void(Pair&)>& before = [](Pair&) {}) {
  TestMachine machine(1, slow_posts());
  std::unique_ptr<Pair> pair;
  machine.start(0, [&] {
    pair = std::make_unique<Pair>();
    before(*pair);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(pair->side.ep, &pair->put));
    EXPECT_EQ(us(10), now());
    EXPECT_EQ(1U, machine.wire.submitted);
    sleep_us(10);
    EXPECT_TRUE(pair->arrived());
    afterwards(*pair);
    pair.reset();
  });
  machine.start(
      0,
      [&] {
        sleep_us(5);
        EXPECT_EQ(0U, machine.wire.submitted);
        meanwhile(*pair);
        EXPECT_EQ(us(5), now());
      },
      corespec::ThreadRole::progress);
  machine.run();
  EXPECT_EQ((Times{us(10)}), machine.wire.submit_times);
}

TEST(DeferredTest, TheEndpointMayGoFirst) {
  while_pending(
      [](Pair& pair) {
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(pair.side.ep));
        // Another one takes its place and has nothing to do with the post.
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(pair.side.nic, pair.side.tx, &pair.side.ep));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpIdle(pair.side.ep));
      },
      [](Pair& pair) {
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpIdle(pair.side.ep));
        EXPECT_EQ(GNI_RC_SUCCESS, complete(pair.side, pair.put));
      });
}

TEST(DeferredTest, TheQueueMayGoFirst) {
  gni_cq_handle_t queue = nullptr;
  while_pending(
      [&](Pair& pair) {
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqDestroy(queue));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqCreate(pair.side.nic, 8, 0, 0, nullptr, nullptr, &queue));
      },
      [&](Pair& pair) {
        gni_cq_entry_t entry = 0;
        EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqGetEvent(queue, &entry));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpIdle(pair.side.ep));
      },
      [&](Pair& pair) {
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqCreate(pair.side.nic, 8, 0, 0, nullptr, nullptr, &queue));
        pair.put.src_cq_hndl = queue;
      });
}

TEST(DeferredTest, TheDomainMayGoFirst) {
  while_pending([](Pair& pair) { EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(pair.side.cdm)); },
                [](Pair& pair) { EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_EpIdle(pair.side.ep)); });
}

TEST(DeferredTest, TheMachineMayStopFirst) {
  TestMachine machine(1, slow_posts());
  RaisedInterrupt interrupt(machine, {4});
  std::unique_ptr<Pair> pair;
  machine.start(0, [&] {
    pair = std::make_unique<Pair>();
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostFma(pair->side.ep, &pair->put));
    compute(10);
  });
  machine.start(
      0,
      [&] {
        sleep_us(5);
        machine.clock->stop();
      },
      corespec::ThreadRole::progress);
  machine.run();
  EXPECT_EQ(0U, machine.wire.submitted);
}

/// Takes the event of a gathered PUT, behind which there is no descriptor.
void complete_gathered(Pair& pair) {
  gni_cq_entry_t event = 0;
  EXPECT_EQ(GNI_RC_SUCCESS, next_event(pair.side.tx, event));
  EXPECT_EQ(GNI_CQ_EVENT_TYPE_SMSG, GNI_CQ_GET_TYPE(event));
  gni_post_descriptor_t* done = &pair.put;
  EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_GetCompleted(pair.side.tx, event, &done));
  EXPECT_EQ(nullptr, done);
}

TEST(GatherTest, BothPartsArrive) {
  run_rank([] {
    Pair pair;
    const std::vector<std::byte> head = random_bytes(24, 7);
    const std::vector<std::byte> rest = random_bytes(40, 8);
    pair.put.local_addr = 1;  // not read
    EXPECT_EQ(GNI_RC_SUCCESS, doors::post_fma(pair.side.ep, &pair.put, head, rest));
    pair.put.status = 7;  // the caller's again
    complete_gathered(pair);
    EXPECT_EQ(7U, pair.put.status);
    EXPECT_EQ(0, std::memcmp(head.data(), pair.peer.memory.data(), 24));
    EXPECT_EQ(0, std::memcmp(rest.data(), pair.peer.memory.data() + 24, 40));
    pair.put.length = 24;
    EXPECT_EQ(GNI_RC_SUCCESS, doors::post_fma(pair.side.ep, &pair.put, {}, {head}));
    complete_gathered(pair);
  });
}

TEST(GatherTest, Codes) {
  run_rank([] {
    Pair pair;
    const std::vector<std::byte> bytes(64);
    const std::span<const std::byte> all(bytes);
    EXPECT_EQ(GNI_RC_INVALID_PARAM, doors::post_fma(pair.side.ep, nullptr, all, {}));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, doors::post_fma(nullptr, &pair.put, all, {}));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, doors::post_fma(pair.side.ep, &pair.put, all.first(63), {}));
    pair.put.type = GNI_POST_FMA_GET;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, doors::post_fma(pair.side.ep, &pair.put, all, {}));
  });
}

}  // namespace
}  // namespace nic_test
