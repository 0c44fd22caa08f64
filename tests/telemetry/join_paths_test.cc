// Paths from records: whole ones, and every way in which records can be missing.
#include "launch/telemetry/join_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace {

using corespec::Time;
using launch::ComponentRecords;
using launch::IssuedCommand;
using launch::join_paths;
using launch::JoinedPath;
using launch::JoinSettings;
using telemetry::Component;
using telemetry::Record;

/// Logs of components, as a run would leave them.
class Logs {
 public:
  Record& add(Component component, std::uint32_t source, std::uint32_t mark, double at_ns,
              double waited_ns, Component next, std::uint8_t flags = 0) {
    Record& record = logs_[component].emplace_back();
    record.mark = mark;
    record.source = source;
    record.arrived_ps = Time::nanoseconds(at_ns).ps();
    record.set_waited(Time::nanoseconds(waited_ns));
    record.next = next.bits();
    record.flags = flags;
    return record;
  }

  /// From nid `source` over these routers to nid `target` and back, 100 ns from one to the next.
  void there_and_back(std::uint32_t source, std::uint32_t target,
                      const std::vector<std::uint32_t>& routers, std::uint32_t mark, double at) {
    at = way(source, target, routers, source, mark, at, 0);
    std::vector<std::uint32_t> back(routers.rbegin(), routers.rend());
    way(target, source, back, source, mark, at, Record::response);
  }

  void remove(Component component) { logs_.erase(component); }
  std::vector<Record>& of(Component component) { return logs_[component]; }

  std::vector<JoinedPath> join(const std::vector<IssuedCommand>& commands,
                               const JoinSettings& settings = {}) const {
    std::vector<ComponentRecords> all;
    for (const auto& [component, records] : logs_) all.push_back({component, records});
    return join_paths(all, commands, settings);
  }

 private:
  double way(std::uint32_t from, std::uint32_t to, const std::vector<std::uint32_t>& routers,
             std::uint32_t source, std::uint32_t mark, double at, std::uint8_t flags) {
    add(Component::nic(from), source, mark, at, 0, Component::router(routers.front()), flags);
    for (std::size_t i = 0; i < routers.size(); ++i) {
      at += 100;
      const Component next =
          i + 1 < routers.size() ? Component::router(routers[i + 1]) : Component::nic(to);
      add(Component::router(routers[i]), source, mark, at, 0, next, flags);
    }
    at += 100;
    add(Component::nic(to), source, mark, at, 10, Component::none(), flags | Record::delivered);
    return at + 10;
  }

  std::map<Component, std::vector<Record>> logs_;
};

IssuedCommand command(std::uint32_t source, std::uint32_t target, std::uint32_t mark, double ns) {
  return {source, target, mark, Time::nanoseconds(ns)};
}

std::vector<Component> places(const JoinedPath& path) {
  std::vector<Component> all;
  for (const launch::PathStep& step : path.steps) all.push_back(step.component);
  return all;
}

TEST(JoinPaths, FollowsNextHopsThereAndBack) {
  Logs logs;
  logs.there_and_back(1, 9, {0, 2, 4}, 7, 1000);
  const auto paths = logs.join({command(1, 9, 7, 990)});
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_TRUE(paths[0].whole());
  EXPECT_FALSE(paths[0].ambiguous);
  using C = Component;
  EXPECT_EQ(places(paths[0]),
            (std::vector<C>{C::nic(1), C::router(0), C::router(2), C::router(4), C::nic(9),
                            C::nic(9), C::router(4), C::router(2), C::router(0), C::nic(1)}));
}

TEST(JoinPaths, AMissingRecordBreaksThePathAndSaysWhere) {
  Logs logs;
  logs.there_and_back(1, 9, {0, 2, 4}, 7, 1000);
  logs.remove(Component::router(2));
  const auto paths = logs.join({command(1, 9, 7, 990)});
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_FALSE(paths[0].whole());
  EXPECT_EQ(paths[0].missing, (std::vector<Component>{Component::router(2), Component::router(2)}));
  ASSERT_EQ(paths[0].steps.size(), 8U);
  EXPECT_EQ(paths[0].steps[2].component, Component::router(4));
  EXPECT_TRUE(paths[0].steps[2].after_gap);
  EXPECT_FALSE(paths[0].steps[3].after_gap);
}

TEST(JoinPaths, ADeadLinkLeavesTheBeginning) {
  Logs logs;
  logs.add(Component::nic(1), 1, 7, 1000, 0, Component::router(0));
  logs.add(Component::router(0), 1, 7, 1100, 0, Component::router(2));
  const auto paths = logs.join({command(1, 9, 7, 990)});
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths[0].missing, (std::vector<Component>{Component::router(2)}));
  EXPECT_EQ(paths[0].steps.size(), 2U);
}

TEST(JoinPaths, NoRecordsAtAll) {
  const auto paths = Logs().join({command(1, 9, 7, 990)});
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_TRUE(paths[0].steps.empty());
  EXPECT_FALSE(paths[0].whole());
}

TEST(JoinPaths, NoCommandsAndNoRecords) { EXPECT_TRUE(Logs().join({}).empty()); }

TEST(JoinPaths, TheBeginningIsMissing) {
  Logs logs;
  logs.there_and_back(1, 9, {0, 2}, 7, 1000);
  logs.of(Component::nic(1)).erase(logs.of(Component::nic(1)).begin());
  const auto paths = logs.join({command(1, 9, 7, 990)});
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths[0].missing, (std::vector<Component>{Component::nic(1)}));
  EXPECT_TRUE(paths[0].steps.front().after_gap);
  EXPECT_EQ(paths[0].steps.size(), 7U);
}

