// What stands beside uGNI for its clients (ALPS, RCA, UDREG, huge pages, PMI2), on either clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/on_clock.h"

namespace {

using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using testing::Contains;
using testing::Each;
using testing::MatchesRegex;
using testing::SizeIs;
using testing::UnorderedElementsAre;

const std::string companions = sample("companions");
const std::string pmi2_job = sample("pmi2_job");

class Companions : public launch_test::OnEachClock {
 protected:
  /// The lines of `ranks` ranks that find nothing wrong, without those that say so.
  static std::vector<std::string> right(const CommandResult& result, std::size_t ranks) {
    EXPECT_EQ(result.code, 0) << result.output << result.errors;
    std::vector<std::string> lines = lines_of(result.output);
    EXPECT_EQ(ranks, std::erase(lines, "0 wrong"));
    return lines;
  }
};

INSTANTIATE_TEST_SUITE_P(, Companions, launch_test::each_clock(), launch_test::clock_name);

TEST_P(Companions, AlpsAnswers) {
  EXPECT_THAT(right(run("-n 5 -N 2 -L 3,6,8 " + companions + " alps"), 5), SizeIs(0));
  EXPECT_THAT(right(run("-n 2 -N 1 -d 2 " + companions + " alps"), 2), SizeIs(0));
  EXPECT_THAT(right(alone(companions + " alps"), 1), SizeIs(0));
}

TEST_P(Companions, RcaKnowsTheTorus) {
  EXPECT_THAT(right(run("--system 2x3x4 -n 2 -N 1 -L 5,47 " + companions + " rca"), 2),
              UnorderedElementsAre("nid 5 at 0,0,2 of 1,2,3 in c0-0c0s2n1 g0",
                                   "nid 47 at 1,2,3 of 1,2,3 in c1-1c0s3n1 g0"));
  // Hopper's published map: nid 48 is the first that comes back down Z, one Y further.
  EXPECT_THAT(right(run("-n 2 -N 1 -L 0,48 " + companions + " rca"), 2),
              UnorderedElementsAre("nid 0 at 0,0,0 of 16,7,23 in c0-0c0s0n0 g0",
                                   "nid 48 at 0,1,23 of 16,7,23 in c0-0c2s7n2 g1"));
  // The most cages that a cabinet has.
  EXPECT_THAT(right(run("--system 3x2x128 -n 1 -L 1535 " + companions + " rca"), 1),
              UnorderedElementsAre("nid 1535 at 2,1,127 of 2,1,127 in c2-0c15s7n3 g1"));
}

TEST_P(Companions, RcaKnowsTheDragonfly) {
  EXPECT_THAT(right(run("--system edison -n 2 -N 1 -L 5,5579 " + companions + " rca"), 2),
              UnorderedElementsAre("nid 5 at 0,0,1 of 14,5,15 in c0-0c0s1n1 g0",
                                   "nid 5579 at 14,3,2 of 14,5,15 in c7-3c0s2n3 g0"));
  EXPECT_THAT(right(run("--system dragonfly:3x2x4x4 -n 1 -L 95 " + companions + " rca"), 1),
              UnorderedElementsAre("nid 95 at 2,1,3 of 2,1,3 in c2-0c1s3n3 g0"));
}

TEST_P(Companions, UdregRegistersOnDemand) {
  EXPECT_THAT(right(run("-n 3 -N 2 " + companions + " udreg"), 3), SizeIs(0));
  EXPECT_THAT(right(alone(companions + " udreg"), 1), SizeIs(0));
}

TEST_P(Companions, MemoryInHugePages) {
  EXPECT_THAT(right(run("-n 2 " + companions + " hugetlbfs"), 2), SizeIs(0));
}

TEST_P(Companions, Pmi2) {
  EXPECT_THAT(right(run("-n 5 -N 2 " + pmi2_job), 5), Each("mapping (vector,(0,2,2),(2,1,1))"));
  EXPECT_THAT(right(alone(pmi2_job), 1), Each("mapping (vector,(0,1,1))"));
}

TEST_P(Companions, Pmi2Aborts) {
  const CommandResult result = run("-n 2 -N 1 " + pmi2_job + " abort");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(lines_of(result.errors),
              Contains(MatchesRegex(".NID 00001. Apid [0-9]+: rank 1: by version 2")));
}

}  // namespace
