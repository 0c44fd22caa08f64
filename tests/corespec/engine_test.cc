// Event queue, domains and engine: order, horizons, independence of how far domains run.
#include "corespec/virtual/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "corespec/random/random_stream.h"

namespace corespec {
namespace {

constexpr Time ns(double value) { return Time::nanoseconds(value); }

struct Nothing final : Event {
  void fire(std::uint64_t) override {}
};

TEST(EventQueueTest, OrdersByTimeThenSourceThenCount) {
  Nothing event;
  EventQueue queue;
  EventSource first{1, 0};
  EventSource second{2, 0};
  const auto push = [&](Time at, EventSource& source, std::uint64_t arg) {
    queue.push({at, EventQueue::make_key(source), &event, arg});
  };
  push(ns(2), first, 4);
  push(ns(1), second, 2);
  push(ns(1), second, 3);
  push(ns(1), first, 1);
  push(ns(0), second, 0);
  for (std::uint64_t expected = 0; expected < 5; ++expected) EXPECT_EQ(queue.pop().arg, expected);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_time(), Time::max());
}

TEST(EventQueueTest, GivesBackWhatWentInSorted) {
  Nothing event;
  EventQueue queue;
  EventSource source{1, 0};
  RandomStream random(1, 2);
  std::vector<std::int64_t> times;
  for (int i = 0; i < 1000; ++i) {
    times.push_back(static_cast<std::int64_t>(random.below(500)));
    queue.push({Time::picoseconds(times.back()), EventQueue::make_key(source), &event, 0});
  }
  std::sort(times.begin(), times.end());
  for (std::int64_t time : times) EXPECT_EQ(queue.pop().at.ps(), time);
}

// As in a run: turns, between which others leave entries, now fewer and now more than have room.
TEST(EventQueueTest, WhatIsLeftIsTakenInAndCountsBefore) {
  Nothing event, kept;
  EventQueue queue;
  EventSource source{1, 0};
  RandomStream random(3, 4);
  std::vector<std::int64_t> expected;
  const auto entry = [&] {
    expected.push_back(static_cast<std::int64_t>(random.below(1000)));
    return EventQueue::Entry{Time::picoseconds(expected.back()), EventQueue::make_key(source),
                             &event, 0};
  };
  for (int turn = 0; turn < 500; ++turn) {
    for (std::uint64_t left = random.below(12); left > 0; --left) {
      queue.leave(entry());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(queue.next_time().ps(), expected.front());
      EXPECT_EQ(queue.size(), expected.size());
      EXPECT_TRUE(queue.any_of([&](const Event& of) { return &of == &event; }));
    }
    EXPECT_FALSE(queue.any_of([&](const Event& of) { return &of == &kept; }));
    queue.settle();
    EXPECT_EQ(queue.heap().size(), expected.size());
    if (random.below(2) == 0) queue.push(entry());
    std::sort(expected.begin(), expected.end());
    for (std::uint64_t popped = random.below(12); popped > 0 && !expected.empty(); --popped) {
      EXPECT_EQ(queue.next_time().ps(), expected.front());
      EXPECT_EQ(queue.pop().at.ps(), expected.front());
      expected.erase(expected.begin());
    }
  }
  queue.remove(event);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_time(), Time::max());
}

/// Bounces between two domains and writes down when it fires.
struct Ball final : Event {
  Ball(EventDomain& first, EventDomain& second, Time flight_time, int bounces)
      : here(&first), there(&second), flight(flight_time), left(bounces) {}
  void fire(std::uint64_t) override {
    log.push_back(here->now());
    here->record(7, log.size());
    if (left-- == 0) return;
    std::swap(here, there);
    here->schedule_from(*there, there->now() + flight, source[log.size() % 2], *this, 0);
  }
  EventDomain* here;
  EventDomain* there;
  Time flight;
  int left;
  EventSource source[2] = {{5, 0}, {6, 0}};
  std::vector<Time> log;
};

TEST(EngineTest, EffectsBetweenDomainsComeAtTheirTime) {
  Engine engine;
  VirtualDomain& first = engine.add_domain();
  VirtualDomain& second = engine.add_domain();
  engine.set_least_delay(ns(10));
  Ball ball(first, second, ns(12), 5);
  first.schedule(ns(1), ball.source[0], ball, 0);
  EXPECT_EQ(engine.run(), Engine::End::nothing_left);
  ASSERT_EQ(ball.log.size(), 6u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(ball.log[static_cast<std::size_t>(i)], ns(1 + 12 * i));
  }
  EXPECT_EQ(engine.events(), 6u);
  EXPECT_EQ(engine.latest(), ns(61));
}

