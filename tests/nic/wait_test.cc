// Blocking on completion queues: interrupts, masks, time-outs, destruction.
#include "tests/nic/test_machine.h"
#include "ugni_emu/doors/doors.h"

namespace nic_test {
namespace {

void cq_write(const Side& side, const Side& peer, std::uint64_t value) {
  auto* write = new gni_post_descriptor_t(side.descriptor(GNI_POST_CQWRITE, peer, 0));
  write->cq_mode = GNI_CQMODE_SILENT;
  write->cqwrite_value = value;
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostCqWrite(side.ep, write));
  delete write;  // silent: the NIC never gives it back
}

TEST(WaitTest, Codes) {
  run_rank([] {
    Side polling(1);
    Side blocking(2, 0, GNI_CQ_BLOCKING);
    gni_cq_entry_t entry = 1;
    std::uint32_t which = 9;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqWaitEvent(nullptr, 1, &entry));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqWaitEvent(blocking.rx, 1, nullptr));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_CqWaitEvent(polling.rx, 1, &entry));
    EXPECT_EQ(GNI_RC_TIMEOUT, GNI_CqWaitEvent(blocking.rx, 0, &entry));
    const Time start = now();
    EXPECT_EQ(GNI_RC_TIMEOUT, GNI_CqWaitEvent(blocking.rx, 3, &entry));
    EXPECT_TRUE(is_time(Time::microseconds(3000), now() - start));
    EXPECT_EQ(0U, entry);
    gni_cq_handle_t queues[] = {blocking.tx, blocking.rx, polling.rx, nullptr};
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqVectorWaitEvent(nullptr, 1, 1, &entry, &which));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqVectorWaitEvent(queues, 0, 1, &entry, &which));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqVectorWaitEvent(queues, 4, 1, &entry, &which));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqVectorWaitEvent(queues, 2, 1, nullptr, &which));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqVectorWaitEvent(queues, 2, 1, &entry, nullptr));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_CqVectorWaitEvent(queues, 3, 1, &entry, &which));
    EXPECT_EQ(GNI_RC_TIMEOUT, GNI_CqVectorWaitEvent(queues, 2, 1, &entry, &which));
    EXPECT_EQ(GNI_RC_TIMEOUT, GNI_CqVectorMonitor(queues, 2, 1, &which));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_CqVectorMonitor(queues, 3, 1, &which));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqVectorMonitor(queues, 2, 1, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqInterruptMask(nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqInterruptMask(polling.rx));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqInterruptUnmask(polling.rx));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqInterruptUnmask(blocking.rx));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqInterruptMask(blocking.rx));
    EXPECT_EQ(GNI_RC_NOT_DONE, GNI_CqVectorWaitEvent(queues, 2, forever, &entry, &which));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqInterruptUnmask(blocking.rx));
  });
}

TEST(WaitTest, AnEventWakesAndCostsWhatTheParametersSay) {
  corespec::Parameters parameters = free_software();
  parameters.interrupt_handler = Time::nanoseconds(1000);
  parameters.thread_wake = Time::nanoseconds(1500);
  parameters.system_call = Time::nanoseconds(300);
  TestMachine machine(2, parameters);
  std::vector<std::unique_ptr<Side>> sides(2);
  Gate made;
  Time sent;
  machine.start(0, [&] {
    sides[0] = std::make_unique<Side>(0);
    sleep_us(5);
    made.await();
    sides[0]->bind(*sides[1]);
    sleep_us(15);
    sent = now();
    cq_write(*sides[0], *sides[1], 77);
  });
  machine.start(1, [&] {
    sides[1] = std::make_unique<Side>(1, 0, GNI_CQ_BLOCKING);
    made.open();
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqWaitEvent(sides[1]->rx, forever, &entry));
    EXPECT_EQ(77U, GNI_CQ_GET_DATA(entry));
    EXPECT_TRUE(is_time(test_us(live() ? 1.0 : 1.0 + 1.0 + 1.5), now() - sent));
    EXPECT_EQ(1U, doors::statistics(sides[1]->nic).interrupts);
  });
  machine.run();
  EXPECT_EQ(1U, machine.nodes[1]->statistics().interrupts);
  // Live it may come to the queue after the event.
  EXPECT_LE(live() ? 0U : 1U, machine.nodes[1]->statistics().threads_woken);
  EXPECT_GE(1U, machine.nodes[1]->statistics().threads_woken);
  EXPECT_EQ(0U, machine.nodes[0]->statistics().interrupts);
}

TEST(WaitTest, PollsOnceBeforeItSleeps) {
  run_rank([] {
    Side side(1, 0, GNI_CQ_BLOCKING);
    side.bind(side);
    cq_write(side, side, 5);
    sleep_us(10);
    const Time start = now();
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqWaitEvent(side.rx, forever, &entry));
    EXPECT_TRUE(is_time(start, now()));
  });
}

TEST(WaitTest, VectorTellsWhich) {
  run_rank([] {
    Side side(1, 0, GNI_CQ_BLOCKING);
    side.bind(side);
    gni_cq_handle_t queues[] = {side.tx, side.rx};
    gni_cq_entry_t entry = 0;
    std::uint32_t which = 9;
    cq_write(side, side, 5);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqVectorMonitor(queues, 2, forever, &which));
    EXPECT_EQ(1U, which);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqTestEvent(side.rx));  // not consumed
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqVectorWaitEvent(queues, 2, forever, &entry, &which));
    EXPECT_EQ(1U, which);
    EXPECT_EQ(5U, GNI_CQ_GET_DATA(entry));
    auto put = side.descriptor(GNI_POST_FMA_PUT, side, 64, 0, 100);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqVectorWaitEvent(queues, 2, forever, &entry, &which));
    EXPECT_EQ(0U, which);
    put.remote_mem_hndl = {1, 1};
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
    EXPECT_EQ(GNI_RC_TRANSACTION_ERROR, GNI_CqVectorWaitEvent(queues, 2, forever, &entry, &which));
  });
}

