// Situations of ranks: said together in few lines, and as bytes on their way to the launcher.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "launch/reports/situation_groups.h"
#include "launch/reports/situation_packing.h"
#include "launch/symbols/code_place.h"

namespace {

using corespec::Situation;
using launch::packed;
using launch::ranks_text;
using launch::SituationGroups;
using launch::unpack;

Situation receiving(int from) {
  Situation situation;
  situation.call = "MPI_Recv";
  situation.details = ": from " + Situation::rank(from);
  return situation;
}

Situation meeting(std::uint64_t number, int size) {
  Situation situation;
  situation.call = "MPI_Barrier";
  situation.meeting = {"world", "MPI_Barrier", number, [size] {
                         std::vector<int> ranks;
                         for (int rank = 0; rank < size; ++rank) ranks.push_back(rank);
                         return ranks;
                       }};
  situation.entered["world"] = {number, "MPI_Barrier"};
  return situation;
}

TEST(RanksText, Ranges) {
  EXPECT_EQ(ranks_text({3}), "rank 3");
  EXPECT_EQ(ranks_text({0, 1}), "ranks 0, 1");
  EXPECT_EQ(ranks_text({0, 2, 3, 4, 9}), "ranks 0, 2-4, 9");
  std::vector<int> odd;
  for (int rank = 1; rank < 101; rank += 2) odd.push_back(rank);
  EXPECT_THAT(ranks_text(odd), testing::EndsWith(", 29, 31 and 34 more"));
}

TEST(Groups, NeighboursAtEqualDistances) {
  SituationGroups groups("x", 7);
  for (int rank = 0; rank < 5; ++rank) groups.add(rank, receiving(rank + 1));
  groups.add(5, receiving(0));
  EXPECT_EQ(groups.text(),
            "x: ranks 0-4: in MPI_Recv: from rank r + 1\n"
            "x: rank 5: in MPI_Recv: from rank 0\n");
}

TEST(Groups, TwoAreSaidOneByOne) {
  SituationGroups groups("x", 2);
  groups.add(0, receiving(1));
  groups.add(1, receiving(0));
  EXPECT_EQ(groups.text(),
            "x: rank 0: in MPI_Recv: from rank 1\nx: rank 1: in MPI_Recv: from rank 0\n");
}

TEST(Groups, OneForAll) {
  SituationGroups groups("x", 4);
  for (int rank = 1; rank < 4; ++rank) groups.add(rank, receiving(0));
  EXPECT_EQ(groups.text(), "x: ranks 1-3: in MPI_Recv: from rank 0\n");
}

TEST(Groups, WhoIsMissingAndWhoIsNotKnown) {
  SituationGroups groups("x", 5);
  Situation other = receiving(1);
  other.entered["world"] = {6, "MPI_Bcast"};
  groups.add(0, other);
  groups.add(1, meeting(7, 5));
  Situation instead = meeting(7, 5);
  instead.call = "MPI_Bcast";
  instead.meeting->call = "MPI_Bcast";
  instead.entered["world"] = {7, "MPI_Bcast"};
  groups.add(2, instead);
  Situation unknown;
  unknown.details = "computes";
  unknown.facts_known = false;
  groups.add(3, unknown);
  EXPECT_THAT(groups.text(),
              testing::HasSubstr("x: rank 1: in MPI_Barrier (collective call 7 there); rank 0 has "
                                 "not called it; rank 3 is elsewhere; rank 2 has called MPI_Bcast "
                                 "instead\n"));
}

TEST(Groups, WhoIsGoneIsNotMissing) {
  SituationGroups groups("x", 5);
  Situation lost;
  lost.gone = true;
  lost.details = "lost with node 2";
  Situation on_its_way;
  ASSERT_TRUE(unpack(packed(lost), 5, on_its_way));
  EXPECT_TRUE(on_its_way.gone);
  groups.add(0, meeting(1, 5));
  groups.add(1, meeting(1, 5));
  for (const int rank : {2, 3}) groups.add(rank, on_its_way);
  groups.add(4, Situation());
  EXPECT_THAT(groups.text(),
              testing::StartsWith("x: ranks 0, 1: in MPI_Barrier; rank 4 has not called it; ranks "
                                  "2, 3 are gone\nx: ranks 2, 3: lost with node 2\n"));
}

TEST(Groups, WhoHoldsALock) {
  SituationGroups groups("x", 2);
  Situation wanting;
  wanting.call = "ARMCI_Lock";
  wanting.wants = "m";
  groups.add(0, wanting);
  Situation holding = receiving(0);
  holding.holds = {"m"};
  groups.add(1, holding);
  EXPECT_THAT(groups.text(), testing::StartsWith("x: rank 0: in ARMCI_Lock; rank 1 holds it\n"));
}

Situation receiving_at(std::uint64_t offset) {
  Situation situation = receiving(0);
  situation.place = launch::marked({{"/bin/ring", offset}, {"/bin/ring", 1}});
  return situation;
}

TEST(Groups, OnePlaceIsOneGroup) {
  SituationGroups groups("x", 5);
  for (int rank = 1; rank < 4; ++rank) groups.add(rank, receiving_at(rank == 2 ? 0xab : 0xcd));
  Situation computing;
  computing.details = "computes";
  computing.place = launch::marked({{"/lib/libsolve.so", 0x10}});
  groups.add(4, computing);
  EXPECT_EQ(groups.text(),
            "x: ranks 1, 3: in MPI_Recv at ring+0xcd: from rank 0\n"
            "x: rank 2: in MPI_Recv at ring+0xab: from rank 0\n"
            "x: rank 4: computes at libsolve.so+0x10\n");
}

TEST(Groups, OtherThreadsHaveTheirPlaces) {
  SituationGroups groups("x", 1, [](const std::vector<launch::CodePlace>& places) {
    return " at " + std::to_string(places.size()) + " places of " + places.front().file;
  });
  Situation main = receiving(0);
  launch::add_other_threads(main, {receiving_at(1), receiving_at(1), receiving_at(2)});
  groups.add(0, main);
  EXPECT_THAT(
      groups.text(),
      testing::EndsWith("x:   another of its threads: in MPI_Recv at 2 places of /bin/ring: "
                        "from rank 0\n"))
      << groups.text();
  EXPECT_THAT(
      groups.text(),
      testing::HasSubstr("x:   2 more of its threads: in MPI_Recv at 2 places of /bin/ring: "
                         "from rank 0\n"));
}

TEST(Places, ThereAndBackAsMarks) {
  const std::vector<launch::CodePlace> places{{"/a b/c", 0x1234}, {"/d", 0xffffffffffffffff}};
  std::vector<launch::CodePlace> back;
  const auto say = [&](const std::vector<launch::CodePlace>& those) {
    back = those;
    return std::string("!");
  };
  EXPECT_EQ(launch::with_places("x" + launch::marked(places) + "y", say), "x!y");
  EXPECT_EQ(back, places);
  EXPECT_EQ(launch::with_places("a\x03"
                                "b\x04\x04"
                                "c\x03"
                                "12",
                                say),
            "a!c12");
}

TEST(Groups, VeryManyAreCutOff) {
  SituationGroups groups("x", 1000);
  for (int rank = 0; rank < 100; ++rank) {
    Situation situation;
    situation.details = std::to_string(rank);
    groups.add(rank, situation);
  }
  EXPECT_THAT(groups.text(), testing::EndsWith("x: rank 31: 31\n"
                                               "x: and 68 more ranks in 68 other states\n"));
}

TEST(Packing, ThereAndBack) {
  Situation situation = meeting(12, 5);
  situation.details = ": from " + Situation::rank(4);
  situation.notes = {"one", "two" + launch::marked({{"/bin/ring", 7}})};
  situation.place = launch::marked({{"/bin/ring", 0xab}, {"/lib/c.so", 1}});
  situation.holds = {"a", "b"};
  situation.wants = "c";
  situation.facts_known = false;
  Situation back;
  ASSERT_TRUE(unpack(packed(situation), 5, back));
  EXPECT_EQ(back.call, situation.call);
  EXPECT_EQ(back.details, situation.details);
  EXPECT_EQ(back.notes, situation.notes);
  EXPECT_EQ(back.place, situation.place);
  EXPECT_EQ(back.holds, situation.holds);
  EXPECT_EQ(back.wants, situation.wants);
  EXPECT_FALSE(back.facts_known);
  EXPECT_EQ(back.entered["world"].calls, 12U);
  EXPECT_EQ(back.entered["world"].last, "MPI_Barrier");
  ASSERT_TRUE(back.meeting);
  EXPECT_EQ(back.meeting->where, "world");
  EXPECT_EQ(back.meeting->number, 12U);
  EXPECT_EQ(back.meeting->members(), situation.meeting->members());
}

TEST(Packing, HasABound) {
  Situation situation;
  situation.call = "MPI_Waitall";
  situation.details = std::string(1'000'000, 'x');
  situation.notes.assign(100, std::string(3000, 'y'));
  const std::string bytes = packed(situation);
  EXPECT_LE(bytes.size(), launch::most_packed);
  Situation back;
  EXPECT_TRUE(unpack(bytes, 1, back));
  EXPECT_EQ(back.call, "MPI_Waitall");
}

TEST(Packing, ControlCharactersAreNotPrinted) {
  Situation situation;
  situation.call = "a\033[2Jb\n";
  Situation back;
  ASSERT_TRUE(unpack(packed(situation), 1, back));
  EXPECT_EQ(back.call, "a?[2Jb?");
}

TEST(Packing, OtherBytesAreRefused) {
  Situation back;
  for (const char* bytes :
       {"x", "c", "c5", "c5:abc", "c-1:", "c99999999999999999999:", "z1:a", "m3:abc", "c:",
        "m11:a\x1f"
        "b\x1f"
        "7\x1f"
        "0-99",
        "m10:a\x1f"
        "b\x1f"
        "7\x1f"
        "3-1",
        "e1:a"}) {
    EXPECT_FALSE(unpack(bytes, 10, back)) << bytes;
  }
}

TEST(Packing, RandomBytesDoNoHarm) {
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same bytes every time
  const std::string good = packed(meeting(3, 40));
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    for (int change = 0; change < 3; ++change) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    Situation back;
    if (!unpack(bytes, 40, back) || !back.meeting) continue;
    EXPECT_LE(back.meeting->members().size(), 40U);
  }
}

}  // namespace
