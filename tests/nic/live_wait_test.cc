// Several threads of a rank use uGNI at once: waiting, posting, destroying, cancelling, signals.
#include <pthread.h>
#include <signal.h>

#include <array>

#include "tests/nic/test_machine.h"

namespace nic_test {
namespace {

constexpr auto application = corespec::ThreadRole::application;
constexpr auto progress = corespec::ThreadRole::progress;
constexpr std::uint64_t last_one = 0xFFFFFF;

gni_return_t write_to(const Side& side, const Side& peer, std::uint64_t value) {
  gni_post_descriptor_t write = side.descriptor(GNI_POST_CQWRITE, peer, 0);
  write.cq_mode = GNI_CQMODE_SILENT;
  write.cqwrite_value = value;
  return GNI_PostCqWrite(side.ep, &write);
}

/// A rank with a blocking domain connected to itself, which its first thread makes.
class Rank {
 public:
  void start(std::function<void()> body, corespec::ThreadRole role = application) {
    machine.start(
        0,
        [this, body = std::move(body)] {
          made_.await();
          body();
        },
        role);
  }
  /// `first`: runs on the thread that makes the domain.
  void run(std::function<void()> first) {
    machine.start(0, [&] {
      side = std::make_unique<Side>(1, 0, GNI_CQ_BLOCKING);
      side->bind(*side);
      made_.open();
      first();
    });
    machine.run();
  }

  TestMachine machine;
  std::unique_ptr<Side> side;

 private:
  Gate made_;
};

/// Takes events from the side's RX queue until the last one comes; adds up what they carry.
void take_until_last(const Side& side, std::uint64_t timeout, std::atomic<std::uint64_t>& sum) {
  for (;;) {
    gni_cq_entry_t entry = 0;
    const gni_return_t result = GNI_CqWaitEvent(side.rx, timeout, &entry);
    if (result == GNI_RC_TIMEOUT) continue;
    ASSERT_EQ(GNI_RC_SUCCESS, result);
    const std::uint64_t value = GNI_CQ_GET_DATA(entry);
    if (value == last_one) return;
    sum += value;
  }
}

TEST(LiveWaitTest, EveryEventWakesOneOfSeveralWaiters) {
  constexpr int waiters = 3;
  constexpr std::uint64_t events = 150;
  Rank rank;
  std::atomic<std::uint64_t> sum{0};
  for (int i = 0; i < waiters; ++i) {
    // One waits for ever, others with time-outs that pass meanwhile.
    const std::uint64_t timeout = i == 0 ? forever : static_cast<std::uint64_t>(i);
    rank.start([&, timeout] { take_until_last(*rank.side, timeout, sum); },
               i % 2 == 0 ? progress : application);
  }
  rank.run([&] {
    for (std::uint64_t value = 1; value <= events; ++value) {
      EXPECT_EQ(GNI_RC_SUCCESS, write_to(*rank.side, *rank.side, value));
      if (value % 7 == 0) sleep_us(3);
    }
    for (int i = 0; i < waiters; ++i) {
      EXPECT_EQ(GNI_RC_SUCCESS, write_to(*rank.side, *rank.side, last_one));
    }
  });
  EXPECT_EQ(events * (events + 1) / 2, sum.load());
}

TEST(LiveWaitTest, ThreadsPostOnEndpointsOfTheirOwnAndOneTakesAll) {
  constexpr int posters = 3;
  constexpr int rounds = 60;
  Rank rank;
  std::atomic<int> posted{0};
  for (int i = 0; i < posters; ++i) {
    rank.start([&, i] {
      Side& side = *rank.side;
      gni_ep_handle_t ep = nullptr;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(side.nic, side.tx, &ep));
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpBind(ep, side.address, side.instance));
      const auto at = static_cast<std::uint64_t>(i) * 4096;
      std::array<gni_post_descriptor_t, rounds> puts;
      for (gni_post_descriptor_t& put : puts) {
        put = side.descriptor(i == 0 ? GNI_POST_FMA_PUT : GNI_POST_RDMA_PUT, side, 512, at,
                              16384 + at);
        const gni_return_t result = i == 0 ? GNI_PostFma(ep, &put) : GNI_PostRdma(ep, &put);
        ASSERT_EQ(GNI_RC_SUCCESS, result);
        ++posted;
        sleep_us(1);
      }
      while (GNI_EpIdle(ep) == GNI_RC_NOT_DONE) sleep_us(5);
      EXPECT_EQ(0, std::memcmp(side.memory.data() + at, side.memory.data() + 16384 + at, 512));
      while (posted.load() > 0) sleep_us(5);  // descriptors are under way, or unseen
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(ep));
    });
  }
  rank.run([&] {
    for (int left = posters * rounds; left > 0; --left) {
      std::array<gni_cq_handle_t, 2> queues = {rank.side->rx, rank.side->tx};
      std::uint32_t which = 9;
      gni_cq_entry_t entry = 0;
      gni_post_descriptor_t* done = nullptr;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_CqVectorWaitEvent(queues.data(), 2, forever, &entry, &which));
      EXPECT_EQ(1U, which);
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_GetCompleted(rank.side->tx, entry, &done));
      EXPECT_NE(nullptr, done);
    }
    posted = 0;
  });
}

