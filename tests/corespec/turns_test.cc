// Whose turn comes next, and what is prefetched ahead of it.
#include "corespec/virtual/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "corespec/events/prefetch_lines.h"
#include "corespec/random/random_stream.h"
#include "corespec/virtual/engine.h"
#include "corespec/virtual/turn_prefetch.h"

namespace corespec {
namespace {

constexpr Time ps(std::int64_t value) { return Time::picoseconds(value); }

/// An event for itself or for another domain, at random times, and often at equal ones.
struct Wanderer final : Event {
  void fire(std::uint64_t left) override {
    VirtualDomain& here = *(*domains)[at];
    times->push_back(here.now());
    if (left == 0) return;
    const auto pause = static_cast<std::int64_t>(random.below(4) == 0 ? 1 : random.below(1000) + 1);
    if (random.below(2) == 0) at = random.below(domains->size());
    (*domains)[at]->schedule_from(here, here.now() + ps(pause), source, *this, left - 1);
  }
  std::vector<VirtualDomain*>* domains = nullptr;
  std::vector<Time>* times = nullptr;
  std::size_t at = 0;
  EventSource source;
  RandomStream random{3, 0};
};

class TurnsInOrder : public testing::TestWithParam<std::size_t> {};

// With the least delay that there is, a turn ends where the next domain's begins, so that whoever
// is taken out of order shows in the times. Half of the domains have nothing to do at first.
TEST_P(TurnsInOrder, WhateverMovesEarlier) {
  Engine engine;
  std::vector<VirtualDomain*> domains;
  for (std::size_t i = 0; i < GetParam(); ++i) domains.push_back(&engine.add_domain());
  engine.set_least_delay(ps(1));
  std::vector<Time> times;
  std::vector<Wanderer> wanderers(GetParam() / 2 + 1);
  for (std::size_t i = 0; i < wanderers.size(); ++i) {
    Wanderer& wanderer = wanderers[i];
    wanderer.domains = &domains;
    wanderer.times = &times;
    wanderer.at = i;
    wanderer.source.id = static_cast<std::uint32_t>(i + 1);
    wanderer.random = RandomStream(3, i);
    domains[i]->schedule(ps(static_cast<std::int64_t>(100 * i)), wanderer.source, wanderer, 200);
  }
  EXPECT_EQ(engine.run(), Engine::End::nothing_left);
  EXPECT_EQ(times.size(), 201 * wanderers.size());
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
}

INSTANTIATE_TEST_SUITE_P(Domains, TurnsInOrder,
                         testing::Values(1, 2, 3, 14, 15, 16, 17, 31, 40, 300));

/// An event that gives all domains one, at times in any order, the last of which does so again.
struct Scatter final : Event {
  void fire(std::uint64_t what) override {
    VirtualDomain& here = *(*domains)[what >> 1];
    times.push_back(here.now());
    if ((what & 1) == 0 || left-- == 0) return;
    const std::size_t count = domains->size();
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = i;
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    for (std::size_t i = 0; i < count; ++i) {
      const Time at = here.now() + ps(static_cast<std::int64_t>(order[i] / 2 + 1));
      const std::uint64_t again = order[i] + 1 == count ? 1 : 0;
      (*domains)[i]->schedule_from(here, at, source, *this, i << 1 | again);
    }
  }
  std::vector<VirtualDomain*>* domains = nullptr;
  std::vector<Time> times;
  EventSource source{1, 0};
  RandomStream random{5, 0};
  int left = 50;
};

TEST_P(TurnsInOrder, ManyMoveInOneTurn) {
  Engine engine;
  std::vector<VirtualDomain*> domains;
  for (std::size_t i = 0; i < GetParam(); ++i) domains.push_back(&engine.add_domain());
  engine.set_least_delay(ps(1));
  Scatter scatter;
  scatter.domains = &domains;
  domains.back()->schedule(Time(), scatter.source, scatter, (domains.size() - 1) << 1 | 1);
  EXPECT_EQ(engine.run(), Engine::End::nothing_left);
  EXPECT_EQ(scatter.times.size(), 1 + 50 * domains.size());
  EXPECT_TRUE(std::is_sorted(scatter.times.begin(), scatter.times.end()));
}

TEST(TurnsInOrder, DomainsMayComeWhenOthersHaveEvents) {
  Engine engine;
  std::vector<VirtualDomain*> domains;
  std::vector<Time> times;
  std::vector<Wanderer> wanderers(100);
  for (std::size_t i = 0; i < wanderers.size(); ++i) {
    domains.push_back(&engine.add_domain());
    if (i == 0) engine.set_least_delay(ps(1));
    wanderers[i].domains = &domains;
    wanderers[i].times = &times;
    wanderers[i].at = i;
    wanderers[i].source.id = static_cast<std::uint32_t>(i + 1);
    domains[i]->schedule(ps(static_cast<std::int64_t>(1000 - 10 * i)), wanderers[i].source,
                         wanderers[i], 0);
  }
  engine.run();
  EXPECT_EQ(times.size(), wanderers.size());
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
}

/// Writes down how it is prefetched.
struct Chain final : Event {
  Chain(std::string& to, char called, unsigned links) : log(to), name(called), length(links) {}
  void fire(std::uint64_t) override {}
  bool prefetch(Upcoming what, unsigned step, LineRequests&) const override {
    log += name + std::to_string(what.arg) + std::to_string(step) + ' ';
    return step + 1 < length;
  }
  std::string& log;
  char name;
  unsigned length;
};

TEST(TurnPrefetch, ChainsOfWhatIsDueInTheTurnAreFollowedSideBySide) {
  Engine engine;
  VirtualDomain& domain = engine.add_domain();
  std::string log;
  Chain first(log, 'a', 2);
  Chain second(log, 'b', 3);
  Chain later(log, 'c', 3);
  EventSource source{1, 0};
  domain.schedule(ps(100), source, first, 7);
  domain.schedule(ps(700), source, later, 8);
  domain.schedule(ps(600), source, second, 9);
  TurnPrefetch progress;
  LineList<64> lines;
  int calls = 0;
  for (; progress.chains != 0; ++calls) prefetch_turn(domain, ps(500), progress, lines);
  EXPECT_EQ(log, "a70 b90 a71 b91 b92 ");
  EXPECT_EQ(calls, 3 + 3);  // the domain, its queue, the events; then their chains
}

TEST(TurnPrefetch, AQueueWithNothingInItHasNoChains) {
  Engine engine;
  VirtualDomain& domain = engine.add_domain();
  TurnPrefetch progress;
  LineList<64> lines;
  for (int i = 0; i < 3; ++i) prefetch_turn(domain, ps(500), progress, lines);
  EXPECT_EQ(progress.chains, 0);
}

}  // namespace
}  // namespace corespec