TEST(JoinPaths, TheSameMarkAgainIsAnotherPath) {
  Logs logs;
  logs.there_and_back(1, 9, {0, 2}, 7, 1000);
  logs.there_and_back(1, 9, {0, 2}, 7, 50'000);
  const auto paths = logs.join({command(1, 9, 7, 49'990), command(1, 9, 7, 990)});
  ASSERT_EQ(paths.size(), 2U);
  for (const JoinedPath& path : paths) {
    EXPECT_TRUE(path.whole());
    EXPECT_EQ(path.steps.size(), 8U);
  }
  EXPECT_EQ(paths[0].command, 1);
  EXPECT_EQ(paths[0].steps[0].arrived, Time::nanoseconds(1000));
  EXPECT_EQ(paths[1].steps[0].arrived, Time::nanoseconds(50'000));
}

TEST(JoinPaths, ACommandSentAgainUnderItsMark) {
  Logs logs;
  logs.there_and_back(1, 9, {0, 2}, 7, 1000);
  logs.there_and_back(1, 9, {0, 2}, 7, 20'000);  // a retransmission
  const auto paths = logs.join({command(1, 9, 7, 990)});
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_TRUE(paths[0].whole());
  EXPECT_EQ(paths[1].command, -1);
  EXPECT_EQ(paths[1].steps.size(), 8U);
}

TEST(JoinPaths, TwoOfOneMarkAtOnceAreAmbiguous) {
  Logs logs;
  logs.there_and_back(1, 9, {0, 2}, 7, 1000);
  logs.there_and_back(1, 9, {0, 2}, 7, 1001);
  const auto paths = logs.join({command(1, 9, 7, 990)});
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_TRUE(paths[0].ambiguous);
  EXPECT_EQ(paths[0].steps.size() + paths[1].steps.size(), 16U);
}

TEST(JoinPaths, MarksOfDifferentSourcesAreDifferent) {
  Logs logs;
  logs.there_and_back(1, 9, {0, 2}, 7, 1000);
  logs.there_and_back(3, 9, {1, 2}, 7, 1000);
  const auto paths = logs.join({command(3, 9, 7, 990), command(1, 9, 7, 990)});
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_TRUE(paths[0].whole());
  EXPECT_EQ(paths[0].source, 1U);
  EXPECT_EQ(paths[0].steps[1].component, Component::router(0));
  EXPECT_TRUE(paths[1].whole());
  EXPECT_EQ(paths[1].source, 3U);
}

TEST(JoinPaths, ClocksThatDifferWithinTheTolerance) {
  Logs logs;
  logs.there_and_back(1, 9, {0, 2, 4}, 7, 1000);
  for (Record& record : logs.of(Component::router(2))) record.arrived_ps -= 400'000;
  JoinSettings settings;
  settings.skew = Time::nanoseconds(400);
  auto paths = logs.join({command(1, 9, 7, 990)}, settings);
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_TRUE(paths[0].whole());
  // By the clocks router 2 comes before the NIC; by next hops it does not.
  EXPECT_EQ(paths[0].steps[2].component, Component::router(2));
  settings.skew = Time();
  paths = logs.join({command(1, 9, 7, 990)}, settings);
  EXPECT_FALSE(paths[0].whole());
}

TEST(JoinPaths, WhatAComponentHasMarkedIsAPathFromThere) {
  Logs logs;
  constexpr std::uint32_t mark = 0x80000001;
  logs.add(Component::router(2), 1, mark, 1100, 30, Component::router(4), Record::set_here);
  logs.add(Component::router(4), 1, mark, 1230, 0, Component::nic(9));
  logs.add(Component::nic(9), 1, mark, 1330, 5, Component::none(), Record::delivered);
  const auto paths = logs.join({});
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths[0].command, -1);
  EXPECT_TRUE(paths[0].missing.empty());
  EXPECT_EQ(paths[0].steps.size(), 3U);
}

TEST(JoinPaths, ARingOfNextHopsEnds) {
  Logs logs;
  logs.add(Component::nic(1), 1, 7, 1000, 0, Component::router(0));
  for (int turn = 0; turn < 3; ++turn) {
    logs.add(Component::router(0), 1, 7, 1100 + 200 * turn, 0, Component::router(2));
    logs.add(Component::router(2), 1, 7, 1200 + 200 * turn, 0, Component::router(0));
  }
  const auto paths = logs.join({command(1, 9, 7, 990)});
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths[0].steps.size(), 7U);
  EXPECT_FALSE(paths[0].whole());
}

TEST(JoinPaths, ThreadsMakeNoDifference) {
  Logs logs;
  std::vector<IssuedCommand> commands;
  for (std::uint32_t source = 0; source < 50; ++source) {
    for (std::uint32_t mark = 1; mark <= 20; ++mark) {
      logs.there_and_back(source, 99, {source % 7, 50, 51}, mark, 1000.0 * mark);
      commands.push_back(command(source, 99, mark, 1000.0 * mark - 1));
    }
  }
  logs.of(Component::router(50)).resize(700);
  JoinSettings one, four;
  one.threads = 1;
  four.threads = 4;
  const auto first = logs.join(commands, one), second = logs.join(commands, four);
  ASSERT_EQ(first.size(), 1000U);
  ASSERT_EQ(second.size(), first.size());
  std::size_t broken = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].source, second[i].source);
    EXPECT_EQ(first[i].mark, second[i].mark);
    EXPECT_EQ(places(first[i]), places(second[i]));
    broken += first[i].missing.empty() ? 0 : 1;
  }
  EXPECT_GT(broken, 300U);
  EXPECT_LT(broken, 1000U);
}

}  // namespace