TEST(LiveWaitTest, AQueueGoesWhileOneWaitsAndOthersWriteToIt) {
  Rank rank;
  constexpr int rounds = 30;
  std::vector<gni_cq_handle_t> queues(rounds, nullptr);
  std::vector<gni_mem_handle_t> regions(rounds);
  std::array<std::atomic<int>, 3> at{};  ///< which round each thread has reached
  const auto all_reach = [&](std::size_t self, int round) {
    at[self] = round;
    for (const auto& other : at) {
      while (other.load() < round) sleep_us(1);
    }
  };
  std::atomic<std::uint64_t> taken{0};
  rank.start(
      [&] {
        for (int i = 0; i < rounds; ++i) {
          const auto n = static_cast<std::size_t>(i);
          all_reach(0, 2 * i + 1);
          gni_return_t result = GNI_RC_SUCCESS;
          while (result == GNI_RC_SUCCESS) {
            gni_cq_entry_t entry = 0;
            result = GNI_CqWaitEvent(queues[n], forever, &entry);
            if (result == GNI_RC_SUCCESS) ++taken;
          }
          EXPECT_EQ(GNI_RC_INVALID_PARAM, result);
          all_reach(0, 2 * i + 2);
        }
      },
      progress);
  rank.start([&] {
    const Side& side = *rank.side;
    for (int i = 0; i < rounds; ++i) {
      all_reach(1, 2 * i + 1);
      gni_post_descriptor_t write = side.descriptor(GNI_POST_CQWRITE, side, 0);
      write.cq_mode = GNI_CQMODE_SILENT;
      write.remote_mem_hndl = regions[static_cast<std::size_t>(i)];
      for (int k = 0; k < 5; ++k) {
        EXPECT_EQ(GNI_RC_SUCCESS, GNI_PostCqWrite(side.ep, &write));
        sleep_us(1);
      }
      all_reach(1, 2 * i + 2);
    }
  });
  rank.run([&] {
    const Side& side = *rank.side;
    std::mt19937 generator(11);
    for (int i = 0; i < rounds; ++i) {
      const auto n = static_cast<std::size_t>(i);
      ASSERT_EQ(GNI_RC_SUCCESS,
                GNI_CqCreate(side.nic, 64, 0, GNI_CQ_BLOCKING, nullptr, nullptr, &queues[n]));
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_MemRegister(side.nic, side.base(), 4096, queues[n],
                                                GNI_MEM_READWRITE, 0, &regions[n]));
      all_reach(2, 2 * i + 1);
      sleep_us(static_cast<double>(generator() % 80) / 10);
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqDestroy(queues[n]));
      all_reach(2, 2 * i + 2);
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_MemDeregister(side.nic, &regions[n]));
    }
  });
  EXPECT_GT(taken.load(), 0U);
  EXPECT_LE(taken.load(), 5U * rounds);
}

