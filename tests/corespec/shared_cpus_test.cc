// What threads of a node do to each other: teams, hyper-threads, locks, the walk of an interrupt.
#include <algorithm>
#include <string>

#include "tests/corespec/threads_rig.h"

namespace corespec {
namespace {

using SharedCpusTest = ThreadsTest;

constexpr int spare = 1;  // service CPUs

TEST_F(SharedCpusTest, TheHandlerTakesLongerWithEverySleeper) {
  PlacementRequest request;
  request.ranks_per_node = 3;
  Parameters parameters;
  parameters.interrupt_sleeper = us(2);
  build(request, parameters);
  Queue queues[3];
  Time woken;
  Time done;
  for (int rank = 0; rank < 3; ++rank) {
    start(rank, [&, rank] {
      charge(us(100));
      if (rank == 0) done = this_thread().now();
    });
    start_progress(rank, [&, rank] {  // all on CPU 3
      this_thread().wait_interrupt(queues[rank], Time::max());
      if (rank == 0) woken = this_thread().now();
    });
  }
  Device device(*node, us(10), &queues[0]);
  machine->run();
  // The handler is on CPU 0: 1 us, and 2 for each of two more sleepers.
  EXPECT_EQ(done, us(100 + 1 + 2 + 2));
  EXPECT_EQ(woken, us(10 + 5 + 4 + 1.5));
  EXPECT_EQ(node->statistics().empty_wakeups, 2u);
}

TEST_F(SharedCpusTest, AJoinedThreadStaysUntilItsLastEvent) {
  build(1, 0);
  Queue queue;
  Device device(*node, us(10), &queue);
  std::size_t after_join = 0;
  start(0, [&] {
    Thread& sleeper = start_progress(0, [&] {  // the deadline's event outlives it
      EXPECT_TRUE(this_thread().wait_interrupt(queue, us(1000)));
    });
    node->join(sleeper);
    EXPECT_LT(this_thread().now(), us(100));
    after_join = node->threads().size();
  });
  EXPECT_FALSE(machine->run().deadlock);
  EXPECT_EQ(after_join, 2u);
  EXPECT_EQ(node->threads().size(), 1u);
}

TEST_F(SharedCpusTest, SleepersOnTheHandlersCpuCostItNothing) {
  PlacementRequest request;
  request.ranks_per_node = 3;
  request.service_cpus = 1;
  Parameters parameters;
  parameters.interrupt_sleeper = us(2);
  build(request, parameters);
  Queue queues[3];
  Time woken;
  for (int rank = 0; rank < 3; ++rank) {
    start_progress(rank, [&, rank] {
      this_thread().wait_interrupt(queues[rank], Time::max());
      if (rank == 0) woken = this_thread().now();
    });
  }
  Device device(*node, us(10), &queues[0]);
  machine->run();
  EXPECT_EQ(woken, us(10 + 1 + 1.5));
}

TEST_F(SharedCpusTest, WithManyInterruptsOnlyTheOneItIsForWakes) {
  PlacementRequest request;
  request.ranks_per_node = 2;
  Parameters parameters;
  parameters.interrupt_sleeper = us(2);
  parameters.inband_interrupts = "many";
  build(request, parameters);
  Queue queues[2];
  Time woken[2];
  Time done[2];
  for (int rank = 0; rank < 2; ++rank) {
    start(rank, [&, rank] {
      charge(us(100));
      done[rank] = this_thread().now();
    });
    start_progress(rank, [&, rank] {  // on the spare CPUs 2 and 3
      this_thread().wait_interrupt(queues[rank], Time::max());
      woken[rank] = this_thread().now();
    });
  }
  Device first(*node, us(10), &queues[1]);
  Device again(*node, us(10.5), &queues[1]);
  machine->run();
  // Handler 1 and wake-up 1.5 on a CPU that nobody else uses.
  EXPECT_EQ(woken[1], us(12.5));
  EXPECT_EQ(woken[0], Time());
  EXPECT_EQ(done[0], us(100));
  EXPECT_EQ(done[1], us(100));
  EXPECT_EQ(node->statistics().interrupts, 1u);
  EXPECT_EQ(node->statistics().coalesced, 1u);
  EXPECT_EQ(node->statistics().empty_wakeups, 0u);
}

TEST_F(SharedCpusTest, HyperThreadsSlowEachOtherDownWhileBothAreBusy) {
  description = "package:1 core:2 pu:2";
  PlacementRequest request;
  request.ranks_per_node = 4;
  Parameters parameters;
  parameters.shared_unit_speed = 50;
  build(request, parameters);
  Time done[4];
  const double work[4] = {10, 30, 20, 0};
  for (int rank = 0; rank < 4; ++rank) {
    start(rank, [&, rank] {
      charge(us(work[rank]));
      done[rank] = this_thread().now();
    });
  }
  machine->run();
  EXPECT_EQ(done[0], us(20));       // half as fast throughout
  EXPECT_EQ(done[1], us(20 + 20));  // 10 at half speed, 20 alone
  EXPECT_EQ(done[2], us(20));       // alone
  EXPECT_EQ(done[3], Time());
}

TEST_F(SharedCpusTest, AWokenHyperThreadTakesSpeedAsLongAsItRuns) {
  description = "package:1 core:1 pu:2";
  PlacementRequest request;
  request.ranks_per_node = 1;
  request.cpus_per_compute_unit = 1;
  request.service_cpus = spare;
  Parameters parameters;
  parameters.shared_unit_speed = 50;
  build(request, parameters);
  Queue queue;
  Time done;
  Time slept;
  start(0, [&] {
    charge(us(100));
    done = this_thread().now();
  });
  start_progress(0, [&] {
    this_thread().wait_interrupt(queue, Time::max());
    charge(us(3));
    slept = this_thread().now();
  });
  Device device(*node, us(10), &queue);
  machine->run();
  // Awake from 11 on: wake-up 1.5 and work 3, both at half speed, and the rank meanwhile, too.
  EXPECT_EQ(slept, us(11 + 9));
  EXPECT_EQ(done, us(100 + 4.5));
}

TEST_F(SharedCpusTest, AFreeLockIsTakenByWhoComesFirst) {
  for (const char* order : {"queue", "free"}) {
    ranks.clear();
    PlacementRequest request;
    request.ranks_per_node = 2;
    Parameters parameters;
    parameters.lock_order = order;
    build(request, parameters);
    const std::unique_ptr<Mutex> mutex = node->make_mutex();
    Time again;
    Time other;
    start(0, [&] {
      mutex->lock();
      charge(us(10));
      mutex->unlock();
      charge(ns(100));
      mutex->lock();
      again = this_thread().now();
      charge(us(5));
      mutex->unlock();
    });
    start(1, [&] {
      charge(us(2));
      mutex->lock();
      other = this_thread().now();
      charge(us(1));
      mutex->unlock();
    });
    machine->run();
    // A lock costs 60 ns and a hand-over 800. Queued, the other has the lock from 10.06 on and the
    // first gets it back a hand-over after that; free, the first has it while the other wakes up.
    const bool queued = std::string(order) == "queue";
    EXPECT_EQ(other, queued ? us(10.06 + 0.8) : us(10.22 + 5 + 0.8)) << order;
    EXPECT_EQ(again, queued ? us(10.86 + 1 + 0.8) : us(10.22)) << order;
  }
}

TEST_F(SharedCpusTest, ASpinnerHasItsFreeLockBackWhenItGoesOn) {
  PlacementRequest request;
  request.ranks_per_node = 2;
  Parameters parameters;
  parameters.lock_order = "free";
  build(request, parameters);
  const std::unique_ptr<Mutex> mutex = node->make_mutex();
  Signal signal;
  int held = 0;
  int most = 0;
  const auto enter = [&] { most = std::max(most, ++held); };
  start(0, [&] {
    mutex->lock();
    while (signal.epoch() == 0) this_thread().spin(signal, 0, ns(50), mutex.get());
    enter();
    charge(us(1));
    this_thread().sync();
    --held;
    mutex->unlock();
  });
  start(1, [&] {
    for (int i = 0; i < 3; ++i) {
      mutex->lock();
      enter();
      charge(us(1));
      this_thread().sync();
      --held;
      if (i == 2) signal.notify();
      mutex->unlock();
    }
  });
  EXPECT_FALSE(machine->run().deadlock);
  EXPECT_EQ(most, 1);
}

/// A thread that polls for what another one does, both on the one CPU of the node.
struct SharedCpu {
  Time begun;  ///< the other's first instruction
  Time seen;   ///< by the poller
};

class OneCpuTest : public SharedCpusTest {
 protected:
  SharedCpu run(const Parameters& parameters, bool gives_way) {
    ranks.clear();
    description = "package:1 core:1 pu:1";
    PlacementRequest request;
    request.ranks_per_node = 1;
    build(request, parameters);
    Signal signal;
    SharedCpu result;
    start_progress(0, [&] {
      while (signal.epoch() == 0) this_thread().spin(signal, 0, ns(50), nullptr, gives_way);
      result.seen = this_thread().now();
    });
    start_progress(0, [&] {
      result.begun = this_thread().now();
      charge(us(1));
      this_thread().sync();
      signal.notify();
      charge(us(500));
      this_thread().sync();
    });
    EXPECT_FALSE(machine->run().deadlock);
    return result;
  }
};

TEST_F(OneCpuTest, APollerThatGivesWayDoesNotHaveItsSlice) {
  Parameters parameters;
  parameters.time_slice = us(100);
  const SharedCpu keeps = run(parameters, false);
  const SharedCpu gives = run(parameters, true);
  EXPECT_GE(keeps.begun, us(100));
  EXPECT_LT(gives.begun, us(5));
  // The other thread has a whole slice then; a switch, a look. The thread that was preempted finds
  // its cache cold.
  EXPECT_EQ(gives.seen - gives.begun, us(100 + 1.5 + 0.05));
  EXPECT_EQ(keeps.seen - keeps.begun, us(100 + 1.5 + 0.05 + 3));
}

/// Slices go on and on, but bring nothing: seen as a deadlock, unless something is still to come.
TEST_F(OneCpuTest, PollersThatNothingIsToComeForAreADeadlock) {
  for (const bool gives_way : {false, true}) {
    for (const bool comes : {false, true}) {
      ranks.clear();
      description = "package:1 core:1 pu:1";
      PlacementRequest request;
      request.ranks_per_node = 1;
      build(request, Parameters());
      Signal signal;
      const auto poll = [&] {
        while (signal.epoch() == 0) this_thread().spin(signal, 0, ns(50), nullptr, gives_way);
      };
      start(0, poll);
      start_progress(0, poll);
      start_progress(0, [&] {
        if (!comes) return;
        this_thread().sleep_until(us(500000));
        this_thread().sync();
        signal.notify();
      });
      const VirtualMachine::Result result = machine->run();
      EXPECT_EQ(result.deadlock, !comes);
      EXPECT_LT(result.time, Time::seconds(10));
      EXPECT_EQ(result.time >= us(500000), comes);
    }
  }
}

TEST_F(OneCpuTest, TheFirstSliceMayBeAPartThatTheSeedDecides) {
  Parameters parameters;
  parameters.time_slice = us(100);
  const Time whole = run(parameters, false).begun;
  parameters.slice_phase = "drawn";
  const Time part = run(parameters, false).begun;
  EXPECT_LT(part, whole);
  EXPECT_EQ(part, run(parameters, false).begun);
  parameters.seed = 2;
  EXPECT_NE(part, run(parameters, false).begun);
}

}  // namespace
}  // namespace corespec
