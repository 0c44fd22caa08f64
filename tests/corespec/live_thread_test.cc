// Live threads: sleeping until interrupts, polling, adoption, where they run.
#include <pthread.h>
#include <sys/mman.h>

#include <csignal>
#include <random>
#include <thread>

#include "tests/corespec/live_rig.h"

namespace castor_test {
namespace {

using corespec::EventDomain;
using corespec::EventSource;
using corespec::Mutex;
using corespec::Signal;
using corespec::Thread;
using corespec::ThreadRole;

TEST(LiveThreadTest, SleepsUntilTheInterruptFindsItReady) {
  LiveRig rig;
  Flag flag(rig.domain);
  std::atomic<int> result{-1};
  Thread& thread = rig.start([&] {
    const EventDomain::Hold outer(rig.domain);
    const EventDomain::Hold inner(rig.domain);  // given up completely all the same
    result = corespec::this_thread().wait_interrupt(flag, Time::max()) ? 1 : 0;
    EXPECT_EQ(rig.domain.give_up(), 2U);
    rig.domain.take_back(2);
  });
  until([&] { return flag.looks >= 1; });
  rig.node.raise_interrupt();
  until([&] {
    return rig.node.statistics().empty_wakeups + rig.node.statistics().threads_woken > 0 ||
           flag.looks >= 2;
  });
  EXPECT_EQ(result, -1);
  flag.set();
  rig.node.raise_interrupt();
  rig.node.join(thread);
  EXPECT_EQ(result, 1);
  const corespec::NodeStatistics statistics = rig.node.statistics();
  EXPECT_EQ(statistics.interrupts + statistics.coalesced, 2U);
  EXPECT_LE(statistics.threads_woken, 1U);
}

TEST(LiveThreadTest, ReturnsAtOnceIfReadyAndInTimeIfNot) {
  LiveRig rig;
  Flag flag(rig.domain);
  rig.node.join(rig.start([&] {
    Thread& self = corespec::this_thread();
    const Time start = self.now();
    EXPECT_FALSE(self.wait_interrupt(flag, start + Time::microseconds(3000)));
    EXPECT_GE(self.now(), start + Time::microseconds(3000));
    EXPECT_FALSE(self.wait_interrupt(flag, start));  // has passed
    flag.set();
    EXPECT_TRUE(self.wait_interrupt(flag, Time::max()));
  }));
  EXPECT_EQ(rig.node.statistics().empty_wakeups, 0U);
}

/// Sets a flag when its time has come.
class Setter final : public corespec::Event {
 public:
  explicit Setter(Flag& flag) : flag_(flag) {}
  void fire(std::uint64_t) override { flag_.set(); }

