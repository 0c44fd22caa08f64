// Completion channels: armed queues, a descriptor that can be polled, what goes meanwhile.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>

#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

/// A side with a channel, to which its RX queue is attached.
struct Channelled : Side {
  explicit Channelled(std::uint32_t id) : Side(id, 0, GNI_CQ_BLOCKING) {
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CompChanCreate(nic, &channel));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CompChanFd(channel, &file));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqAttachCompChan(rx, channel));
  }
  void make_non_blocking() const { EXPECT_EQ(0, fcntl(file, F_SETFL, O_NONBLOCK)); }
  /// The next event, as a descriptor that does not block gives it.
  gni_return_t take(gni_cq_handle_t& queue) const { return GNI_CompChanGetEvent(channel, &queue); }

  gni_comp_chan_handle_t channel = nullptr;
  int file = -1;
};

void wake_by_write(const Side& side, const Side& peer, std::uint64_t value) {
  auto write = side.descriptor(GNI_POST_CQWRITE, peer, 0);
  write.cq_mode = GNI_CQMODE_SILENT;
  write.cqwrite_value = value;
  EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostCqWrite(side.ep, &write));
}

/// 1: readable, 0: not, at once.
int readable(int file) {
  pollfd polled = {file, POLLIN, 0};
  return poll(&polled, 1, 0);
}

TEST(CompletionChannelTest, Codes) {
  run_rank([] {
    Channelled side(1);
    Side polling(2);
    Side other(3, 0, GNI_CQ_BLOCKING);
    gni_comp_chan_handle_t channel = nullptr;
    gni_comp_chan_handle_t second = nullptr;
    gni_cq_handle_t queue = nullptr;
    int file = -1;
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CompChanCreate(nullptr, &channel));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CompChanCreate(side.nic, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CompChanDestroy(nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CompChanFd(nullptr, &file));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CompChanFd(side.channel, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CompChanGetEvent(nullptr, &queue));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CompChanGetEvent(side.channel, nullptr));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CompChanCreate(polling.nic, &channel));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqAttachCompChan(nullptr, side.channel));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqAttachCompChan(side.tx, nullptr));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqAttachCompChan(polling.rx, channel));  // no interrupts
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqAttachCompChan(other.rx, channel));    // another NIC's
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqAttachCompChan(side.rx, side.channel));      // is already
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CompChanCreate(side.nic, &second));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqAttachCompChan(side.rx, second));  // has another one
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqArmCompChan(nullptr, 1));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqArmCompChan(&side.rx, 0));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqArmCompChan(&side.tx, 1));  // not attached
    side.make_non_blocking();
    side.bind(side);
    // None is armed if one cannot be.
    gni_cq_handle_t both[] = {side.rx, side.tx};
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CqArmCompChan(both, 2));
    wake_by_write(side, side, 1);
    sleep_us(5);
    EXPECT_EQ(GNI_RC_NOT_DONE, side.take(queue));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CompChanDestroy(second));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CompChanDestroy(second));
    EXPECT_EQ(GNI_RC_INVALID_PARAM, GNI_CompChanFd(second, &file));
  });
}

TEST(CompletionChannelTest, NoDescriptorLeft) {
  run_rank([] {
    Side side(1);
    gni_comp_chan_handle_t channel = nullptr;
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    rlimit none = before;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
    EXPECT_EQ(GNI_RC_ERROR_NOMEM, GNI_CompChanCreate(side.nic, &channel));
    setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CompChanCreate(side.nic, &channel));
  });
}

TEST(CompletionChannelTest, AnArmedQueueGivesOneEvent) {
  run_rank([] {
    Channelled side(1);
    side.bind(side);
    side.make_non_blocking();
    gni_cq_handle_t queue = nullptr;
    wake_by_write(side, side, 1);  // attached, not armed
    sleep_us(5);
    EXPECT_EQ(0, readable(side.file));
    EXPECT_EQ(GNI_RC_NOT_DONE, side.take(queue));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqArmCompChan(&side.rx, 1));  // has an event already
    EXPECT_EQ(1, readable(side.file));
    EXPECT_EQ(GNI_RC_SUCCESS, side.take(queue));
    EXPECT_EQ(side.rx, queue);
    EXPECT_EQ(0, readable(side.file));
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqGetEvent(side.rx, &entry));

    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqArmCompChan(&side.rx, 1));  // is empty
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqArmCompChan(&side.rx, 1));  // twice is once
    EXPECT_EQ(0, readable(side.file));
    wake_by_write(side, side, 2);
    wake_by_write(side, side, 3);
    sleep_us(5);
    EXPECT_EQ(1, readable(side.file));
    EXPECT_EQ(GNI_RC_SUCCESS, side.take(queue));
    EXPECT_EQ(GNI_RC_NOT_DONE, side.take(queue));
    EXPECT_EQ(0, readable(side.file));
    wake_by_write(side, side, 4);  // not armed again
    sleep_us(5);
    EXPECT_EQ(0, readable(side.file));
  });
}

