// Threads on modelled CPUs: exact virtual times of work, waiting, interrupts and preemption.
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/corespec/threads_rig.h"

namespace corespec {
namespace {

TEST_F(ThreadsTest, ChargesAreWorkedOffBeforeTheClockIsRead) {
  build(1, 0);
  Time seen;
  Thread& thread = start(0, [&] {
    charge(us(10));
    charge(us(5));
    seen = this_thread().now();
  });
  EXPECT_FALSE(machine->run().deadlock);
  EXPECT_EQ(seen, us(15));
  EXPECT_EQ(thread.cpu_time(), us(15));
}

TEST_F(ThreadsTest, SpinEndsAtThePollBoundaryAfterTheSignal) {
  build(2, 0);
  Signal signal;
  Time seen;
  start(0, [&] {
    this_thread().spin(signal, signal.epoch(), ns(50));
    seen = this_thread().now();
  });
  start(1, [&] {
    charge(ns(1020));
    this_thread().sync();
    signal.notify();
  });
  machine->run();
  EXPECT_EQ(seen, ns(1050));
}

TEST_F(ThreadsTest, SpinReturnsAtOnceIfTheSignalMovedOn) {
  build(1, 0);
  Signal signal;
  Time seen;
  start(0, [&] {
    const auto epoch = signal.epoch();
    signal.notify();
    this_thread().spin(signal, epoch, ns(50));
    seen = this_thread().now();
  });
  machine->run();
  EXPECT_EQ(seen, Time());
}

/// A thread that owes work when it begins to wait: no event tells when it comes to polling.
class OwingSpinTest : public ThreadsTest {
 protected:
  /// Rank 0 owes `work` and polls every 300 ns for a signal that rank 1 gives at `notified`; what
  /// happens meanwhile is up to `disturb`. The time at which rank 0 goes on.
  Time goes_on(Time work, Time notified, const std::function<void()>& disturb = {}) {
    Signal signal;
    Time seen;
    waiter = &start(0, [&] {
      charge(work);
      this_thread().spin(signal, signal.epoch(), ns(300));
      seen = this_thread().now();
    });
    start(1, [&] {
      charge(notified);
      this_thread().sync();
      signal.notify();
    });
    if (disturb) disturb();
    EXPECT_FALSE(machine->run().deadlock);
    return seen;
  }