TEST(WaitTest, OverrunIsReportedByTheWaits) {
  run_rank([] {
    Side side(1, 0, GNI_CQ_BLOCKING, 1);
    side.bind(side);
    cq_write(side, side, 5);
    cq_write(side, side, 6);
    sleep_us(10);
    gni_cq_entry_t entry = 0;
    std::uint32_t which = 9;
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_CqVectorMonitor(&side.rx, 1, forever, &which));
    EXPECT_EQ(GNI_RC_ERROR_RESOURCE, GNI_CqWaitEvent(side.rx, forever, &entry));
    EXPECT_TRUE(GNI_CQ_OVERRUN(entry));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqVectorMonitor(&side.rx, 1, forever, &which));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqWaitEvent(side.rx, forever, &entry));
    EXPECT_EQ(5U, GNI_CQ_GET_DATA(entry));
  });
}

TEST(WaitTest, MaskAndDestructionWakeTheWaiter) {
  for (const bool destroy : {false, true}) {
    TestMachine machine;
    Gate made;
    std::unique_ptr<Side> side;
    machine.start(0, [&] {
      side = std::make_unique<Side>(1, 0, GNI_CQ_BLOCKING);
      made.open();
      sleep_us(50);
      EXPECT_EQ(GNI_RC_SUCCESS, destroy ? GNI_CqDestroy(side->rx) : GNI_CqInterruptMask(side->rx));
    });
    bool woken = false;
    machine.start(
        0,
        [&] {
          sleep_us(10);
          made.await();
          gni_cq_entry_t entry = 0;
          std::uint32_t which = 0;
          gni_cq_handle_t queues[] = {side->tx, side->rx};
          EXPECT_EQ(destroy ? GNI_RC_INVALID_PARAM : GNI_RC_NOT_DONE,
                    GNI_CqVectorWaitEvent(queues, 2, forever, &entry, &which));
          EXPECT_TRUE(is_time(test_us(50), now()));
          woken = true;
        },
        corespec::ThreadRole::progress);
    machine.run();
    EXPECT_TRUE(woken);
  }
}

TEST(WaitTest, DestroyingAnEndpointWakesWhoWaitsForItsDatagram) {
  TestMachine machine;
  Gate made;
  std::unique_ptr<Side> side;
  gni_ep_handle_t endpoint = nullptr;
  machine.start(0, [&] {
    side = std::make_unique<Side>(1);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side->nic, nullptr, &endpoint));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(endpoint, nullptr, 0, nullptr, 0, 7));
    made.open();
    sleep_us(50);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(endpoint));
  });
  bool woken = false;
  machine.start(
      0,
      [&] {
        sleep_us(10);
        made.await();
        gni_post_state_t state = GNI_POST_PENDING;
        std::uint32_t address = 0;
        std::uint32_t instance = 0;
        EXPECT_EQ(GNI_RC_INVALID_PARAM,
                  GNI_EpPostDataWaitById(endpoint, 7, ~0U, &state, &address, &instance));
        EXPECT_TRUE(is_time(test_us(50), now()));
        woken = true;
      },
      corespec::ThreadRole::progress);
  machine.run();
  EXPECT_TRUE(woken);
}

TEST(WaitTest, DestroyingTheDomainWakesTheWaiter) {
  TestMachine machine;
  Gate made;
  std::unique_ptr<Side> side;
  machine.start(0, [&] {
    side = std::make_unique<Side>(1, 0, GNI_CQ_BLOCKING);
    made.open();
    sleep_us(50);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(side->cdm));
  });
  std::atomic<int> woken{0};
  machine.start(
      0,
      [&] {
        sleep_us(10);
        made.await();
        gni_cq_entry_t entry = 0;
        EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqWaitEvent(side->rx, forever, &entry));
        ++woken;
      },
      corespec::ThreadRole::progress);
  machine.start(
      0,
      [&] {
        sleep_us(10);
        made.await();
        std::uint64_t id = 0;
        EXPECT_EQ(GNI_RC_INVALID_PARAM,
                  GNI_PostdataProbeWaitById(side->nic, static_cast<std::uint32_t>(-1), &id));
        ++woken;
      },
      corespec::ThreadRole::progress);
  machine.run();
  EXPECT_EQ(2, woken);
}

TEST(WaitTest, DelayCountHoldsInterruptsBack) {
  run_rank([] {
    Side side(1);
    side.bind(side);
    gni_cq_handle_t queue = nullptr;
    ASSERT_EQ(GNI_RC_SUCCESS,
              GNI_CqCreate(side.nic, 100, 3, GNI_CQ_BLOCKING, nullptr, nullptr, &queue));
    gni_mem_handle_t handle;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(side.nic, side.base(), 64, queue, 0, 0, &handle));
    auto write = side.descriptor(GNI_POST_CQWRITE, side, 0);
    write.cq_mode = GNI_CQMODE_SILENT;
    write.remote_mem_hndl = handle;
    for (int i = 0; i < 7; ++i) ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostCqWrite(side.ep, &write));
    sleep_us(10);
    EXPECT_EQ(2U, doors::statistics(side.nic).interrupts);
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_CqInterruptMask(queue));
    for (int i = 0; i < 7; ++i) ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostCqWrite(side.ep, &write));
    sleep_us(10);
    EXPECT_EQ(2U, doors::statistics(side.nic).interrupts);
  });
}

}  // namespace
}  // namespace nic_test