TEST(EngineTest, EffectsEarlierThanTheLeastDelayAreRefused) {
  Engine engine;
  VirtualDomain& first = engine.add_domain();
  VirtualDomain& second = engine.add_domain();
  engine.set_least_delay(ns(10));
  Ball ball(first, second, ns(9), 1);
  first.schedule(ns(1), ball.source[0], ball, 0);
  EXPECT_THROW(engine.run(), std::logic_error);
}

/// Moves its domain's clock ahead without events where it may, as a thread does.
struct Runner final : Event {
  Runner(VirtualDomain& d, std::uint32_t id, int steps) : domain(d), source{id, 0}, left(steps) {}
  void fire(std::uint64_t) override {
    while (left-- > 0) {
      if (domain.try_advance(domain.now() + ns(7))) {
        ++inline_steps;
        domain.record(9, source.id);
        continue;
      }
      domain.schedule(domain.now() + ns(7), source, *this, 0);
      domain.record(9, source.id);
      return;
    }
  }
  VirtualDomain& domain;
  EventSource source;
  int left;
  int inline_steps = 0;
};

TEST(EngineTest, ClocksRunAheadOnlyUpToTheHorizon) {
  Engine engine;
  VirtualDomain& alone = engine.add_domain();
  engine.set_least_delay(ns(10));
  Runner runner(alone, 3, 100);
  alone.schedule(Time(), runner.source, runner, 0);
  engine.run();
  EXPECT_EQ(runner.inline_steps, 100);  // nobody else: no event needed

  Engine busy;
  VirtualDomain& left = busy.add_domain();
  VirtualDomain& right = busy.add_domain();
  busy.set_least_delay(ns(10));
  Runner first(left, 3, 100);
  Runner second(right, 4, 100);
  left.schedule(Time(), first.source, first, 0);
  right.schedule(Time(), second.source, second, 0);
  busy.run();
  EXPECT_LT(first.inline_steps, 100);
  EXPECT_EQ(left.now(), ns(700));
  EXPECT_EQ(right.now(), ns(700));
}

/// Sends to a random domain at random times, in a machine of node and router domains.
struct Chatter final : Event {
  Chatter(std::vector<VirtualDomain*>& all, std::size_t own, Time delay)
      : domains(all),
        at(own),
        least(delay),
        source{static_cast<std::uint32_t>(own + 1), 0},
        random(42, own) {}
  void fire(std::uint64_t left) override {
    VirtualDomain& here = *domains[at];
    here.record(1, source.id);
    if (settled != nullptr) {
      EXPECT_GE(here.now(), *settled);
    }
    if (interrupted != nullptr && left % 7 == 0) interrupted->interrupt_advance();
    if (left == 0) return;
    here.schedule(here.now() + Time::picoseconds(static_cast<std::int64_t>(random.below(9000)) + 1),
                  source, *this, left - 1);
    (*others)[random.below(others->size())].hear(here, here.now() + least, source);
  }
  void hear(EventDomain& from, Time when, EventSource& sender) {
    domains[at]->schedule_from(from, when, sender, ear, source.id);
  }
  struct Ear final : Event {
    explicit Ear(Chatter& o) : owner(o) {}
    void fire(std::uint64_t arg) override { owner.domains[owner.at]->record(2, arg); }
    Chatter& owner;
  };
  std::vector<VirtualDomain*>& domains;
  std::size_t at;
  Time least;
  EventSource source;
  RandomStream random;
  Ear ear{*this};
  std::vector<Chatter>* others = nullptr;
  Engine* interrupted = nullptr;  ///< now and then, if there
  Time* settled = nullptr;        ///< before it nothing happens any more, if there
};

struct Chat {
  bool interrupts = false;
  bool hears_what_is_settled = false;
  Time longest_turn = Time::max();
  Time limit = Time::max();  ///< of a first run, after which it goes on
};

struct Chatted {
  std::uint64_t fingerprint = 0;
  int told = 0;  ///< how often something more was settled
  int interruptions = 0;
  Engine::End first_end = Engine::End::stopped;
  Time first_latest;
};

/// Wants to hear to the end.
struct Settled final : Engine::SettledListener {
  bool settled(Time before) override {
    EXPECT_GE(before, latest);
    if (before > latest) ++told;
    latest = before;
    return true;
  }
  Time latest;
  int told = 0;
};