 private:
  Flag& flag_;
};

TEST(LiveThreadTest, ABlockedThreadTakesArrivalsInItselfAndKeepsTheirTime) {
  if (!corespec::futex::waits_for_either()) GTEST_SKIP() << "the kernel has no futex_waitv()";
  LiveRig rig;
  rig.node.stop_service();
  rig.wire.has_word = true;
  Flag flag(rig.domain);
  Setter setter(flag);
  EventSource source = rig.node.make_source();
  std::atomic<pthread_t> took_in{};
  rig.wire.on_arrival = [&] {
    took_in = pthread_self();
    rig.domain.schedule(rig.domain.now() + Time::microseconds(2000), source, setter, 0);
  };
  std::atomic<pthread_t> waiter{};
  std::atomic<bool> held_until_its_time{false};
  Thread& thread = rig.start([&] {
    waiter = pthread_self();
    const Time before = rig.domain.now();
    EXPECT_TRUE(corespec::this_thread().wait_interrupt(flag, Time::max()));
    held_until_its_time = rig.domain.now() >= before + Time::microseconds(2000);
  });
  until([&] { return flag.looks >= 1 && rig.wire.armed(); });
  rig.wire.send();
  rig.node.join(thread);
  EXPECT_TRUE(pthread_equal(took_in, waiter));
  EXPECT_TRUE(held_until_its_time);
  EXPECT_EQ(rig.wire.rings(), 0U) << "the NIC's thread was woken as well";

  // Nobody is blocked any more: arrivals are the NIC thread's again.
  rig.wire.send();
  EXPECT_EQ(rig.wire.rings(), 1U);
  rig.node.start_service();
  until([&] { return rig.wire.taken() == 2; });
}

TEST(LiveThreadTest, OfSeveralBlockedThreadsOneTakesArrivalsInAndTheInterruptWakesTheOthers) {
  if (!corespec::futex::waits_for_either()) GTEST_SKIP() << "the kernel has no futex_waitv()";
  LiveRig rig;
  rig.wire.has_word = true;
  Flag flags[] = {Flag(rig.domain), Flag(rig.domain), Flag(rig.domain)};
  rig.wire.on_arrival = [&] {
    const std::uint64_t number = rig.wire.taken() - 1;
    flags[number].set();
    rig.node.raise_interrupt();
  };
  std::vector<Thread*> threads;
  for (Flag& flag : flags) {
    threads.push_back(&rig.start(
        [&flag] { EXPECT_TRUE(corespec::this_thread().wait_interrupt(flag, Time::max())); }));
  }
  until([&] { return flags[0].looks >= 1 && flags[1].looks >= 1 && flags[2].looks >= 1; });
  // Whichever leads, and whether it ends before the others or after them: nobody is forgotten.
  for (Thread* thread : threads) {
    rig.wire.send();
    rig.node.join(*thread);
  }
  EXPECT_EQ(rig.wire.taken(), 3U);
}

TEST(LiveThreadTest, AnInterruptWakesOnceTheDomainIsLeft) {
  LiveRig rig;
  Flag flag(rig.domain);
  Thread& thread = rig.start(
      [&flag] { EXPECT_TRUE(corespec::this_thread().wait_interrupt(flag, Time::max())); });
  until([&] {  // the interrupt finds it asleep
    const EventDomain::Hold outer(rig.domain);
    {
      const EventDomain::Hold inner(rig.domain);
      rig.node.raise_interrupt();
    }
    const bool owes = rig.domain.owes_wake_up();
    rig.domain.take_back(rig.domain.give_up());
    EXPECT_FALSE(rig.domain.owes_wake_up());
    return owes;
  });
  flag.set();
  rig.node.raise_interrupt();
  rig.node.join(thread);
}

TEST(LiveThreadTest, WhoPollsOnLetsThoseWakeWhomItInterrupts) {
  LiveRig rig;
  Flag flag(rig.domain);
  Signal signal;
  rig.wire.on_arrival = [&] {
    flag.set();
    rig.node.raise_interrupt();
  };
  // What the one polls for only the other brings about.
  Thread& woken = rig.start([&] {
    EXPECT_TRUE(corespec::this_thread().wait_interrupt(flag, Time::max()));
    const EventDomain::Hold hold(rig.domain);
    signal.notify();
  });
  until([&] { return flag.looks >= 1; });
  Thread& polls = rig.start(
      [&signal] { corespec::this_thread().spin(signal, signal.epoch(), Time::max(), nullptr); });
  until([&] { return !rig.wire.armed(); });
  rig.wire.send();
  rig.node.join(polls);
  rig.node.join(woken);
}

TEST(LiveThreadTest, CancellingWakesOneWaiterWhateverItWaitsFor) {
  LiveRig rig;
  Flag first(rig.domain);
  Flag second(rig.domain);
  std::atomic<int> ended{0};
  std::vector<Thread*> threads;
  for (Flag* flag : {&first, &second}) {
    threads.push_back(&rig.start([&, flag] {
      EXPECT_TRUE(corespec::this_thread().wait_interrupt(*flag, Time::max()));
      ++ended;
    }));
  }
  until([&] { return first.looks >= 1 && second.looks >= 1; });
  {
    const EventDomain::Hold hold(rig.domain);  // both are in the waiters' list now
    rig.node.wake_waiter(first);
  }
  rig.node.join(*threads[0]);
  EXPECT_EQ(ended, 1);
  {
    const EventDomain::Hold hold(rig.domain);
    rig.node.wake_waiter(second);
  }
  rig.node.join(*threads[1]);
  EXPECT_EQ(ended, 2);
  EXPECT_EQ(rig.node.statistics().interrupts, 0U);
  EXPECT_EQ(rig.node.statistics().threads_woken, 0U);
}

void handle(int) {}

TEST(LiveThreadTest, ASignalDoesNotEndAWait) {
  struct sigaction action {};
  action.sa_handler = handle;
  sigaction(SIGUSR1, &action, nullptr);
  LiveRig rig;
  Flag flag(rig.domain);
  std::atomic<pthread_t> handle{};
  Thread& thread = rig.start([&] {
    handle = pthread_self();
    Thread& self = corespec::this_thread();
    const Time start = self.now();
    self.sleep_until(start + Time::microseconds(30'000));
    EXPECT_GE(self.now(), start + Time::microseconds(30'000));
    EXPECT_TRUE(self.wait_interrupt(flag, Time::max()));
  });
  until([&] { return handle.load() != pthread_t{}; });
  for (int i = 0; i < 40; ++i) {
    pthread_kill(handle, SIGUSR1);
    usleep(1000);
  }
  until([&] { return flag.looks >= 1; });
  pthread_kill(handle, SIGUSR1);
  flag.set();
  rig.node.raise_interrupt();
  rig.node.join(thread);
}

TEST(LiveThreadTest, AnInterruptInOneProcessWakesTheOther) {
  const NodeFile file;
  auto* words = static_cast<std::atomic<int>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  /// What one process changes and the other waits for.
  class Word final : public corespec::InterruptWaiter {
   public:
    Word(const std::atomic<int>& word, int wanted) : word_(word), wanted_(wanted) {}
    bool ready() const override { return word_ >= wanted_; }

   private:
    const std::atomic<int>& word_;
    int wanted_;
  };
  constexpr int rounds = 200;
  const auto ping_pong = [&](int own) {
    LiveRig rig(file, 2, own);
    rig.node.join(rig.start([&] {
      for (int round = 1; round <= rounds; ++round) {
        if (own == 1) {
          words[1] = round;
          rig.node.raise_interrupt();
        }
        const Word word(words[1 - own], round);
        EXPECT_TRUE(corespec::this_thread().wait_interrupt(word, Time::max()));
        if (own == 0) {
          words[0] = round;
          rig.node.raise_interrupt();
        }
      }
    }));
    return rig.node.statistics();
  };
  const pid_t child = in_child([&] { ping_pong(1); });
  const corespec::NodeStatistics statistics = ping_pong(0);
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_LE(statistics.interrupts + statistics.coalesced, 2U * rounds);
  EXPECT_GE(statistics.interrupts + statistics.coalesced, static_cast<std::uint64_t>(rounds));
  munmap(words, 4096);
}

TEST(LiveThreadTest, SpinsUntilTheSignalMovesOn) {
  for (const int ranks : {1, 1000}) {  // with CPUs of their own, and with shared ones
    LiveRig rig(ranks);
    Signal& signal = rig.node.memory().signal("test");
    std::atomic<bool> seen{false};
    const std::uint64_t epoch = signal.epoch();
    rig.wire.on_arrival = [&] { signal.notify(); };
    until([&] { return rig.wire.armed(); });
    Thread& thread = rig.start([&] {
      Thread& self = corespec::this_thread();
      const EventDomain::Hold hold(rig.domain);
      self.spin(signal, epoch - 1, Time::nanoseconds(50));  // has moved on already
      while (signal.epoch() == epoch) self.spin(signal, epoch, Time::nanoseconds(50));
      seen = true;
    });
    if (ranks == 1) {
      until([&] { return !rig.wire.armed(); });
    } else {
      usleep(2000);
      until([&] { return rig.wire.armed(); });  // the domain's own thread helps
    }
    EXPECT_FALSE(seen);
    rig.wire.send();
    rig.node.join(thread);
    EXPECT_TRUE(seen);
    EXPECT_TRUE(rig.wire.armed());
    rig.wire.on_arrival = nullptr;
  }
}

/// With more ranks than CPUs whoever polls sleeps most of the time, and is woken by what arrives,
/// and by a signal that another process moves on.
TEST(LiveThreadTest, RestsWhereOthersWantItsCpu) {
  for (const bool has_word : {false, true}) {
    const NodeFile file;
    LiveRig rig(file, 1000, 0);
    rig.wire.has_word = has_word;
    Signal& signal = rig.node.memory().signal("test");
    rig.wire.on_arrival = [&] { signal.notify(); };
    std::atomic<std::uint64_t> epoch{signal.epoch()};
    const std::uint64_t first = epoch;
    Thread& thread = rig.start([&] {
      const EventDomain::Hold hold(rig.domain);
      for (int moves = 0; moves < 2; ++moves) {
        while (signal.epoch() == epoch) {
          corespec::this_thread().spin(signal, epoch, Time::nanoseconds(50));
        }
        epoch = signal.epoch();
      }
    });
    constexpr int milliseconds = 100;
    usleep(milliseconds * 1000);
    EXPECT_LT(thread.cpu_time().us(), milliseconds * 1000 / 2);
    const pid_t other = in_child([&] { file.open({0}, {getppid()})->signal("test").notify(); });
    EXPECT_EQ(wait_for(other), 0);
    until([&] { return epoch == first + 1; });
    rig.wire.send();
    rig.node.join(thread);
    EXPECT_EQ(epoch, first + 2);
    rig.wire.on_arrival = nullptr;
  }
}

/// Sets off a worker's next step: by timer, by arrival, or at once.
class Step final : public corespec::Event, public corespec::InterruptWaiter {
 public:
  Step(LiveRig& rig, Signal& signal) : rig_(rig), signal_(signal) {}
  void fire(std::uint64_t arg) override {
    done_ = arg;
    signal_.notify();
    rig_.node.raise_interrupt();
  }
  bool ready() const override { return done_ == wanted; }
  bool done() {
    const EventDomain::Hold hold(rig_.domain);
    return ready();
  }
  std::uint64_t wanted = 0;  ///< the domain's

 private:
  LiveRig& rig_;
  Signal& signal_;
  std::uint64_t done_ = 0;
};

TEST(LiveThreadTest, NoWakeUpIsLostWhoeverDoesTheWork) {
  constexpr int workers = 3;
  constexpr std::uint64_t steps = 400;
  LiveRig rig;
  const std::unique_ptr<Mutex> mutex = rig.node.make_mutex();
  std::vector<std::unique_ptr<Step>> step;
  std::vector<Signal*> signals;
  for (int i = 0; i < workers; ++i) {
    signals.push_back(&rig.node.memory().signal("worker" + std::to_string(i)));
    step.push_back(std::make_unique<Step>(rig, *signals.back()));
  }
  std::uint64_t handed_in = 0;  // arrivals belong to nobody: each sets off whoever waits for one
  std::uint64_t asked_for[workers] = {};
  rig.wire.on_arrival = [&] {
    ++handed_in;
    for (std::size_t i = 0; i < workers; ++i) {
      if (asked_for[i] != 0) step[i]->fire(std::exchange(asked_for[i], 0));
    }
  };
  std::vector<Thread*> threads;
  for (std::size_t i = 0; i < workers; ++i) {
    threads.push_back(&rig.start([&, i] {
      std::mt19937 random(static_cast<unsigned>(i));
      EventSource source{static_cast<std::uint32_t>(10 + i), 0};
      Thread& self = corespec::this_thread();
      for (std::uint64_t number = 1; number <= steps; ++number) {
        const std::uint64_t epoch = signals[i]->epoch();
        const unsigned how = random() % 3;
        {
          const EventDomain::Hold hold(rig.domain);
          step[i]->wanted = number;
          if (how == 0) {
            asked_for[i] = number;
          } else {
            const Time ahead = Time::microseconds(how == 1 ? 0.0 : random() % 100);
            rig.domain.schedule(rig.domain.now() + ahead, source, *step[i], number);
          }
        }
        if (how == 0) rig.wire.send();
        switch (random() % 3) {
          case 0:
            EXPECT_TRUE(self.wait_interrupt(*step[i], Time::max()));
            break;
          case 1:
            while (!step[i]->done()) self.spin(*signals[i], epoch, Time());
            break;
          default:
            mutex->lock();
            while (!step[i]->done()) self.spin(*signals[i], epoch, Time(), mutex.get());
            mutex->unlock();
        }
        EXPECT_TRUE(step[i]->done());
      }
    }));
  }
  for (Thread* thread : threads) rig.node.join(*thread);
  EXPECT_GE(handed_in, 1U);
  rig.wire.on_arrival = nullptr;
}

// ---- whose threads

TEST(LiveThreadTest, ThreadsThatTheProgramStartsAreAdoptedUntilTheyEnd) {
  EXPECT_EQ(corespec::this_thread_or_null(), nullptr);
  {
    LiveRig rig;
    Thread& main = rig.node.adopt_main_thread(rig.process);
    EXPECT_EQ(&corespec::this_thread(), &main);
    EXPECT_EQ(corespec::this_process_or_null(), &rig.process);
    for (int i = 0; i < 3; ++i) {
      std::thread([&] {
        Thread& own = corespec::this_thread();
        EXPECT_NE(&own, &main);
        EXPECT_EQ(&own, &corespec::this_thread());
        EXPECT_EQ(own.process(), &rig.process);
        EXPECT_EQ(own.role(), ThreadRole::application);
        const Time start = own.now();
        own.sleep_until(start + Time::microseconds(100));
        EXPECT_GE(own.now(), start + Time::microseconds(100));
      }).join();
    }
    // The domain's own thread stays outside: what it runs are events.
    std::atomic<int> outside{-1};
    rig.wire.on_arrival = [&] { outside = corespec::this_thread_or_null() == nullptr ? 1 : 0; };
    rig.wire.send();
    until([&] { return outside != -1; });
    EXPECT_EQ(outside, 1);
    // A thread of the library's is what it was started as.
    rig.node.join(
        rig.start([&] { EXPECT_EQ(corespec::this_thread().role(), ThreadRole::progress); },
                  ThreadRole::progress));
  }
  EXPECT_EQ(corespec::this_thread_or_null(), nullptr);
  std::thread([] { EXPECT_EQ(corespec::this_thread_or_null(), nullptr); }).join();
}

TEST(LiveThreadTest, ItsTimesAreTheKernels) {
  LiveRig rig;
  std::atomic<bool> burnt{false};
  std::atomic<bool> stop{false};
  Thread& thread = rig.start([&] {
    Thread& self = corespec::this_thread();
    while (self.cpu_time() < Time::microseconds(20'000)) {
    }
    burnt = true;
    until([&] { return stop.load(); });
  });
  until([&] { return burnt.load(); });
  const Time used = thread.cpu_time();
  EXPECT_GE(used, Time::microseconds(20'000));
  EXPECT_GE(thread.stolen_time(), Time());
  EXPECT_GE(thread.cpu(), 0);
  stop = true;
  rig.node.join(thread);
}

TEST(LiveThreadTest, ChargesAreDropped) {
  LiveRig rig;
  rig.node.join(rig.start([&] {
    Thread& self = corespec::this_thread();
    for (int i = 0; i < 100; ++i) {
      corespec::charge(Time::seconds(50'000'000 / 10));
      self.sync();
    }
    EXPECT_LT(self.now(), Time::seconds(5'000'000));
  }));
}

}  // namespace
}  // namespace castor_test
