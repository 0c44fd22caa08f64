// The lock of live threads: who has it, and who polls and sleeps with it.
#include "corespec/live/live_mutex.h"

#include <algorithm>
#include <utility>

#include "tests/corespec/live_rig.h"

namespace castor_test {
namespace {

using corespec::EventDomain;
using corespec::LiveMutex;
using corespec::Mutex;
using corespec::Signal;
using corespec::Thread;

TEST(LiveMutexTest, ASpinnerGivesTheLockToAWaiter) {
  LiveRig rig;
  Signal& signal = rig.node.memory().signal("test");
  const std::unique_ptr<Mutex> mutex = rig.node.make_mutex();
  std::atomic<bool> stop{false};
  std::atomic<bool> has_it{false};
  Thread& spinner = rig.start([&] {
    mutex->lock();
    has_it = true;
    const std::uint64_t epoch = signal.epoch();
    while (!stop) corespec::this_thread().spin(signal, epoch, Time::nanoseconds(50), mutex.get());
    mutex->unlock();
  });
  until([&] { return has_it.load(); });
  // One that would rather have the lock than sleep, and one that comes and goes.
  constexpr int rounds = 500;
  std::vector<Thread*> others;
  int inside = 0;
  for (int i = 0; i < 2; ++i) {
    others.push_back(&rig.start([&] {
      for (int round = 0; round < rounds; ++round) {
        mutex->lock();
        EXPECT_EQ(++inside, 1);
        --inside;
        mutex->unlock();
      }
    }));
  }
  for (Thread* other : others) rig.node.join(*other);
  mutex->lock();
  stop = true;
  signal.notify();
  mutex->unlock();
  rig.node.join(spinner);
  const corespec::MutexStatistics statistics = mutex->statistics();
  EXPECT_GE(statistics.acquisitions, 2U * rounds + 2);
  EXPECT_GE(statistics.waits, 1U);
}

TEST(LiveMutexTest, OfSeveralSpinnersOnePolls) {
  constexpr int spinners = 4;
  LiveRig rig;
  Signal& signal = rig.node.memory().signal("test");
  const std::unique_ptr<Mutex> mutex = rig.node.make_mutex();
  std::uint64_t arrived = 0;  // belongs to the lock's holder, as what MPI threads wait for
  rig.wire.on_arrival = [&] { signal.notify(); };
  std::atomic<int> waiting{0};
  std::vector<Thread*> threads;
  for (std::uint64_t wanted = 1; wanted <= spinners; ++wanted) {
    threads.push_back(&rig.start([&, wanted] {
      mutex->lock();
      ++waiting;
      for (std::uint64_t seen = 0; arrived < wanted;) {  // the first ones leave before the others
        const std::uint64_t epoch = signal.epoch();
        if (std::exchange(seen, epoch) != epoch) arrived = std::max(arrived, rig.wire.taken());
        if (arrived < wanted) corespec::this_thread().spin(signal, epoch, Time(), mutex.get());
      }
      mutex->unlock();
    }));
  }
  until([&] { return waiting == spinners; });
  const std::uint64_t before = mutex->statistics().acquisitions;
  const Time start = rig.clock.now();
  usleep(20000);
  // Each sleeper looks once in a millisecond, and the poller takes the lock back each time.
  const std::uint64_t looks = mutex->statistics().acquisitions - before;
  const auto milliseconds = static_cast<std::uint64_t>((rig.clock.now() - start).us() / 1000);
  EXPECT_LE(looks, 2 * (spinners - 1) * (milliseconds + 2) + 2 * spinners);
  for (Thread* thread : threads) {
    rig.wire.send();
    rig.node.join(*thread);
  }
  rig.wire.on_arrival = nullptr;
}

TEST(LiveMutexTest, CountsAndLeavesTheDomainWhileItWaits) {
  LiveRig rig;
  const std::unique_ptr<Mutex> mutex = rig.node.make_mutex();
  std::atomic<bool> waits{false};
  mutex->lock();
  EXPECT_FALSE(mutex->try_lock());
  Thread& thread = rig.start([&] {
    const EventDomain::Hold hold(rig.domain);
    waits = true;
    mutex->lock();
    mutex->unlock();
  });
  until([&] { return waits && static_cast<LiveMutex&>(*mutex).wanted(); });
  const Time start = rig.clock.now();
  { const EventDomain::Hold hold(rig.domain); }  // would never return
  usleep(5000);
  const Time held = rig.clock.now() - start;
  mutex->unlock();
  rig.node.join(thread);
  const corespec::MutexStatistics statistics = mutex->statistics();
  EXPECT_EQ(statistics.acquisitions, 2U);
  EXPECT_EQ(statistics.waits, 1U);
  EXPECT_GE(statistics.waited, held);
  EXPECT_TRUE(mutex->try_lock());
  mutex->unlock();
}

TEST(LiveMutexTest, KeepsThreadsApart) {
  LiveRig rig;
  const std::unique_ptr<Mutex> mutex = rig.node.make_mutex();
  std::uint64_t counter = 0;
  std::vector<Thread*> threads;
  for (int i = 0; i < 4; ++i) {
    threads.push_back(&rig.start([&, i] {
      for (int round = 0; round < 10'000; ++round) {
        mutex->lock();
        ++counter;
        if (i == 0 && round % 10 == 0) static_cast<LiveMutex&>(*mutex).yield();
        mutex->unlock();
      }
    }));
  }
  for (Thread* thread : threads) rig.node.join(*thread);
  EXPECT_EQ(counter, 40'000U);
}

}  // namespace
}  // namespace castor_test