Chatted chat(Time engines_delay, Chat how = {}) {
  Engine engine;
  Settled settled;
  std::vector<VirtualDomain*> domains;
  for (int i = 0; i < 8; ++i) domains.push_back(&engine.add_domain());
  engine.set_least_delay(engines_delay);
  std::vector<Chatter> chatters;
  chatters.reserve(8);
  for (std::size_t i = 0; i < 8; ++i) chatters.emplace_back(domains, i, ns(20));
  for (Chatter& chatter : chatters) {
    chatter.others = &chatters;
    if (how.interrupts) chatter.interrupted = &engine;
    if (how.hears_what_is_settled) chatter.settled = &settled.latest;
    domains[chatter.at]->schedule(Time(), chatter.source, chatter, 200);
  }
  Chatted result;
  engine.set_time_limit(how.limit);
  engine.set_longest_turn(how.longest_turn);
  if (how.hears_what_is_settled) {
    engine.add_settled_listener(settled);
    engine.tell_when_settled();
  }
  result.first_end = engine.run();
  result.first_latest = engine.latest();
  engine.set_time_limit(Time::max());
  while (engine.run() == Engine::End::interrupted) ++result.interruptions;
  result.fingerprint = engine.fingerprint();
  result.told = settled.told;
  return result;
}

TEST(EngineTest, GoesOnAfterAnInterruptionAsIfThereWereNone) {
  const Chatted chatted = chat(ns(20), {.interrupts = true});
  EXPECT_EQ(chatted.first_end, Engine::End::interrupted);
  EXPECT_GT(chatted.interruptions, 100);
  EXPECT_EQ(chatted.fingerprint, chat(ns(20)).fingerprint);
}

TEST(EngineTest, AnInterruptionBeforeTheRunIsNotForgotten) {
  Engine engine;
  engine.interrupt();
  EXPECT_EQ(engine.run(), Engine::End::interrupted);
  EXPECT_EQ(engine.run(), Engine::End::nothing_left);
}

TEST(EngineTest, NodesStopAtTheTimeLimit) {
  const Chatted chatted = chat(ns(20), {.limit = ns(500)});
  EXPECT_EQ(chatted.first_end, Engine::End::time_limit);
  EXPECT_GT(chatted.first_latest, ns(480));
  EXPECT_LT(chatted.first_latest, ns(500));
  EXPECT_EQ(chatted.fingerprint, chat(ns(20)).fingerprint);
  EXPECT_EQ(chat(ns(20), {.limit = Time::seconds(1)}).first_end, Engine::End::nothing_left);
}

/// On its way from one domain to the next, a flight in each; writes down when it comes.
struct Traveller final : Event {
  Traveller(std::vector<VirtualDomain*> stations, Time each)
      : way(std::move(stations)), flight(each) {}
  void fire(std::uint64_t at) override {
    VirtualDomain& here = *way[at];
    log.push_back(here.now());
    if (at + 1 < way.size()) {
      way[at + 1]->schedule_from(here, here.now() + flight, source, *this, at + 1);
    }
  }
  std::vector<VirtualDomain*> way;
  Time flight;
  EventSource source{3, 0};
  std::vector<Time> log;
};

// No node has an event before the limit any more when the first one's turn is over.
TEST(EngineTest, WhatRoutersBringBeforeTheTimeLimitComes) {
  for (const Time limit : {ns(31), ns(30)}) {
    Engine engine;
    VirtualDomain& from = engine.add_domain();
    VirtualDomain& to = engine.add_domain();
    VirtualDomain& router = engine.add_domain(DomainClass::routers, QueueKind::lanes);
    engine.set_least_delays(ns(10), ns(10), ns(1000));
    Traveller traveller({&from, &router, &router, &to}, ns(10));
    Nothing later;
    from.schedule(Time(), traveller.source, traveller, 0);
    from.schedule(ns(100), traveller.source, later, 0);
    engine.set_time_limit(limit);
    EXPECT_EQ(engine.run(), Engine::End::time_limit);
    std::vector<Time> expected{Time(), ns(10), ns(20)};
    if (limit > ns(30)) expected.push_back(ns(30));
    EXPECT_EQ(traveller.log, expected);
    engine.set_time_limit(Time::max());
    EXPECT_EQ(engine.run(), Engine::End::nothing_left);
    EXPECT_EQ(traveller.log.size(), 4U);
    EXPECT_EQ(from.now(), ns(100));
  }
}

