// A component's buffer and its drainer.
#include "ugni_emu/telemetry/component_log.h"

#include <gtest/gtest.h>

namespace {

using corespec::Time;
using telemetry::ComponentLog;
using telemetry::Drain;
using telemetry::Record;

Record marked(std::uint32_t mark) {
  Record record;
  record.mark = mark;
  return record;
}

/// 64 records; the drainer takes four of them every 10 us.
constexpr Drain drain() { return {2048, Time::nanoseconds(10000), 128}; }

TEST(ComponentLog, KeepsWhatFitsAndCountsTheRest) {
  ComponentLog log;
  for (std::uint32_t i = 1; i <= 70; ++i) EXPECT_EQ(log.note(drain(), Time(), marked(i)), i <= 64);
  EXPECT_EQ(log.records().size(), 64U);
  EXPECT_EQ(log.records().back().mark, 64U);
  EXPECT_EQ(log.lost(), 6U);
}

TEST(ComponentLog, TheDrainerMakesRoomAtItsTurns) {
  ComponentLog log;
  for (std::uint32_t i = 0; i < 64; ++i) log.note(drain(), Time(), marked(i));
  EXPECT_FALSE(log.note(drain(), Time::nanoseconds(9999), marked(100)));
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(log.note(drain(), Time::nanoseconds(10000), marked(200 + i)));
  }
  EXPECT_FALSE(log.note(drain(), Time::nanoseconds(19999), marked(300)));
  // Two turns: eight records.
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_TRUE(log.note(drain(), Time::nanoseconds(30000), marked(400 + i)));
  }
  EXPECT_FALSE(log.note(drain(), Time::nanoseconds(30000), marked(500)));
  EXPECT_EQ(log.lost(), 3U);
}

TEST(ComponentLog, ALongTimeEmptiesItAndNoMore) {
  ComponentLog log;
  for (std::uint32_t i = 0; i < 10; ++i) log.note(drain(), Time(), marked(i));
  const Time late = Time::seconds(1000);
  for (std::uint32_t i = 0; i < 65; ++i) EXPECT_EQ(log.note(drain(), late, marked(i)), i < 64);
}

TEST(ComponentLog, ItsClockStandsInItsRecords) {
  ComponentLog log;
  log.clock_offset = Time::nanoseconds(-50);
  Record record = marked(1);
  record.arrived_ps = Time::nanoseconds(1000).ps();
  log.note(drain(), Time::nanoseconds(1000), record);
  EXPECT_EQ(log.records().front().arrived(), Time::nanoseconds(950));
}

TEST(ComponentLog, FlowsHaveOneNumberEach) {
  ComponentLog log;
  const telemetry::Flow first{{1, 2}, {3, 4}, 0}, second{{1, 2}, {3, 5}, 0};
  EXPECT_EQ(log.number_of(first), 1U);
  EXPECT_EQ(log.number_of(second), 2U);
  EXPECT_EQ(log.number_of(first), 1U);
  EXPECT_EQ(log.flow(2), second);
}

}  // namespace
