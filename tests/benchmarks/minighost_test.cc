// MiniGhost's skeleton: its grid of ranks, its counts, and runs with and without data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <vector>

#include "apps/minighost_grid.h"
#include "tests/benchmarks/program_runs.h"
#include "tests/support/test_folder.h"

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

// A 7-point stencil's exchange: the same faces, all six under way together.
TEST(MiniGhost, FacesMayTravelAllAtOnce) {
  const std::string arguments = "--grid 2x4x4 --steps 2 --size 40x40x40 --pack-ns 0 --point-ns 0";
  const auto phases = run("-n 32 -N 1", arguments + " --data");
  const auto at_once = run("-n 32 -N 1", arguments + " --data --exchange at-once");
  EXPECT_EQ(at_once[ok], "yes");
  EXPECT_EQ(at_once[node_mean], phases[node_mean]);
  EXPECT_LT(number(at_once[step_max]), number(phases[step_max]));
}

// The first step makes connections; those that come after it do not.
TEST(MiniGhost, WarmUpIsNotTimed) {
  const std::string arguments = "--grid 2x4x4 --size 6x6x6 --point-ns 0";
  const double first = number(run("-n 32 -N 1", arguments)[step_max]);
  EXPECT_LT(number(run("-n 32 -N 1", arguments + " --warm-up 1")[step_max]), first);
}

/// A torus of 8 Geminis, the map of its tiles, and what `--counters` has written.
class MiniGhostCounters : public testing::Test {
 protected:
  MiniGhostCounters() {
    const Outcome outcome = run_command(CASTOR_BIN_DIR "/rtr --system 2x2x2 --interconnect >" +
                                        file("interconnect.txt"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
  std::string file(const std::string& name) const { return folder_ / name; }

  Outcome counted(const std::string& options, const std::string& counters) const {
    return aprun("--system 2x2x2 -n 256 -N 16",
                 "minighost --csv --grid 4x4x16 " + options + " --counters " + counters,
                 "GEMINI_INTERCONNECT=" + file("interconnect.txt"));
  }

  /// Requests that all hosts have injected, in packets.
  std::uint64_t packets(const std::string& options) const {
    const Outcome outcome = counted(options, file("counters.txt"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::ifstream lines(file("counters.txt"));
    std::uint64_t sum = 0;
    int hosts = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("HH\t", 0) != 0) continue;
      std::istringstream cells(line);
      std::string cell;
      for (int i = 0; i <= 5; ++i) std::getline(cells, cell, '\t');
      sum += std::stoull(cell);
      ++hosts;
    }
    EXPECT_EQ(hosts, 8);
    return sum;
  }

 private:
  castor_test::TestFolder folder_;
};

// 4x4x16 ranks with blocks of 2x2x4, 4x2x4 of them on a Gemini: 224 faces leave Geminis, of 4,096
// bytes. No message of the start is counted, nor one of the end, and barriers are the same in both.
TEST_F(MiniGhostCounters, CountWhatTheStepsSend) {
  const std::string step = "--mapping remap --size 14x14x14 --vars 2 --warm-up 1 --steps ";
  const std::uint64_t one = packets(step + "1");
  const std::uint64_t two = packets(step + "2");
  const std::uint64_t data = 224 * 4096 / 64;
  EXPECT_GE(two - one, data);
  EXPECT_LT(two - one, data + data / 10);  // headers of messages, and credits
  EXPECT_EQ(packets(step + "3") - two, two - one);
  EXPECT_LT(one, data + data / 5);  // barriers
}

TEST_F(MiniGhostCounters, SayWhatIsMissing) {
  const Outcome folder = counted("", file("none/counters.txt"));
  EXPECT_EQ(folder.code, 1);
  EXPECT_THAT(folder.err, testing::HasSubstr("minighost: --counters: " + file("none/counters.txt") +
                                             ": No such file or directory"));
  const Outcome map = aprun("--system 2x2x2 -n 16 -N 2", "minighost --csv --counters " + file("c"),
                            "GEMINI_INTERCONNECT=" + file("no_map.txt"));
  EXPECT_EQ(map.code, 1);
  EXPECT_THAT(map.err, testing::HasSubstr("no_map.txt"));
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