  Thread* waiter = nullptr;
  std::optional<Device> device;
};

TEST_F(OwingSpinTest, NotifiedWhileItWorksItGoesOnWhenThatIsDone) {
  build(2, 0);
  EXPECT_EQ(goes_on(ns(10020), ns(4000)), ns(10020));
  EXPECT_EQ(waiter->cpu_time(), ns(10020));
}

TEST_F(OwingSpinTest, NotifiedLaterItHasPolledSinceItsWorkWasDone) {
  build(2, 0);
  EXPECT_EQ(goes_on(ns(10020), ns(30000)), ns(10020 + 67 * 300));
  EXPECT_EQ(waiter->cpu_time(), ns(10020 + 67 * 300));
}

TEST_F(OwingSpinTest, AnInterruptBeforeMakesTheWorkLonger) {
  build(2, 0);
  EXPECT_EQ(goes_on(ns(10020), ns(8000), [&] { device.emplace(*node, us(5), nullptr); }),
            ns(10020 + 1000));
}

TEST_F(OwingSpinTest, AnInterruptThenStopsThePollingLoopWhereItIs) {
  build(2, 0);
  // 80 ns into a poll at 20 us, and 1 us later again.
  EXPECT_EQ(goes_on(ns(10020), ns(30000), [&] { device.emplace(*node, us(20), nullptr); }),
            ns(21000 - 80 + 31 * 300));
}

TEST_F(OwingSpinTest, PreemptedItGoesOnWithItsWorkOrItsPolling) {
  // Twice a switch back of 1.5 us and a refill of 3, once when the progress thread begins; handler
  // 1, wake-up 1.5, its work 3. Either the work ends that much later, or polling begins anew.
  const Time stolen = us(2 * (1.5 + 3) + 1 + 1.5 + 3);
  const std::pair<Time, Time> cases[] = {{us(5), us(10.02) + stolen + ns(119 * 300)},
                                         {us(20), us(20 + 1 + 1.5 + 3 + 1.5 + 3) + ns(101 * 300)}};
  for (const auto& [interrupt, expected] : cases) {
    description = "package:1 core:2 pu:1";
    build(2, 0);  // no CPU to spare: the progress thread takes its rank's
    Queue queue;
    const Time seen = goes_on(ns(10020), us(60), [&, interrupt = interrupt] {
      start_progress(0, [&] {
        this_thread().wait_interrupt(queue, Time::max());
        charge(us(3));
      });
      device.emplace(*node, interrupt, &queue);
    });
    EXPECT_EQ(node->statistics().preemptions, 2U);
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(waiter->stolen_time(), stolen);
    EXPECT_EQ(waiter->cpu_time(), seen - us(1 + 1.5 + 3));  // what the others had
    ranks.clear();
  }
}

TEST_F(OwingSpinTest, InADeadlockItPolls) {
  build(1, 0);
  Signal never;
  start(0, [&] {
    charge(us(1));
    this_thread().spin(never, never.epoch(), ns(50));
  });
  const auto result = machine->run();
  ASSERT_TRUE(result.deadlock);
  ASSERT_EQ(result.stuck.size(), 1u);
  EXPECT_NE(result.stuck[0].find("polls"), std::string::npos) << result.stuck[0];
}

TEST_F(ThreadsTest, ContendedMutexIsHandedOverAtACost) {
  build(2, 0);
  std::unique_ptr<Mutex> mutex = node->make_mutex();
  Time got;
  start(0, [&] {
    mutex->lock();  // at 60 ns
    charge(us(10));
    mutex->unlock();  // at 10.06 us
  });
  start(1, [&] {
    charge(us(1));
    mutex->lock();
    got = this_thread().now();
    mutex->unlock();
  });
  machine->run();
  EXPECT_EQ(got, ns(10060 + 800));
  EXPECT_EQ(mutex->statistics().waits, 1u);
  EXPECT_EQ(mutex->statistics().waited, got - ns(1060));
}

TEST_F(ThreadsTest, SpinningHolderYieldsTheLockAtItsPollBoundary) {
  build(2, 0);
  std::unique_ptr<Mutex> mutex = node->make_mutex();
  Signal signal;
  Time got;
  Time back;
  start(0, [&] {
    mutex->lock();  // at 60 ns: boundaries at 110, 160, ...
    this_thread().spin(signal, signal.epoch(), ns(50), mutex.get());
    back = this_thread().now();
    mutex->unlock();
  });
  start(1, [&] {
    charge(ns(1000));
    mutex->lock();  // asks at 1060: the next boundary is 1110
    got = this_thread().now();
    charge(us(2));
    mutex->unlock();
  });
  machine->run();
  EXPECT_EQ(got, ns(1110 + 800));
  EXPECT_EQ(back, got + us(2) + ns(800));
}

TEST_F(ThreadsTest, InterruptWakesAThreadOnTheHandlersCpu) {
  build(1, 1);
  Queue queue;
  Time woken;
  start(0, [] { charge(us(100)); });
  start_progress(0, [&] {
    EXPECT_TRUE(this_thread().wait_interrupt(queue, Time::max()));
    woken = this_thread().now();
  });
  Device device(*node, us(10), &queue);
  machine->run();
  EXPECT_EQ(node->interrupt_cpu(), 3);
  EXPECT_EQ(woken, us(10 + 1 + 1.5));
}

TEST_F(ThreadsTest, InterruptWakesAThreadOnAnotherCpuLater) {
  build(1, 0);  // a spare CPU but no core specialization: the interrupt hits the rank's CPU 0
  Queue queue;
  Time woken;
  Time done;
  Thread& rank = start(0, [&] {
    charge(us(100));
    done = this_thread().now();
  });
  start_progress(0, [&] {
    this_thread().wait_interrupt(queue, Time::max());
    woken = this_thread().now();
  });
  Device device(*node, us(10), &queue);
  machine->run();
  EXPECT_EQ(node->interrupt_cpu(), 0);
  EXPECT_EQ(woken, us(10 + 1 + 4 + 1.5));
  EXPECT_EQ(done, us(101));  // the handler's microsecond
  EXPECT_EQ(rank.stolen_time(), us(1));
}

TEST_F(ThreadsTest, WithoutASpareCpuTheProgressThreadPreemptsItsRank) {
  build(4, 0);
  Queue queue;
  Time woken;
  Time done;
  start(0, [&] {
    charge(us(100));
    done = this_thread().now();
  });
  for (int other = 1; other < 4; ++other) start(other, [] { charge(us(100)); });
  start_progress(0, [&] {
    this_thread().wait_interrupt(queue, Time::max());
    woken = this_thread().now();
    charge(us(2));
  });
  Device device(*node, us(10), &queue);
  machine->run();
  EXPECT_EQ(woken, us(10 + 1 + 1.5));
  // Handler 1, wake 1.5, the thread's own 2, switch back 1.5, cache refill 3; and once before,
  // when the thread started and went to sleep, a switch back and a refill.
  EXPECT_EQ(done, us(1.5 + 3 + 100 + 1 + 1.5 + 2 + 1.5 + 3));
}

TEST_F(ThreadsTest, AWakeUpInVainTakesTheCpuFromItsRank) {
  build(4, 0);
  Queue queues[2];
  Time done;
  for (int rank = 0; rank < 4; ++rank) {
    start(rank, [&, rank] {
      charge(us(100));
      if (rank == 1) done = this_thread().now();
    });
  }
  for (int rank = 0; rank < 2; ++rank) {
    start_progress(rank, [&, rank] { this_thread().wait_interrupt(queues[rank], Time::max()); });
  }
  Device device(*node, us(50), &queues[0]);
  machine->run();
  // When its thread started and went to sleep: a switch back and a refill. By the interrupt that is
  // for rank 0's thread: to its own, a look, back, and the refill.
  EXPECT_EQ(done, us(1.5 + 3 + 100 + 1.5 + 0.2 + 1.5 + 3));
  EXPECT_EQ(node->statistics().empty_wakeups, 1u);
}

TEST_F(ThreadsTest, FanOutServesThreadsInOrderOfRegistration) {
  build(3, 1);
  Queue queues[3];
  Time woken[3];
  for (int rank = 0; rank < 3; ++rank) {
    start(rank, [] { charge(us(100)); });
    start_progress(rank, [&, rank] {
      this_thread().wait_interrupt(queues[rank], Time::max());
      woken[rank] = this_thread().now();
      charge(us(1));
    });
  }
  queues[2].entries = 0;
  Device first(*node, us(10), &queues[0]);
  Device second(*node, us(10), &queues[2]);
  machine->run();
  // One service CPU: handler 1; rank 0 wakes 1.5 and works 1; rank 1 is switched to (1.5) and finds
  // nothing (0.2); rank 2.
  EXPECT_EQ(woken[0], us(12.5));
  EXPECT_EQ(woken[2], us(12.5 + 1 + 1.5 + 0.2 + 1.5));
  EXPECT_EQ(woken[1], Time());
  EXPECT_EQ(node->statistics().coalesced, 1u);
  EXPECT_EQ(node->statistics().interrupts, 1u);
  EXPECT_EQ(node->statistics().threads_woken, 2u);
  EXPECT_EQ(node->statistics().empty_wakeups, 1u);
}

TEST_F(ThreadsTest, TimedWaitEndsWithoutAnInterrupt) {
  build(1, 1);
  Queue queue;
  Time seen;
  bool result = true;
  start(0, [&] {
    result = this_thread().wait_interrupt(queue, us(50));
    seen = this_thread().now();
  });
  machine->run();
  EXPECT_FALSE(result);
  EXPECT_EQ(seen, us(51.5));
}

TEST_F(ThreadsTest, TimedWaitEndsWhileTheKernelLooksInVain) {
  build(1, 1);
  Queue queue;
  Queue other;
  Time seen;
  bool result = true;
  start_progress(0, [&] {
    result = this_thread().wait_interrupt(queue, us(11.1));
    seen = this_thread().now();
  });
  Device device(*node, us(10), &other);  // the handler takes 1 us, switch and look 1.5 and 0.2
  EXPECT_FALSE(machine->run().deadlock);
  EXPECT_FALSE(result);
  EXPECT_EQ(seen, us(11 + 1.5 + 0.2 + 1.5));
  EXPECT_EQ(node->statistics().empty_wakeups, 1u);
}

TEST_F(ThreadsTest, ThreadsAskForTheServiceCpus) {
  build(1, 1);
  int before = -1;
  int after = -1;
  bool granted = false;
  start(0, [&] {
    before = this_thread().cpu();
    granted = this_thread().use_service_cpus();
    after = this_thread().cpu();
  });
  machine->run();
  EXPECT_TRUE(granted);
  EXPECT_EQ(before, 0);
  EXPECT_EQ(after, 3);
}

TEST_F(ThreadsTest, WithoutCoreSpecializationThereAreNoServiceCpus) {
  build(1, 0);
  bool granted = true;
  start(0, [&] { granted = this_thread().use_service_cpus(); });
  machine->run();
  EXPECT_FALSE(granted);
}

TEST_F(ThreadsTest, ThreadsOfOneCpuShareItByTimeSlices) {
  PlacementRequest request;
  request.ranks_per_node = 4;
  Parameters parameters;
  parameters.time_slice = us(10);
  build(request, parameters);
  Time done[2];
  start(0, [&] {
    charge(us(25));
    done[0] = this_thread().now();
  });
  start_progress(0, [&] {  // new, so it preempts; then it gets its slices like the other
    charge(us(5));
    this_thread().yield();
    charge(us(5));
    done[1] = this_thread().now();
  });
  machine->run();
  // It works 5, enters the kernel to yield 0.3; the rank is switched to (1.5 + 3) and works for
  // the rest of its slice of 10; the thread is switched to (1.5) and works its second 5.
  EXPECT_EQ(done[1], us(5 + 0.3 + 10 + 1.5 + 5));
  // The rank worked 5.5 of its 25, and is switched to once more.
  EXPECT_EQ(done[0], done[1] + us(1.5 + 3 + (25 - 5.5)));
}

/// Also if its slice would have lasted longer.
TEST_F(ThreadsTest, ARunEndsWithItsLastThread) {
  PlacementRequest request;
  request.ranks_per_node = 4;
  Parameters parameters;
  parameters.time_slice = us(1000);
  build(request, parameters);
  start(0, [&] { charge(us(25)); });
  start_progress(0, [&] { charge(us(5)); });  // new, so it preempts
  const VirtualMachine::Result result = machine->run();
  EXPECT_EQ(result.time, us(5 + 1.5 + 3 + 25));
}

/// Nor does it wait for the slices of a node that has failed.
TEST_F(ThreadsTest, ARunEndsWithItsLastNode) {
  struct Failure final : Event {
    explicit Failure(VirtualNode& failing) : node(failing) {
      node.domain().schedule(us(30), source, *this, 0);
    }
    void fire(std::uint64_t) override { node.halt(); }
    VirtualNode& node;
    EventSource source{0xfff, 0};
  };
  PlacementRequest request;
  request.ranks_per_node = 4;
  Parameters parameters;
  parameters.time_slice = us(1000);
  build(request, parameters);
  start(0, [&] { charge(us(25)); });
  start_progress(0, [&] { charge(us(40)); });
  Failure failure(*node);
  const VirtualMachine::Result result = machine->run();
  EXPECT_EQ(result.time, us(40));  // what the thread has begun
}

TEST_F(ThreadsTest, JoinWaitsForTheThread) {
  build(1, 1);
  Time joined;
  start(0, [&] {
    Thread& helper =
        node->start_thread(ThreadRole::progress, ranks[0].get(), [] { charge(us(30)); });
    node->join(helper);
    joined = this_thread().now();
  });
  machine->run();
  EXPECT_EQ(joined, us(31.5));
}

TEST_F(ThreadsTest, SleepersWakeAtTheirTime) {
  build(1, 0);
  Time seen;
  start(0, [&] {
    this_thread().sleep_until(us(40));
    seen = this_thread().now();
  });
  machine->run();
  EXPECT_EQ(seen, us(41.5));
}

TEST_F(ThreadsTest, DeadlockIsReportedByRank) {
  build(1, 0);
  Signal never;
  start(0, [&] { this_thread().spin(never, never.epoch(), ns(50)); });
  const auto result = machine->run();
  ASSERT_TRUE(result.deadlock);
  ASSERT_EQ(result.stuck.size(), 1u);
  EXPECT_NE(result.stuck[0].find("rank 0"), std::string::npos);
}

TEST_F(ThreadsTest, ExceptionsStayOnTheirFiber) {
  build(2, 0);
  int caught = 0;
  for (int rank = 0; rank < 2; ++rank) {
    start(rank, [&, rank] {
      try {
        throw std::runtime_error("first");
      } catch (const std::exception&) {
        charge(us(1 + rank));
        this_thread().sync();  // the other rank throws and catches in between
        try {
          throw std::logic_error("second");
        } catch (const std::logic_error& error) {
          caught += std::string(error.what()) == "second";
        }
      }
    });
  }
  machine->run();
  EXPECT_EQ(caught, 2);
}

TEST_F(ThreadsTest, EqualRunsHaveEqualFingerprints) {
  std::uint64_t prints[3];
  for (int run = 0; run < 3; ++run) {
    ranks.clear();
    PlacementRequest request;
    request.ranks_per_node = 2;
    Parameters parameters;
    parameters.noise = true;
    parameters.noise_tick_interval = us(400);
    parameters.seed = run == 2 ? 7 : 1;
    build(request, parameters);
    for (int rank = 0; rank < 2; ++rank) {
      start(rank, [] {
        for (int i = 0; i < 100; ++i) {
          charge(us(20));
          this_thread().sync();
        }
      });
    }
    prints[run] = machine->run().fingerprint;
  }
  EXPECT_EQ(prints[0], prints[1]);
  EXPECT_NE(prints[0], prints[2]);
}

TEST_F(ThreadsTest, CoreSpecializationConfinesNoise) {
  Time stolen[2];
  for (int service = 0; service < 2; ++service) {
    ranks.clear();
    PlacementRequest request;
    request.ranks_per_node = 1;
    request.service_cpus = service;
    Parameters parameters;
    parameters.noise = true;
    parameters.noise_tick_interval = us(200);
    build(request, parameters);
    Thread& rank = start(0, [] {
      for (int i = 0; i < 1000; ++i) {
        charge(us(20));
        this_thread().sync();
      }
    });
    machine->run();
    stolen[service] = rank.stolen_time();
  }
  EXPECT_GT(stolen[0], us(100));
  EXPECT_EQ(stolen[1], Time());
}

/// Lengths of ten sleeps of 100 us on a node with wake-up jitter.
std::vector<Time> jittered_sleeps(VirtualNode& node, VirtualMachine& machine, Process& process) {
  std::vector<Time> lengths;
  node.start_thread(ThreadRole::application, &process, [&] {
    for (int i = 0; i < 10; ++i) {
      const Time before = this_thread().now();
      this_thread().sleep_until(before + us(100));
      lengths.push_back(this_thread().now() - before);
    }
  });
  machine.run();
  return lengths;
}

TEST_F(ThreadsTest, WakeJitterIsBoundedAndFollowsTheSeed) {
  std::vector<std::vector<Time>> runs;
  for (const int seed : {1, 1, 2}) {
    ranks.clear();
    Parameters parameters;
    parameters.seed = seed;
    parameters.wake_jitter = us(3);
    build(PlacementRequest{}, parameters);
    runs.push_back(jittered_sleeps(*node, *machine, *ranks.front()));
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0], runs[2]);
  const Parameters defaults;
  const Time least = us(100) + defaults.thread_wake + defaults.context_switch;
  for (const Time length : runs[0]) {
    EXPECT_GE(length, us(100) + defaults.thread_wake);
    EXPECT_LT(length, least + us(3));
  }
  EXPECT_NE(runs[0].front(), runs[0].back());
}

TEST_F(ThreadsTest, WithoutJitterTheSeedChangesNothing) {
  std::vector<std::vector<Time>> runs;
  std::vector<std::uint64_t> fingerprints;
  for (const int seed : {1, 2}) {
    ranks.clear();
    Parameters parameters;
    parameters.seed = seed;
    build(PlacementRequest{}, parameters);
    runs.push_back(jittered_sleeps(*node, *machine, *ranks.front()));
    fingerprints.push_back(machine->run().fingerprint);
    for (const Time length : runs.back()) EXPECT_EQ(length, runs.front().front());
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(fingerprints[0], fingerprints[1]);
}

}  // namespace
}  // namespace corespec
