// What is seen of deadlocks while events go on: noise, and threads that hand a lock round.
#include "corespec/virtual/news_watch.h"

#include <functional>
#include <memory>

#include "tests/corespec/threads_rig.h"

namespace corespec {
namespace {

/// Threads of one rank that poll for the same signal, one lock between them.
class LockedPollTest : public ThreadsTest {
 protected:
  /// Besides the pollers rank 1 does `other` with the signal.
  VirtualMachine::Result run_pollers(std::function<void(Signal&)> other) {
    PlacementRequest request;
    request.ranks_per_node = 2;
    Parameters parameters;
    parameters.noise = true;
    build(request, parameters);
    mutex = node->make_mutex();
    Signal& signal = node->memory().signal("arrivals");
    const auto poll = [this, &signal] {
      mutex->lock();
      while (signal.epoch() == 0) {
        charge(ns(100));
        this_thread().sync();
        this_thread().spin(signal, 0, ns(50), mutex.get());
      }
      mutex->unlock();
      done = this_thread().now();
    };
    start(0, poll);
    start_progress(0, poll);
    start(1, [&] { other(signal); });
    return machine->run();
  }
  std::unique_ptr<Mutex> mutex;
  Time done;
};

TEST_F(LockedPollTest, IsADeadlockIfNothingElseIsLeft) {
  const VirtualMachine::Result result = run_pollers([](Signal&) { charge(us(10)); });
  EXPECT_TRUE(result.deadlock);
  EXPECT_EQ(result.stuck_ranks, 1U);
  ASSERT_EQ(result.stuck.size(), 1U);
  EXPECT_NE(result.stuck[0].find("rank 0"), std::string::npos);
}

TEST_F(LockedPollTest, WaitsForWhatIsStillToCome) {
  const std::function<void()> ways[] = {[] { charge(us(20000)); },
                                        [] { this_thread().sleep_until(us(20000)); }};
  for (const auto& way : ways) {
    const VirtualMachine::Result result = run_pollers([&way](Signal& signal) {
      way();
      this_thread().sync();
      signal.notify();
    });
    EXPECT_FALSE(result.deadlock);
    EXPECT_GT(done, us(20000));
    ranks.clear();
  }
}

/// One rank and noise, and what the machine says of it at the end.
class NoiseTest : public ThreadsTest {
 protected:
  VirtualMachine::Result run_with_noise(std::function<void()> body) {
    PlacementRequest request;
    request.ranks_per_node = 1;
    request.service_cpus = 1;  // it steals nothing from the rank
    Parameters parameters;
    parameters.noise = true;
    build(request, parameters);
    for (int i = 0; i < 10; ++i) machine->add_domain();
    start(0, std::move(body));
    return machine->run();
  }
};

TEST_F(NoiseTest, LetsADeadlockBeSeen) {
  const Signal never;
  const VirtualMachine::Result result =
      run_with_noise([&never] { this_thread().spin(never, never.epoch(), us(1)); });
  EXPECT_TRUE(result.deadlock);
  ASSERT_EQ(result.stuck.size(), 1U);
  EXPECT_LT(result.time, Time::seconds(10));
}

TEST_F(NoiseTest, LetsRanksSleep) {
  Time woken;
  const VirtualMachine::Result result = run_with_noise([&woken] {
    for (int i = 0; i < 3; ++i) this_thread().sleep_until(this_thread().now() + us(100e6));
    woken = this_thread().now();
  });
  EXPECT_FALSE(result.deadlock);
  EXPECT_GT(woken, us(300e6));
}

TEST_F(NoiseTest, EndsWithTheLastRank) {
  Time end;
  const VirtualMachine::Result result = run_with_noise([&end] {
    charge(us(50));
    end = this_thread().now();
  });
  EXPECT_EQ(result.time, end);
}

}  // namespace
}  // namespace corespec
