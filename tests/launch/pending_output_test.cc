// The order in which what ranks write is given on, and when.
#include <gtest/gtest.h>

#include <string>

#include "launch/reports/pending_output.h"

namespace {

using corespec::Time;
using launch::PendingOutput;
using Kind = PendingOutput::Kind;

class Pending : public testing::Test {
 protected:
  static Time ns(int ns) { return Time::nanoseconds(ns); }
  std::string given_;
  PendingOutput pending_{[this](int rank, Kind kind, std::string_view text) {
    const char* const names[] = {"output", "errors", "flush", "end", "reason"};
    given_ +=
        std::to_string(rank) + " " + names[static_cast<int>(kind)] + " " + std::string(text) + "\n";
  }};
};

TEST_F(Pending, IsGivenByTimeRankAndTheRanksOrder) {
  pending_.add(ns(20), 1, Kind::output, "late");
  pending_.add(ns(10), 2, Kind::output, "one");
  pending_.add(ns(10), 2, Kind::errors, "two");
  pending_.add(ns(10), 0, Kind::reason, "first");
  pending_.add(ns(10), 2, Kind::end);
  EXPECT_FALSE(pending_.give_before(ns(21)));
  EXPECT_EQ(given_, "0 reason first\n2 output one\n2 errors two\n2 end \n1 output late\n");
}

TEST_F(Pending, WaitsForWhatMayComeAtTheSameTime) {
  pending_.add(ns(10), 1, Kind::output, "a");
  EXPECT_TRUE(pending_.give_before(ns(10)));
  EXPECT_EQ(given_, "");
  pending_.add(ns(10), 0, Kind::output, "b");
  EXPECT_FALSE(pending_.give_before(ns(11)));
  EXPECT_EQ(given_, "0 output b\n1 output a\n");
}

TEST_F(Pending, TextOfOneMomentIsOnePiece) {
  pending_.add(ns(10), 1, Kind::output, "a");
  pending_.add(ns(10), 0, Kind::output, "b");
  pending_.add(ns(10), 1, Kind::output, "c");
  EXPECT_EQ(pending_.bytes(), 3U);
  pending_.give_before(ns(11));
  EXPECT_EQ(given_, "0 output b\n1 output ac\n");
  EXPECT_EQ(pending_.bytes(), 0U);
}

TEST_F(Pending, IsGivenOnceAlsoIfSomethingIsAddedLater) {
  pending_.add(ns(10), 1, Kind::output, "a");
  pending_.give_all();
  pending_.add(ns(10), 1, Kind::output, "b");
  pending_.give_all();
  EXPECT_EQ(given_, "1 output a\n1 output b\n");
  EXPECT_FALSE(pending_.give_before(ns(11)));
  EXPECT_EQ(given_, "1 output a\n1 output b\n");
}

TEST_F(Pending, IsNotWrittenBeyondTheEnd) {
  pending_.add(ns(9), 1, Kind::output, "before");
  pending_.add(ns(10), 0, Kind::output, "at");
  pending_.set_end(ns(10));
  pending_.give_before(ns(50));
  pending_.give_all();
  EXPECT_EQ(given_, "1 output before\n");
}

}  // namespace
