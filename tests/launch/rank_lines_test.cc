// Output of many ranks as one stream: whole lines, labels, and what becomes of unfinished ones.
#include <gtest/gtest.h>

#include <string>

#include "launch/reports/rank_lines.h"

namespace {

using launch::RankLines;

class Lines : public testing::Test {
 protected:
  RankLines::Sink sink() {
    return [this](std::string_view text) {
      stream_ += text;
      return true;
    };
  }
  std::string stream_;
};

TEST_F(Lines, WaitForTheirEnds) {
  RankLines lines({3, false}, sink());
  lines.add(0, "one ");
  lines.add(1, "other\nnext");
  EXPECT_EQ(stream_, "other\n");
  EXPECT_EQ(lines.unfinished(1), "next");
  lines.add(2, "");
  lines.add(0, "two\nthree\nfo");
  lines.add(0, "ur\n");
  EXPECT_EQ(stream_, "other\none two\nthree\nfour\n");
  EXPECT_EQ(lines.unfinished(0), "");
  lines.end_all();
  EXPECT_EQ(stream_, "other\none two\nthree\nfour\nnext");
}

TEST_F(Lines, BeginAnewAfterAnUnfinishedLastOne) {
  RankLines lines({3, false}, sink());
  lines.add(2, "last");
  lines.add(1, "last");
  lines.end(2);
  EXPECT_EQ(stream_, "last");
  lines.add(0, "whole\n");
  EXPECT_EQ(stream_, "last\nwhole\n");
  lines.end(1);
  lines.end(1);
  EXPECT_EQ(stream_, "last\nwhole\nlast");
}

TEST_F(Lines, BeginWithTheRank) {
  RankLines lines({101, true}, sink());
  lines.add(7, "one\n\ntwo");
  lines.add(100, "one\n");
  lines.end(7);
  lines.end(100);
  EXPECT_EQ(stream_, "  7: one\n  7: \n100: one\n  7: two\n");
  stream_.clear();
  lines.add(99, "a");
  lines.add(3, "b");
  lines.end_all();
  EXPECT_EQ(stream_, "  3: b\n 99: a\n");
}

TEST_F(Lines, OfTheOnlyRankDoNotWait) {
  RankLines lines({1, true}, sink());
  lines.add(0, "size: ");
  EXPECT_EQ(stream_, "0: size: ");
  lines.add(0, "12\n");
  lines.add(0, "end");
  lines.end(0);
  EXPECT_EQ(stream_, "0: size: 12\n0: end\n");
}

TEST_F(Lines, ThatAreVeryLongGoOutInPieces) {
  for (const bool labels : {false, true}) {
    stream_.clear();
    RankLines lines({2, labels}, sink());
    const std::string half(40000, 'x');
    lines.add(1, half);
    EXPECT_EQ(stream_, "");
    lines.add(1, half);
    EXPECT_EQ(stream_, (labels ? "1: " : "") + half + half);
    lines.add(0, "short\n");
    lines.add(1, "rest\n");
    EXPECT_EQ(stream_, labels ? "1: " + half + half + "\n0: short\n1: rest\n"
                              : half + half + "\nshort\nrest\n");
  }
}

TEST_F(Lines, SayThatTheyCannotBeWritten) {
  RankLines lines({2, false}, [](std::string_view) { return false; });
  EXPECT_TRUE(lines.add(0, "waits"));
  EXPECT_FALSE(lines.add(0, "\n"));
}

}  // namespace