TEST(CompletionChannelTest, SeveralQueuesShareAChannel) {
  run_rank([] {
    Channelled side(1);
    side.bind(side);
    side.make_non_blocking();
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqAttachCompChan(side.tx, side.channel));
    gni_cq_handle_t both[] = {side.tx, side.rx};
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqArmCompChan(both, 2));
    auto put = side.descriptor(GNI_POST_FMA_PUT, side, 64, 0, 100);
    put.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
    ASSERT_EQ(GNI_RC_SUCCESS, GNI_PostFma(side.ep, &put));
    EXPECT_EQ(GNI_RC_SUCCESS, complete(side, put));
    gni_cq_handle_t queue = nullptr;
    EXPECT_EQ(GNI_RC_SUCCESS, side.take(queue));
    EXPECT_EQ(side.rx, queue);  // it arrived before its initiator heard of it
    EXPECT_EQ(1, readable(side.file));
    EXPECT_EQ(GNI_RC_SUCCESS, side.take(queue));
    EXPECT_EQ(side.tx, queue);
    EXPECT_EQ(0, readable(side.file));
  });
}

TEST(CompletionChannelTest, AnEventThatIsStillThereTellsAgain) {
  run_rank([] {
    Channelled side(1);
    side.bind(side);
    side.make_non_blocking();
    wake_by_write(side, side, 1);
    sleep_us(5);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqArmCompChan(&side.rx, 1));
    gni_cq_handle_t queue = nullptr;
    EXPECT_EQ(GNI_RC_SUCCESS, side.take(queue));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqArmCompChan(&side.rx, 1));
    EXPECT_EQ(GNI_RC_SUCCESS, side.take(queue));
  });
}

TEST(CompletionChannelTest, AMaskedQueueTellsWhenItIsUnmasked) {
  run_rank([] {
    Channelled side(1);
    side.bind(side);
    side.make_non_blocking();
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqArmCompChan(&side.rx, 1));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqInterruptMask(side.rx));
    wake_by_write(side, side, 1);
    sleep_us(5);
    EXPECT_EQ(0, readable(side.file));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqArmCompChan(&side.rx, 1));
    EXPECT_EQ(0, readable(side.file));
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqInterruptUnmask(side.rx));
    EXPECT_EQ(1, readable(side.file));
  });
}

TEST(CompletionChannelTest, GetEventBlocksAndCostsAnInterrupt) {
  corespec::Parameters parameters = free_software();
  parameters.interrupt_handler = Time::nanoseconds(1000);
  parameters.thread_wake = Time::nanoseconds(1500);
  TestMachine machine(2, parameters);
  std::unique_ptr<Channelled> waiting;
  std::unique_ptr<Side> writing;
  Gate made;
  Time sent;
  machine.start(0, [&] {
    writing = std::make_unique<Side>(0);
    made.await();
    writing->bind(*waiting);
    sleep_us(15);
    sent = now();
    wake_by_write(*writing, *waiting, 77);
  });
  machine.start(1, [&] {
    waiting = std::make_unique<Channelled>(1);
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqArmCompChan(&waiting->rx, 1));
    made.open();
    gni_cq_handle_t queue = nullptr;
    EXPECT_EQ(GNI_RC_SUCCESS, waiting->take(queue));
    EXPECT_EQ(waiting->rx, queue);
    EXPECT_TRUE(is_time(test_us(live() ? 1.0 : 1.0 + 1.0 + 1.5), now() - sent));
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqGetEvent(queue, &entry));
    EXPECT_EQ(77U, GNI_CQ_GET_DATA(entry));
  });
  machine.run();
}

