// The rules that choose the algorithms of collectives: their words, their order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "netmod/mpi/collectives/rules/choice.h"

namespace netmod {
namespace {

using ::testing::HasSubstr;

std::string complaint_about(const std::string& text) {
  try {
    parse_rules(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Rules, AreReadAndWritten) {
  const auto rules = parse_rules(
      "allreduce ring in=leaders ranks=8..64 bytes=1M.. ;; bcast chain bytes=..2K; barrier "
      "binomial "
      "ranks=4;");
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_EQ(words(rules[0]), "allreduce ring in=leaders ranks=8..64 bytes=1048576..");
  EXPECT_EQ(words(rules[1]), "bcast chain bytes=..2048");
  EXPECT_EQ(words(rules[2]), "barrier binomial ranks=4..4");
  for (const Rule& rule : default_rules()) {
    EXPECT_EQ(words(parse_rules(words(rule)).at(0)), words(rule));
  }
  EXPECT_TRUE(parse_rules("").empty());
}

TEST(Rules, ComplaintsNameTheRuleAndWhatIsAllowed) {
  EXPECT_THAT(complaint_about("bcast chain; allreduction ring"),
              HasSubstr("rule \" allreduction ring\": \"allreduction\" is none of the collectives "
                        "barrier, bcast, reduce, allreduce"));
  EXPECT_THAT(complaint_about("bcast ring"),
              HasSubstr("\"ring\" is no algorithm of bcast: two_level, binomial, scatter_ring, "
                        "chain"));
  EXPECT_THAT(complaint_about("gather"), HasSubstr("\"\" is no algorithm of gather: binomial, "
                                                   "linear"));
  EXPECT_THAT(complaint_about("bcast chain bytes=1G"), HasSubstr("\"1G\" is not a number"));
  EXPECT_THAT(complaint_about("bcast chain bytes=-1"), HasSubstr("\"-1\" is not a number"));
  EXPECT_THAT(complaint_about("bcast chain bytes="), HasSubstr("\"\" is not a number"));
  EXPECT_THAT(complaint_about("bcast chain bytes=9999999999999999M"), HasSubstr("not a number"));
  EXPECT_THAT(complaint_about("bcast chain ranks=9..8"), HasSubstr("nothing is in \"9..8\""));
  EXPECT_THAT(complaint_about("bcast chain in=torus"), HasSubstr("all, node or leaders"));
  EXPECT_THAT(complaint_about("bcast chain size=4"), HasSubstr("none of in=, ranks= and bytes="));
}

TEST(Rules, TheFirstThatFitsAndAppliesCounts) {
  const auto own =
      parse_rules("bcast chain ranks=4.. bytes=100..200; bcast scatter_ring ranks=4..");
  const auto chosen = [&](int ranks, std::int64_t bytes) {
    return choose(own, {CollectiveKind::bcast, Scope::leaders, ranks, bytes});
  };
  EXPECT_EQ(chosen(4, 100), Algorithm::chain);
  EXPECT_EQ(chosen(4, 200), Algorithm::chain);
  EXPECT_EQ(chosen(4, 201), Algorithm::scatter_ring);
  EXPECT_EQ(chosen(3, 150), Algorithm::binomial);  // ours
}

/// A question about all of a communicator on several nodes.
Question about(CollectiveKind kind, int ranks = 8) {
  return {kind, Scope::all, ranks, 4096, true, true, true};
}

// Whatever stands in the way, what fits and can be followed comes next, two levels among it.
TEST(Rules, ThoseThatCannotBeFollowedArePassedOver) {
  const auto own = parse_rules(
      "allreduce ring; reduce scatter_gather; reduce_scatter pairwise; allgather "
      "recursive_doubling; barrier two_level");
  Question question = about(CollectiveKind::allreduce);
  EXPECT_EQ(choose(own, question), Algorithm::ring);
  question.splits = false;
  EXPECT_EQ(choose(own, question), Algorithm::two_level);
  question.commutes = false;
  EXPECT_EQ(choose(own, question), Algorithm::recursive_doubling);
  question = about(CollectiveKind::reduce);
  EXPECT_EQ(choose(own, question), Algorithm::scatter_gather);
  question.splits = false;
  EXPECT_EQ(choose(own, question), Algorithm::two_level);
  question.two_levels = false;
  EXPECT_EQ(choose(own, question), Algorithm::binomial);
  question = about(CollectiveKind::reduce_scatter);
  EXPECT_EQ(choose(own, question), Algorithm::pairwise);
  question.commutes = false;
  EXPECT_EQ(choose(own, question), Algorithm::reduce_scatterv);
  EXPECT_EQ(choose(own, about(CollectiveKind::allgather)), Algorithm::recursive_doubling);
  EXPECT_EQ(choose(own, about(CollectiveKind::allgather, 12)), Algorithm::bruck);
  question = about(CollectiveKind::barrier);
  EXPECT_EQ(choose(own, question), Algorithm::two_level);
  question.two_levels = false;
  EXPECT_EQ(choose(own, question), Algorithm::dissemination);
}

TEST(Rules, OnesForAScopeLeaveTheOthersAlone) {
  const auto own = parse_rules("barrier binomial in=leaders");
  const auto chosen = [&](Scope scope) {
    return choose(own, {CollectiveKind::barrier, scope, 8, 0});
  };
  EXPECT_EQ(chosen(Scope::leaders), Algorithm::binomial);
  EXPECT_EQ(chosen(Scope::all), Algorithm::dissemination);
}

TEST(Rules, OursAreThoseOfThePage) {
  std::ifstream page(CASTOR_SOURCE_DIR "/docs/collectives.md");
  std::string line, on_page, expected;
  while (std::getline(page, line) && line.find("The library's rules") == std::string::npos) {
  }
  while (std::getline(page, line)) on_page += line.empty() ? "" : line + "\n";
  for (const Rule& rule : default_rules()) expected += "    " + words(rule) + "\n";
  EXPECT_EQ(on_page, expected);
}

// What a collective can fall back upon, whatever the datatype, operation and number of ranks.
TEST(Rules, OursEndWithOneThatCanAlwaysBeFollowed) {
  const auto last_of = [](CollectiveKind kind) {
    const Rule* last = nullptr;
    for (const Rule& rule : default_rules()) {
      if (rule.collective == kind) last = &rule;
    }
    const bool reduces = kind == CollectiveKind::reduce || kind == CollectiveKind::allreduce ||
                         kind == CollectiveKind::reduce_scatter;
    const Question nothing_is_there{kind, Scope::all, 7, 0, false, !reduces, !reduces};
    if (last == nullptr || !last->can_be_followed(nothing_is_there)) return std::string("none");
    return words(*last);
  };
  EXPECT_EQ(last_of(CollectiveKind::barrier), "barrier dissemination");
  EXPECT_EQ(last_of(CollectiveKind::bcast), "bcast binomial");
  EXPECT_EQ(last_of(CollectiveKind::reduce), "reduce binomial");
  EXPECT_EQ(last_of(CollectiveKind::allreduce), "allreduce recursive_doubling");
  EXPECT_EQ(last_of(CollectiveKind::reduce_scatter), "reduce_scatter reduce_scatterv");
  EXPECT_EQ(last_of(CollectiveKind::gather), "gather binomial");
  EXPECT_EQ(last_of(CollectiveKind::scatter), "scatter binomial");
  EXPECT_EQ(last_of(CollectiveKind::allgather), "allgather ring");
  EXPECT_EQ(last_of(CollectiveKind::alltoall), "alltoall pairwise");
  EXPECT_EQ(last_of(CollectiveKind::alltoallv), "alltoallv linear");
}

}  // namespace
}  // namespace netmod
