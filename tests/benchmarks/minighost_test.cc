// MiniGhost's skeleton: its grid of ranks, its counts, and runs with and without data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "apps/minighost_grid.h"
#include "tests/benchmarks/program_runs.h"

namespace benchmarks {
namespace {

constexpr const char* header =
    "ranks,nodes,grid,mapping,vars,face_bytes,steps,step_min,step_mean,step_max,node_mean,node_max,"
    "ok";
enum Column {
  ranks,
  nodes,
  grid,
  mapping,
  vars,
  face_bytes,
  steps,
  step_min,
  step_mean,
  step_max,
  node_mean,
  node_max,
  ok,
  columns
};

std::vector<std::string> row_of(const Outcome& outcome) {
  const auto rows = rows_of(outcome, header);
  if (rows.size() != 1) return std::vector<std::string>(columns);
  return rows[0];
}

std::vector<std::string> run(const std::string& options, const std::string& arguments) {
  return row_of(aprun(options, "minighost --csv " + arguments));
}

TEST(MiniGhostGrid, EveryRankHasOnePlace) {
  for (const rank_grid& shape :
       {rank_grid{{4, 6, 8}, {2, 2, 4}, mapping_noremap, 0, blocks_x_first},
        rank_grid{{4, 6, 8}, {2, 2, 4}, mapping_remap, 0, blocks_x_first},
        rank_grid{{1, 1, 1}, {1, 1, 1}, mapping_random, 7, blocks_x_first},
        rank_grid{{4, 6, 8}, {2, 2, 4}, mapping_random, 1, blocks_x_first},
        rank_grid{{3, 5, 7}, {3, 1, 7}, mapping_remap, 0, blocks_x_first},
        rank_grid{{4, 6, 8}, {2, 3, 4}, mapping_remap, 0, blocks_z_first},
        rank_grid{{31, 5, 7}, {1, 1, 1}, mapping_random, 4000000000U, blocks_x_first}}) {
    SCOPED_TRACE(testing::Message() << shape.mapping << ' ' << shape.size[0]);
    std::vector<int> seen(static_cast<std::size_t>(grid_ranks(&shape)));
    for (long rank = 0; rank < grid_ranks(&shape); ++rank) {
      long place[grid_dimensions];
      place_of(&shape, rank, place);
      for (int d = 0; d < grid_dimensions; ++d) {
        EXPECT_GE(place[d], 0);
        EXPECT_LT(place[d], shape.size[d]);
      }
      EXPECT_EQ(rank_at(&shape, place), rank);
      ++seen[static_cast<std::size_t>(place_number(shape.size, place))];
    }
    EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
  }
}

TEST(MiniGhostGrid, NodesHaveRowsBlocksOrAnything) {
  rank_grid shape{{4, 4, 32}, {2, 2, 4}, mapping_noremap, 1, blocks_x_first};
  long place[grid_dimensions];
  place_of(&shape, 17, place);  // 1x1x16: the second node is behind the first in z
  EXPECT_EQ(std::vector<long>(place, place + 3), (std::vector<long>{0, 0, 17}));
  shape.mapping = mapping_remap;
  place_of(&shape, 15, place);
  EXPECT_EQ(std::vector<long>(place, place + 3), (std::vector<long>{1, 1, 3}));
  place_of(&shape, 16, place);  // 2x2x4: it is beside the first in x
  EXPECT_EQ(std::vector<long>(place, place + 3), (std::vector<long>{2, 0, 0}));
  shape.block_order = blocks_z_first;
  place_of(&shape, 16, place);  // behind it in z
  EXPECT_EQ(std::vector<long>(place, place + 3), (std::vector<long>{0, 0, 4}));
  shape.mapping = mapping_random;
  int moved = 0;
  for (long rank = 0; rank < 512; ++rank) {
    place_of(&shape, rank, place);
    moved += place_number(shape.size, place) != rank ? 1 : 0;
  }
  EXPECT_GT(moved, 500);
}

// 4x4x16 ranks on 16 nodes: 768 faces leave rows of 16 ranks, 352 leave blocks.
TEST(MiniGhost, FacesThatLeaveANodeAreCounted) {
  const std::string options = "--system cielo -n 256 -N 16";
  const std::string arguments = "--grid 4x4x16 --size 8x8x8 --vars 10 --mapping ";
  const auto noremap = run(options, arguments + "noremap");
  const auto remap = run(options, arguments + "remap");
  EXPECT_EQ(noremap[grid], "4x4x16");
  EXPECT_EQ(noremap[nodes], "16");
  EXPECT_EQ(noremap[face_bytes], "8000");
  EXPECT_EQ(noremap[node_mean], "0.384");  // 768 * 8,000 / 16
  EXPECT_EQ(noremap[node_max], "0.512");   // four sides of 16
  EXPECT_EQ(remap[node_mean], "0.176");    // 352 * 8,000 / 16
  EXPECT_EQ(remap[node_max], "0.192");     // two sides of 8, and two of 4
  // The order of blocks has the same faces leave; who has which block changes the time.
  const auto z_first = run(options, arguments + "remap --block-order z-first");
  EXPECT_EQ(z_first[node_mean], remap[node_mean]);
  EXPECT_NE(z_first[step_max], remap[step_max]);
  const auto random = run(options, arguments + "random");
  EXPECT_EQ(random, run(options, arguments + "random"));
  EXPECT_NE(random, run(options, arguments + "random --seed 2"));
}

// E0, E1, R0 and R1, and within a node.
TEST(MiniGhost, DataArriveAndTakeTheTimeOfNone) {
  for (const char* size :
       {"2x2x2 --vars 1", "6x6x6 --vars 5", "30x20x10 --vars 5", "120x100x20 --vars 10"}) {
    for (const char* way : {"noremap", "remap", "random"}) {
      const std::string arguments =
          std::string("--grid 2x4x4 --steps 2 --size ") + size + " --mapping " + way;
      const auto with = run("-n 32 -N 16", arguments + " --data");
      EXPECT_EQ(with[ok], "yes");
      EXPECT_EQ(with, run("-n 32 -N 16", arguments));
    }
  }
}

// A step is the work of all points and values, and whatever the messages take.
TEST(MiniGhost, WorkIsThatOfPointsAndValues) {
  const auto alone = run("-n 1", "--size 10x20x30 --vars 2 --point-ns 5 --steps 2");
  EXPECT_NEAR(number(alone[step_max]), 6000 * 2 * 5e-6, 1e-4);
  const auto pair = run("-n 2 -N 1", "--size 10x20x30 --vars 2 --point-ns 5 --pack-ns 100");
  const auto quick = run("-n 2 -N 1", "--size 10x20x30 --vars 2 --point-ns 5 --pack-ns 0");
  EXPECT_NEAR(number(pair[step_max]) - number(quick[step_max]), 2 * 2 * 12 * 22 * 100e-6, 1e-3);
  EXPECT_EQ(pair[grid], "1x1x2");
}

TEST(MiniGhost, GlobalSumsTakeTime) {
  const std::string arguments = "--size 10x10x10 --vars 4 --point-ns 0 --percent-sum ";
  const double none = number(run("-n 64 -N 16", arguments + "0")[step_max]);
  const double half = number(run("-n 64 -N 16", arguments + "50")[step_max]);
  const double all = number(run("-n 64 -N 16", arguments + "100")[step_max]);
  EXPECT_GT(half, none);
  EXPECT_GT(all, half);
}

TEST(MiniGhost, RefusesWhatDoesNotFit) {
  expect_refusal(aprun("-n 8 -N 8", "minighost --grid 2x2x3"),
                 "minighost: --grid: 2x2x3 are 12 ranks, and the job has 8");
  expect_refusal(aprun("-n 8 -N 8", "minighost --mapping remap"),
                 "minighost: --block: 2x2x4 does not divide the grid of 2x2x2 ranks");
  expect_refusal(aprun("-n 1", "minighost --size 1x2"),
                 "minighost: option --size: '1x2' is not three integers of 1 to 1000000, as 4x4x2");
  expect_refusal(aprun("-n 1", "minighost --size 501x2x2"),
                 "minighost: --size: at most 500 in each dimension");
  expect_refusal(aprun("-n 1", "minighost --percent-sum 101"),
                 "minighost: --percent-sum: at most 100");
}

}  // namespace
}  // namespace benchmarks
