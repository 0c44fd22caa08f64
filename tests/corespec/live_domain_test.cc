// The live domain: timers in order and never early, arrivals, polling, taking turns.
#include <sys/resource.h>

#include <array>
#include <random>
#include <thread>

#include "tests/corespec/live_rig.h"

namespace castor_test {
namespace {

using corespec::Event;
using corespec::EventDomain;
using corespec::EventSource;

/// Notes when it fired.
class Note final : public Event {
 public:
  explicit Note(const LiveClock& clock) : clock_(clock) {}
  struct Firing {
    std::uint64_t arg;
    Time at;
  };
  void fire(std::uint64_t arg) override {
    firings.push_back({arg, clock_.now()});
    count.store(firings.size());
  }
  std::vector<Firing> firings;  ///< the domain's
  std::atomic<std::size_t> count{0};

 private:
  const LiveClock& clock_;
};

TEST(LiveClockTest, SaysWhenATimeIsReached) {
  LiveClock clock(LiveClock::host_nanoseconds() - 5'000'000);
  EXPECT_GE(clock.now(), Time::microseconds(5000));
  const std::int64_t start = clock.host_nanoseconds_at(Time());
  EXPECT_EQ(clock.host_nanoseconds_at(Time::picoseconds(1)), start + 1);  // rounded up
  EXPECT_EQ(clock.host_nanoseconds_at(Time::picoseconds(1000)), start + 1);
  EXPECT_EQ(clock.host_nanoseconds_at(Time::picoseconds(1001)), start + 2);
  const Time before = clock.now();
  clock.correct(Time::seconds(7));
  EXPECT_GE(clock.now(), before + Time::seconds(7));
  EXPECT_EQ(clock.host_nanoseconds_at(Time::seconds(7)), start);
  EXPECT_EQ(clock.host_nanoseconds_at(Time::max()), std::numeric_limits<std::int64_t>::max());
}

TEST(LiveDomainTest, EqualTimesGoBySourceAndCount) {
  const LiveClock clock(LiveClock::host_nanoseconds());
  LiveDomain domain(clock);
  Note note(clock);
  EventSource second{7, 0};
  EventSource first{3, 0};
  const Time at = clock.now() + Time::microseconds(20000);  // after all are scheduled
  {
    const EventDomain::Hold hold(domain);
    domain.schedule(at, second, note, 2);
    domain.schedule(at, second, note, 3);
    domain.schedule(at, first, note, 1);
    domain.schedule(at - Time::picoseconds(1), second, note, 0);
  }
  until([&] { return domain.advance(), note.count == 4; });
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(note.firings[i].arg, i);
    EXPECT_GE(note.firings[i].at, at - Time::picoseconds(1));
  }
  EXPECT_EQ(domain.lateness().timed, 4U);
}

TEST(LiveDomainTest, RandomTimersRunInOrderAndNotEarlyByItsOwnThread) {
  LiveRig rig;
  Note note(rig.clock);
  EventSource source{1, 0};
  std::mt19937 random(11);
  constexpr std::size_t count = 300;
  std::vector<Time> due(count);
  {
    const EventDomain::Hold hold(rig.domain);
    const Time now = rig.clock.now();
    for (std::size_t i = 0; i < count; ++i) {
      due[i] = now + Time::microseconds(static_cast<double>(random() % 30'000));
      rig.domain.schedule(due[i], source, note, i);
    }
  }
  until([&] { return note.count == count; });
  const EventDomain::Hold hold(rig.domain);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_GE(note.firings[i].at, due[note.firings[i].arg]);
    if (i == 0) continue;
    const std::uint64_t before = note.firings[i - 1].arg;
    EXPECT_LE(due[before], due[note.firings[i].arg]);
    if (due[before] == due[note.firings[i].arg]) {
      EXPECT_LT(before, note.firings[i].arg);
    }
  }
  EXPECT_GE(rig.domain.lateness().most * static_cast<std::int64_t>(count),
            rig.domain.lateness().total);
}

TEST(LiveDomainTest, AnEarlierTimerWakesItsThread) {
  LiveRig rig;
  Note note(rig.clock);
  EventSource source{1, 0};
  {
    const EventDomain::Hold hold(rig.domain);
    rig.domain.schedule(Time::seconds(100'000), source, note, 1);
  }
  usleep(2000);  // asleep until then, most likely
  Time due;
  {
    const EventDomain::Hold hold(rig.domain);
    due = rig.clock.now() + Time::microseconds(500);
    rig.domain.schedule(due, source, note, 2);
  }
  until([&] { return note.count == 1; });
  const EventDomain::Hold hold(rig.domain);
  EXPECT_EQ(note.firings.front().arg, 2U);
  EXPECT_GE(note.firings.front().at, due);
}

TEST(LiveDomainTest, WhatIsScheduledForNowRunsBeforeTheDomainIsLetGo) {
  const LiveClock clock(LiveClock::host_nanoseconds());
  LiveDomain domain(clock);
  Note note(clock);
  EventSource source{1, 0};
  {
    const EventDomain::Hold outer(domain);
    {
      const EventDomain::Hold inner(domain);
      domain.schedule(Time(), source, note, 1);
    }
    EXPECT_EQ(note.count, 0U);  // held on
  }
  EXPECT_EQ(note.count, 1U);
  EXPECT_EQ(domain.lateness().timed, 0U);
}

/// Schedules again and calls advance() from within itself.
class Chain final : public Event {
 public:
  explicit Chain(LiveDomain& domain) : domain_(domain) {}
  void fire(std::uint64_t arg) override {
    EXPECT_FALSE(domain_.advance());
    ++fired;
    if (arg != 0) domain_.schedule(domain_.now(), source_, *this, arg - 1);
  }
  int fired = 0;

 private:
  LiveDomain& domain_;
  EventSource source_{1, 0};
};

TEST(LiveDomainTest, EventsMayScheduleForNowAndDoNotNest) {
  const LiveClock clock(LiveClock::host_nanoseconds());
  LiveDomain domain(clock);
  Chain chain(domain);
  EventSource source{2, 0};
  {
    const EventDomain::Hold hold(domain);
    domain.schedule(domain.now(), source, chain, 200);
  }
  EXPECT_EQ(chain.fired, 201);
}

TEST(LiveDomainTest, ArrivalsThatNobodyPollsForWakeItsThread) {
  LiveRig rig;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    rig.wire.send();
    until([&] { return rig.wire.taken() == i; });
  }
  EXPECT_GE(rig.wire.rings(), 1U);
}

TEST(LiveDomainTest, WhilePollersPollNobodyRings) {
  LiveRig rig;
  until([&] { return rig.wire.armed(); });
  rig.domain.begin_polling();
  rig.domain.begin_polling();
  EXPECT_FALSE(rig.wire.armed());
  rig.wire.send();
  usleep(3000);
  EXPECT_EQ(rig.wire.taken(), 0U);  // neither woken nor looking
  EXPECT_TRUE(rig.domain.advance());
  EXPECT_EQ(rig.wire.taken(), 1U);
  rig.domain.end_polling();
  EXPECT_FALSE(rig.wire.armed());
  rig.wire.send();
  EXPECT_EQ(rig.wire.rings(), 0U);
  rig.domain.end_polling();
  EXPECT_TRUE(rig.wire.armed());
  EXPECT_EQ(rig.wire.taken(), 2U);  // looked once more
  rig.wire.send();
  until([&] { return rig.wire.taken() == 3; });
}

/// A wire whose descriptor tells of everything, armed or not, as sockets do.
class NoisyWire final : public corespec::ArrivalSource {
 public:
  NoisyWire() : descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~NoisyWire() { close(descriptor); }
  bool poll() override {
    std::uint64_t count = 0;
    if (read(descriptor, &count, sizeof count) <= 0) return false;
    taken += count;
    return true;
  }
  void arm(Sleeper) override {}
  void disarm() override {}
  bool quieten() override { return false; }
  std::vector<int> wait_descriptors() const override {
    ++looks;
    return {descriptor};
  }
  void send() const {
    const std::uint64_t one = 1;
    ASSERT_EQ(write(descriptor, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  int descriptor;
  std::atomic<std::uint64_t> taken{0};
  mutable std::atomic<int> looks{0};
};

TEST(LiveDomainTest, ADescriptorThatCannotBeDisarmedWakesItsThreadOnceAtMost) {
  LiveRig rig;
  NoisyWire wire;
  rig.domain.set_arrivals(&wire);
  until([&] { return wire.looks != 0; });
  rig.domain.begin_polling();
  wire.send();
  usleep(5000);
  EXPECT_EQ(wire.taken, 0U);
  EXPECT_LE(wire.looks, 3);  // does not turn round and round
  rig.domain.advance();
  EXPECT_EQ(wire.taken, 1U);
  rig.domain.end_polling();
  wire.send();
  until([&] { return wire.taken == 2; });  // it watches again
  rig.domain.set_arrivals(nullptr);
}

TEST(LiveDomainTest, ThreadsTakeTurns) {
  const LiveClock clock(LiveClock::host_nanoseconds());
  LiveDomain domain(clock);
  std::uint64_t counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5000; ++round) {
        const EventDomain::Hold outer(domain);
        const EventDomain::Hold inner(domain);
        const std::uint64_t before = counter;
        if (round % 100 == 0) {
          const unsigned held = domain.give_up();
          EXPECT_EQ(held, 2U);
          domain.take_back(held);
          ++counter;
        } else {
          counter = before + 1;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 20'000U);
  EXPECT_EQ(domain.give_up(), 0U);
}

TEST(LiveDomainTest, APollerLetsOthersIn) {
  const LiveClock clock(LiveClock::host_nanoseconds());
  LiveDomain domain(clock);
  std::atomic<bool> polls{false};
  std::atomic<bool> stop{false};
  int handed_over = 0;  // the domain's, as the next
  int entered = 0;
  std::thread poller([&] {
    const EventDomain::Hold hold(domain);
    polls = true;
    while (!stop) {
      domain.advance();
      if (!domain.wanted()) continue;
      ++handed_over;
      domain.let_others();
    }
  });
  until([&] { return polls.load(); });
  for (int i = 0; i < 2000; ++i) {
    const EventDomain::Hold hold(domain);
    ++entered;
  }
  stop = true;
  poller.join();
  EXPECT_EQ(entered, 2000);
  EXPECT_GE(handed_over, 1);  // it never lets go otherwise
}

TEST(LiveDomainTest, EveryWordIsWokenWhenItIsLeft) {
  const LiveClock clock(LiveClock::host_nanoseconds());
  LiveDomain domain(clock);
  std::array<corespec::futex::Word, 3> words{};
  std::atomic<int> asleep{0};
  std::atomic<int> woken{0};
  std::vector<std::thread> sleepers;
  for (corespec::futex::Word& word : words) {
    sleepers.emplace_back([&] {
      ++asleep;
      corespec::futex::wait(word, 0, corespec::futex::Scope::shared);
      ++woken;
    });
  }
  until([&] { return asleep == 3; });
  usleep(20'000);  // until they sleep; who does not yet must not do so any more
  {
    const EventDomain::Hold hold(domain);
    for (corespec::futex::Word& word : words) {
      ++word;
      domain.wake_when_left(word);
    }
    EXPECT_TRUE(domain.owes_wake_up());
  }
  until([&] { return woken == 3; });
  for (std::thread& sleeper : sleepers) sleeper.join();
}

/// Never has anything to do.
class Idle final : public corespec::InterruptWaiter {
 public:
  bool ready() const override { return false; }
};

TEST(LiveDomainTest, BlockedItBurnsNothing) {
  LiveRig rig;
  Note note(rig.clock);
  EventSource source{1, 0};
  {
    const EventDomain::Hold hold(rig.domain);
    rig.domain.schedule(Time::seconds(100'000), source, note, 1);
  }
  // One thread asleep in the kernel, one on a lock, one until a time, one waits for these.
  const std::unique_ptr<corespec::Mutex> mutex = rig.node.make_mutex();
  const Idle idle;
  mutex->lock();
  const Time end = rig.clock.now() + Time::seconds(1.5);
  const std::array<corespec::Thread*, 3> blocked = {
      &rig.start([&] { EXPECT_FALSE(corespec::this_thread().wait_interrupt(idle, end)); }),
      &rig.start([&] {
        mutex->lock();
        mutex->unlock();
      }),
      &rig.start([&] { corespec::this_thread().sleep_until(end); })};
  corespec::Thread& joiner = rig.start([&] {
    for (corespec::Thread* thread : blocked) rig.node.join(*thread);
  });
  usleep(100'000);
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_SELF, &before);
  usleep(1'000'000);
  getrusage(RUSAGE_SELF, &after);
  const auto burnt = [](const rusage& usage) {
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  EXPECT_LT(burnt(after) - burnt(before), 0.02);
  mutex->unlock();
  rig.node.join(joiner);
}

}  // namespace
}  // namespace castor_test