TEST(LiveWaitTest, PostsAreCancelledUnderWhoProbesForThem) {
  Rank rank;
  constexpr std::uint64_t rounds = 40;
  std::atomic<std::uint64_t> seen{0};
  rank.start(
      [&] {
        while (seen.load() < rounds) {
          std::uint64_t id = 0;
          const gni_return_t result = GNI_PostdataProbeWaitById(rank.side->nic, 5, &id);
          if (result == GNI_RC_TIMEOUT) continue;
          ASSERT_EQ(GNI_RC_SUCCESS, result);
          if (id == seen.load() + 1) ++seen;
          sleep_us(0.5);  // until it is taken, it is what every probe finds
        }
      },
      progress);
  rank.run([&] {
    char text[8] = "x";
    char out[8] = {};
    for (std::uint64_t id = 1; id <= rounds; ++id) {
      gni_ep_handle_t ep = nullptr;
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpCreate(rank.side->nic, nullptr, &ep));
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataWId(ep, text, 2, out, 8, id));
      sleep_us(static_cast<double>(id % 3));
      ASSERT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataCancelById(ep, id));
      while (seen.load() < id) sleep_us(1);
      gni_post_state_t state = GNI_POST_PENDING;
      std::uint32_t address = 0;
      std::uint32_t instance = 0;
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpPostDataTestById(ep, id, &state, &address, &instance));
      EXPECT_EQ(GNI_POST_TERMINATED, state);
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_EpDestroy(ep));
    }
  });
}