TEST(EngineTest, TheResultDoesNotDependOnHowFarDomainsRunAtATime) {
  // Windows from 1 to 20 ns over the same traffic, whose delays are 20 ns.
  const std::uint64_t expected = chat(ns(20)).fingerprint;
  EXPECT_EQ(chat(ns(1)).fingerprint, expected);
  EXPECT_EQ(chat(ns(7)).fingerprint, expected);
  EXPECT_EQ(chat(ns(20), {.longest_turn = ns(2)}).fingerprint, expected);
  EXPECT_EQ(chat(ns(20), {.longest_turn = Time::picoseconds(1)}).fingerprint, expected);
}

TEST(EngineTest, WhatIsSettledIsOver) {
  const Chatted chatted = chat(ns(20), {.hears_what_is_settled = true});
  EXPECT_GT(chatted.told, 100);
  EXPECT_EQ(chatted.fingerprint, chat(ns(20)).fingerprint);
}

/// Fires some times, and writes down how far it was prefetched before each.
struct CountsPrefetches final : Event {
  static constexpr unsigned chain = 4;
  void fire(std::uint64_t left) override {
    before_firing.push_back(steps);
    steps = 0;
    if (left == 0) return;
    const auto pause = static_cast<std::int64_t>(random.below(100'000)) + 1;
    domain->schedule(domain->now() + Time::picoseconds(pause), source, *this, left - 1);
  }
  bool prefetch(Upcoming, unsigned step, LineRequests&) const override {
    // What lies a step further may be read only after the step before.
    if (step > steps) in_order = false;
    steps = std::max(steps, step + 1);
    return step + 1 < chain;
  }
  VirtualDomain* domain = nullptr;
  EventSource source;
  RandomStream random{7, 0};
  mutable unsigned steps = 0;  ///< steps since it last fired
  mutable bool in_order = true;
  std::vector<unsigned> before_firing;
};

/// Domains with an event each that fires ten times, beside `idle` ones without.
std::vector<CountsPrefetches> prefetches_of(std::size_t count, std::size_t idle = 0) {
  Engine engine;
  std::vector<CountsPrefetches> events(count);
  for (std::size_t i = 0; i < count; ++i) {
    events[i].domain = &engine.add_domain();
    events[i].source.id = static_cast<std::uint32_t>(i + 1);
    events[i].random = RandomStream(7, i);
  }
  for (std::size_t i = 0; i < idle; ++i) engine.add_domain();
  engine.set_least_delay(ns(1));
  for (std::size_t i = 0; i < count; ++i) {
    events[i].domain->schedule(Time(), events[i].source, events[i], 9);
  }
  engine.run();
  return events;
}

TEST(EngineTest, OfManyDomainsTheNextOnesAreAskedForStepByStep) {
  std::size_t whole = 0;
  std::size_t firings = 0;
  for (const CountsPrefetches& event : prefetches_of(1000)) {
    EXPECT_TRUE(event.in_order);
    ASSERT_EQ(event.before_firing.size(), 10U);
    for (const unsigned steps : event.before_firing) {
      EXPECT_LE(steps, CountsPrefetches::chain);  // a chain that has ended is left alone
      whole += steps == CountsPrefetches::chain ? 1 : 0;
      ++firings;
    }
  }
  EXPECT_GT(whole, firings * 19 / 20);  // but for those whose turn comes at once
}

TEST(EngineTest, OfFewDomainsNothingIsAskedAhead) {
  for (const std::size_t idle : {0, 1000}) {
    for (const CountsPrefetches& event : prefetches_of(20, idle)) {
      for (const unsigned steps : event.before_firing) EXPECT_EQ(steps, 0U);
    }
  }
}

TEST(RandomStreamTest, StreamsAreIndependentAndRepeat) {
  RandomStream first(1, 1);
  RandomStream same(1, 1);
  RandomStream other(1, 2);
  RandomStream seeded(2, 1);
  const std::uint64_t draw = first.next();
  EXPECT_EQ(draw, same.next());
  EXPECT_NE(draw, other.next());
  EXPECT_NE(draw, seeded.next());
  double mean = 0;
  for (int i = 0; i < 20000; ++i) mean += first.exponential(ns(100)).ns() / 20000;
  EXPECT_NEAR(mean, 100, 3);
  for (int i = 0; i < 1000; ++i) EXPECT_LT(first.below(3), 3u);
}

TEST(TimeTest, BytesAtARateRoundUp) {
  EXPECT_EQ(Time::for_bytes(3, 1e12).ps(), 3);
  EXPECT_EQ(Time::for_bytes(1, 3e12).ps(), 1);
  EXPECT_EQ(Time::for_bytes(0, 1e9).ps(), 0);
  EXPECT_EQ(Time::microseconds(1.5).ps(), 1500000);
}

}  // namespace
}  // namespace corespec