TEST(CompletionChannelTest, WhatGoesWakesTheWaiter) {
  enum class Goes { queue, armed_queue, channel, domain };
  for (const Goes goes : {Goes::queue, Goes::armed_queue, Goes::channel, Goes::domain}) {
    TestMachine machine;
    std::unique_ptr<Channelled> side;
    Gate made;
    machine.start(0, [&] {
      side = std::make_unique<Channelled>(1);
      if (goes != Goes::queue) {
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqArmCompChan(&side->rx, 1));
      } else {  // its event is there, and it goes
        side->bind(*side);
        wake_by_write(*side, *side, 1);
        sleep_us(5);
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqArmCompChan(&side->rx, 1));
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqDestroy(side->rx));
      }
      made.open();
      sleep_us(50);
      if (goes == Goes::armed_queue) {
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqDestroy(side->rx));
      }
      if (goes == Goes::channel) {
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CompChanDestroy(side->channel));
      }
      if (goes == Goes::domain) {
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_CdmDestroy(side->cdm));
      }
    });
    machine.start(0, [&] {
      made.await();
      const bool valid = goes == Goes::queue || goes == Goes::armed_queue;
      gni_cq_handle_t queue = nullptr;
      EXPECT_EQ(valid ? GNI_RC_NOT_DONE : GNI_RC_INVALID_PARAM, side->take(queue));
      EXPECT_EQ(nullptr, queue);
      if (valid) {
        EXPECT_EQ(0, readable(side->file));
      }
    });
    machine.run();
  }
}

TEST(CompletionChannelTest, NothingArmedIsADeadlock) {
  if (live()) GTEST_SKIP() << "live it waits for ever";
  TestMachine machine;
  std::unique_ptr<Channelled> side;
  machine.start(0, [&] {
    side = std::make_unique<Channelled>(1);
    gni_cq_handle_t queue = nullptr;
    side->take(queue);
  });
  EXPECT_FALSE(machine.run_to_end());
}

TEST(CompletionChannelTest, ADescriptorGoesWithItsChannelAndDomain) {
  run_rank([] {
    int file = -1;
    {
      Channelled side(1);
      gni_comp_chan_handle_t second = nullptr;
      int own = -1;
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CompChanCreate(side.nic, &second));
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CompChanFd(second, &own));
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CompChanDestroy(second));
      EXPECT_EQ(-1, fcntl(own, F_GETFD));
      file = side.file;
      EXPECT_NE(-1, fcntl(file, F_GETFD));
    }
    EXPECT_EQ(-1, fcntl(file, F_GETFD));
  });
}

// The thread sleeps in the system, outside of the library: the NIC's own thread wakes it.
TEST(CompletionChannelTest, AThreadMaySleepInTheSystem) {
  if (!live()) GTEST_SKIP() << "in virtual time poll() is the launcher's";
  for (const char* way : {"poll", "epoll", "select"}) {
    SCOPED_TRACE(way);
    TestMachine machine(2);
    std::unique_ptr<Channelled> waiting;
    std::unique_ptr<Side> writing;
    Gate made;
    machine.start(0, [&] {
      writing = std::make_unique<Side>(0);
      made.await();
      writing->bind(*waiting);
      sleep_us(20);
      wake_by_write(*writing, *waiting, 77);
    });
    machine.start(1, [&] {
      waiting = std::make_unique<Channelled>(1);
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqArmCompChan(&waiting->rx, 1));
      made.open();
      const int file = waiting->file;
      if (*way == 'p') {
        pollfd polled = {file, POLLIN, 0};
        EXPECT_EQ(1, poll(&polled, 1, -1));
      } else if (*way == 'e') {
        const int set = epoll_create1(0);
        epoll_event event = {EPOLLIN, {}};
        EXPECT_EQ(0, epoll_ctl(set, EPOLL_CTL_ADD, file, &event));
        EXPECT_EQ(1, epoll_wait(set, &event, 1, -1));
        close(set);
      } else {
        fd_set read;
        FD_ZERO(&read);
        FD_SET(file, &read);
        EXPECT_EQ(1, select(file + 1, &read, nullptr, nullptr, nullptr));
      }
      gni_cq_handle_t queue = nullptr;
      EXPECT_EQ(GNI_RC_SUCCESS, waiting->take(queue));
      EXPECT_EQ(waiting->rx, queue);
    });
    machine.run();
  }
}

}  // namespace
}  // namespace nic_test
