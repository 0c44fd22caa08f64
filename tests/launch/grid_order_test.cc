// grid_order: cells stand together, every rank is there once, and aprun reads what it writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "launch/description/rank_order.h"
#include "launch/grid_order/cell_order.h"
#include "tests/support/on_clock.h"
#include "tests/support/test_folder.h"

namespace {

using launch::cell_order;
using launch::GridRequest;
using launch_test::aprun_on;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::run_command;
using testing::ElementsAre;
using testing::StartsWith;

constexpr auto by_rows = GridRequest::Major::row;
constexpr auto by_columns = GridRequest::Major::column;

CommandResult grid_order(const std::string& arguments) {
  return run_command(launch_test::tool("grid_order") + " " + arguments);
}

/// Coordinates of a rank in `grid`, the last one fastest.
std::array<int, 3> coordinates(int rank, const std::array<int, 3>& grid) {
  return {rank / (grid[1] * grid[2]), rank / grid[2] % grid[1], rank % grid[2]};
}

TEST(GridOrder, CellsOfMiniGhostsLargestJob) {
  const CommandResult written = grid_order("-R -c 2,2,4 -g 32,64,64");
  ASSERT_EQ(written.code, 0) << written.errors;
  constexpr int ranks = 32 * 64 * 64;
  const launch::RankOrder order = launch::parse_rank_order("F", written.output, ranks);
  for (int node = 0; node < ranks / 16; ++node) {
    std::array<int, 3> low{64, 64, 64}, high{0, 0, 0};
    for (int place = 16 * node; place < 16 * node + 16; ++place) {
      const auto at = coordinates(order.rank_at(place), {32, 64, 64});
      for (std::size_t d = 0; d < 3; ++d) {
        low[d] = std::min(low[d], at[d]);
        high[d] = std::max(high[d], at[d]);
      }
    }
    // Sixteen ranks within a box of sixteen are the box.
    ASSERT_THAT((std::array{high[0] - low[0], high[1] - low[1], high[2] - low[2]}),
                ElementsAre(1, 1, 3));
    ASSERT_THAT((std::array{low[0] % 2, low[1] % 2, low[2] % 4}), ElementsAre(0, 0, 0));
  }
}

TEST(GridOrder, RowsAndColumns) {
  EXPECT_THAT(cell_order({by_rows, {2, 4}, {2, 2}}), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  EXPECT_THAT(cell_order({by_columns, {2, 4}, {2, 2}}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(cell_order({by_columns, {4, 2}, {2, 2}}), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
}

TEST(GridOrder, RowsOfCellsInTurn) {
  EXPECT_THAT(cell_order({by_rows, {3, 3}, {1, 1}, true}), ElementsAre(0, 1, 2, 5, 4, 3, 6, 7, 8));
  const auto order = cell_order({by_rows, {3, 4, 5}, {1, 1, 1}, true});
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto from = coordinates(order[i - 1], {3, 4, 5}), to = coordinates(order[i], {3, 4, 5});
    EXPECT_EQ(std::abs(from[0] - to[0]) + std::abs(from[1] - to[1]) + std::abs(from[2] - to[2]), 1);
  }
}

TEST(GridOrder, CellsThatDoNotDivideTheGrid) {
  EXPECT_THAT(cell_order({by_rows, {3, 3}, {2, 2}}), ElementsAre(0, 1, 3, 4, 2, 5, 6, 7, 8));
  for (const bool alternating : {false, true}) {
    std::vector<int> order = cell_order({by_columns, {5, 7, 3}, {2, 3, 2}, alternating});
    std::vector<int> all(5 * 7 * 3);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_THAT(order, testing::UnorderedElementsAreArray(all));
  }
}

TEST(GridOrder, MoreAndFewerRanksThanTheGridHas) {
  EXPECT_THAT(cell_order({by_rows, {2, 2}, {2, 1}, false, 6}), ElementsAre(0, 2, 1, 3, 4, 5));
  EXPECT_THAT(cell_order({by_rows, {2, 2}, {2, 1}, false, 3}), ElementsAre(0, 2, 1));
}

TEST(GridOrder, Lines) {
  EXPECT_EQ(grid_order("-R -g4,4 -c 2,2").output,
            "# grid_order -R -Z -c 2,2 -g 4,4\n0,1,4,5\n2,3,6,7\n8,9,12,13\n10,11,14,15\n");
  EXPECT_EQ(grid_order("-C -P -g 4,2 -c 2,2 -n 5 -m 9").output,
            "# grid_order -C -P -c 2,2 -g 4,2 -m 9\n0,1,4,5,2\n3,6,7,8\n");
}

TEST(GridOrder, HelpAndVersion) {
  EXPECT_THAT(grid_order("--help").output, StartsWith("usage: grid_order "));
  EXPECT_THAT(grid_order("--version").output, StartsWith("grid_order (Castor) "));
}

TEST(GridOrder, RefusesInOneLine) {
  const std::string sizes = ": allowed are numbers from 1 to 16777216, commas between them";
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"-g 4,4 -c 2,2", "-R (rows) or -C (columns) is needed; see grid_order --help"},
      {"-R -C -g 4,4 -c 2,2", "-R and -C: one of them"},
      {"-R -c 2,2", "-g N1,N2,... is needed: the grid's sizes"},
      {"-R -g 4,4", "-c n1,n2,... is needed: a cell's sizes"},
      {"-R -g 4,4 -c 16", "-c has 1 size, but -g has 2: as many are needed"},
      {"-R -g 4,4 -c 8,2", "-c: the size 8 is larger than the grid's, 4"},
      {"-R -g 4,0 -c 2,2", "-g 4,0" + sizes},
      {"-R -g 4, -c 2,2", "-g 4," + sizes},
      {"-R -g 4x4 -c 2,2", "-g 4x4" + sizes},
      {"-R -g 99999999999 -c 2", "-g 99999999999" + sizes},
      {"-R -g 8192,8192 -c 2,2", "-g 8192,8192: allowed is a product of at most 16777216"},
      {"-R -g 4,4 -c 2,2 -m 3,4", "-m 3,4: allowed is one number"},
      {"-R -g 4,4 -c", "-c: n1,n2,... is missing"},
      {"-R -g 4,4 -c 2,2 -H", "-H: there is no such option; see grid_order --help"},
      {"-R -g 4,4 -c 2,2 more", "more: there is no such option; see grid_order --help"},
  };
  for (const auto& [arguments, line] : refused) {
    const CommandResult result = grid_order(arguments);
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_EQ(result.errors, "grid_order: " + line + "\n");
    EXPECT_EQ(result.output, "");
  }
  EXPECT_EQ(run_command(launch_test::tool("grid_order") + " -R -g 4 -c 2 >/dev/full").code, 1);
}

class GridOrderOf : public launch_test::OnEachClock {};
INSTANTIATE_TEST_SUITE_P(, GridOrderOf, launch_test::each_clock(), launch_test::clock_name);

TEST_P(GridOrderOf, IsObeyed) {
  const castor_test::TestFolder folder;
  const std::string file = folder / "MPICH_RANK_ORDER";
  std::ofstream(file) << grid_order("-R -g 2,4 -c 2,2").output;
  const CommandResult result =
      aprun_on(GetParam(), "-n 8 -N 4 " + launch_test::sample("rank_order"),
               "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=" + file);
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output),
              testing::UnorderedElementsAre(
                  "rank 0: node 0, PE 0, 0 wrong", "rank 1: node 0, PE 1, 0 wrong",
                  "rank 4: node 0, PE 2, 0 wrong", "rank 5: node 0, PE 3, 0 wrong",
                  "rank 2: node 1, PE 4, 0 wrong", "rank 3: node 1, PE 5, 0 wrong",
                  "rank 6: node 1, PE 6, 0 wrong", "rank 7: node 1, PE 7, 0 wrong"));
}

}  // namespace