TEST(LiveWaitTest, InterruptsForOthersDoNotEndAWait) {
  Rank rank;
  std::atomic<bool> over{false};
  std::atomic<std::uint64_t> taken{0};
  rank.start([&] {
    gni_cq_handle_t empty = nullptr;
    ASSERT_EQ(GNI_RC_SUCCESS,
              GNI_CqCreate(rank.side->nic, 4, 0, GNI_CQ_BLOCKING, nullptr, nullptr, &empty));
    gni_cq_entry_t entry = 0;
    const Time start = now();
    EXPECT_EQ(GNI_RC_TIMEOUT, GNI_CqWaitEvent(empty, 60, &entry));
    EXPECT_TRUE(is_time(Time::microseconds(60'000), now() - start));
    over = true;
  });
  rank.start([&] { take_until_last(*rank.side, forever, taken); }, progress);
  rank.run([&] {
    std::uint64_t sent = 0;
    do {
      EXPECT_EQ(GNI_RC_SUCCESS, write_to(*rank.side, *rank.side, 1));
      ++sent;
      corespec::this_thread().sleep_until(now() + Time::microseconds(500));
    } while (!over.load());
    EXPECT_EQ(GNI_RC_SUCCESS, write_to(*rank.side, *rank.side, last_one));
    EXPECT_GT(sent, live() ? 0U : 10U);  // a busy host may let few through
  });
}

TEST(LiveWaitTest, MasksAndEventsComeAndGo) {
  Rank rank;
  constexpr std::uint64_t events = 100;
  std::atomic<std::uint64_t> taken{0};
  rank.start(
      [&] {
        while (taken.load() < events) {
          gni_cq_entry_t entry = 0;
          const gni_return_t result = GNI_CqWaitEvent(rank.side->rx, 50, &entry);
          if (result == GNI_RC_SUCCESS) ++taken;
          EXPECT_TRUE(result == GNI_RC_SUCCESS || result == GNI_RC_NOT_DONE ||
                      result == GNI_RC_TIMEOUT)
              << result;
          if (result == GNI_RC_NOT_DONE) sleep_us(1);  // masked: nobody would wake it
        }
      },
      progress);
  rank.start([&] {
    while (taken.load() < events) {
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqInterruptMask(rank.side->rx));
      sleep_us(2);
      EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqInterruptUnmask(rank.side->rx));
      sleep_us(3);
    }
  });
  rank.run([&] {
    for (std::uint64_t i = 0; i < events; ++i) {
      EXPECT_EQ(GNI_RC_SUCCESS, write_to(*rank.side, *rank.side, i));
      sleep_us(1.3);
    }
  });
}

TEST(LiveWaitTest, AWaitingThreadUsesNoCpu) {
  run_rank([] {
    Side side(1, 0, GNI_CQ_BLOCKING);
    gni_cq_entry_t entry = 0;
    const Time before = corespec::this_thread().cpu_time();
    EXPECT_EQ(GNI_RC_TIMEOUT, GNI_CqWaitEvent(side.rx, 500, &entry));
    EXPECT_LT((corespec::this_thread().cpu_time() - before).us(), 25'000);
  });
}

// ---- Signals

using Deliveries = std::atomic<int>;

/// Counts the deliveries of a signal to where its sender says, and interrupts system calls.
class SignalHandler {
 public:
  explicit SignalHandler(int number) : number_(number) {
    struct sigaction action = {};
    action.sa_flags = SA_SIGINFO;  // without SA_RESTART
    action.sa_sigaction = [](int, siginfo_t* info, void*) {
      ++*static_cast<Deliveries*>(info->si_value.sival_ptr);
    };
    EXPECT_EQ(0, sigaction(number, &action, &before_));
  }
  ~SignalHandler() { sigaction(number_, &before_, nullptr); }
  SignalHandler(const SignalHandler&) = delete;
  SignalHandler& operator=(const SignalHandler&) = delete;

  void send(pthread_t thread, Deliveries& deliveries) const {
    sigval value = {};
    value.sival_ptr = &deliveries;
    EXPECT_EQ(0, pthread_sigqueue(thread, number_, value));
  }

 private:
  int number_;
  struct sigaction before_ = {};
};

TEST(LiveWaitTest, SignalsDoNotEndAWait) {
  if (!live()) GTEST_SKIP() << "in virtual time signals are the launcher's";
  const SignalHandler handler(SIGRTMIN);  // each one sent is delivered: others may be merged
  Rank rank;
  Deliveries deliveries{0};
  Gate all_sent;  // a thread that has ended takes no signals
  std::atomic<pthread_t> waiter{};
  std::atomic<bool> timed_out{false};
  rank.start([&] {
    gni_cq_entry_t entry = 0;
    waiter = pthread_self();
    const Time start = now();
    EXPECT_EQ(GNI_RC_TIMEOUT, GNI_CqWaitEvent(rank.side->rx, 60, &entry));
    EXPECT_TRUE(is_time(Time::microseconds(60'000), now() - start));
    timed_out = true;
    EXPECT_EQ(GNI_RC_SUCCESS, GNI_CqWaitEvent(rank.side->rx, forever, &entry));
    EXPECT_EQ(5U, GNI_CQ_GET_DATA(entry));
    std::uint64_t id = 0;
    EXPECT_EQ(GNI_RC_TIMEOUT, GNI_PostdataProbeWaitById(rank.side->nic, 20, &id));
    const Time before_sleep = now();
    sleep_us(10);
    EXPECT_TRUE(is_time(test_us(10), now() - before_sleep));
    all_sent.await();
  });
  rank.run([&] {
    while (waiter.load() == pthread_t{}) sleep_us(0.1);
    const pthread_t thread = waiter.load();
    int sent = 0;
    const auto send = [&] {  // one at a time: ThreadSanitizer merges those that wait for a thread
      handler.send(thread, deliveries);
      ++sent;
      do {
        sleep_us(1);
      } while (deliveries.load() < sent);
    };
    while (sent < 20 || !timed_out.load()) send();
    EXPECT_EQ(GNI_RC_SUCCESS, write_to(*rank.side, *rank.side, 5));
    for (int i = 0; i < 10; ++i) send();
    all_sent.open();
  });
}

}  // namespace
}  // namespace nic_test
