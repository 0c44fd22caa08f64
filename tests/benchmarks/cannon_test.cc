// Cannon's multiplication: its matrices, and runs with and without numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "apps/cannon_matrix.h"
#include "tests/benchmarks/program_runs.h"

namespace benchmarks {
namespace {

constexpr const char* header =
    "ranks,size,block,bytes,shift,time,rate,align,shifts,share,share_max,product";
enum Column {
  ranks,
  size,
  block,
  bytes,
  shift,
  run_time,
  rate,
  align,
  shifts,
  share,
  share_max,
  product,
  columns
};

std::vector<std::string> run(const std::string& options, const std::string& arguments) {
  const auto rows = rows_of(aprun(options, "cannon --csv " + arguments), header);
  if (rows.size() != 1) return std::vector<std::string>(columns);
  return rows[0];
}

/// A part of the product of two matrices of `whole` rows, of blocks of `side` multiplied one after
/// the other as Cannon's ranks do.
std::vector<double> block_product(long whole, long side, const matrix_part& part) {
  std::vector<double> a(side * side), b(side * side), c(side * side);
  for (long k = 0; k < whole; k += side) {
    const matrix_part left{part.row, k, side, side};
    const matrix_part right{k, part.column, side, side};
    fill_part(matrix_a, 5, &left, a.data());
    fill_part(matrix_b, 5, &right, b.data());
    add_product(side, a.data(), b.data(), c.data());
  }
  return c;
}

TEST(CannonMatrix, ElementsAreWholeNumbersOfASeed) {
  std::vector<int> seen(16);
  int same = 0;
  for (long i = 0; i < 64; ++i) {
    for (long j = 0; j < 64; ++j) {
      const double element = matrix_element(matrix_a, 1, i, j);
      const int number = static_cast<int>(element);
      ASSERT_EQ(element, number);
      ASSERT_GE(number, -8);
      ASSERT_LE(number, 7);
      ++seen[number + 8];
      same += element == matrix_element(matrix_a, 2, i, j) ? 1 : 0;
      same += element == matrix_element(matrix_b, 1, i, j) ? 1 : 0;
      same += element == matrix_element(matrix_a, 1, j, i) ? 1 : 0;
    }
  }
  for (const int count : seen) EXPECT_NEAR(count, 256, 80);
  EXPECT_NEAR(same, 3 * 256, 160);  // one in sixteen
}

TEST(CannonMatrix, ACheckSeesEveryWrongElement) {
  constexpr long whole = 12;
  constexpr long side = 4;
  const matrix_part part{8, 4, side, side};
  std::vector<double> row(whole + side), panel(whole * side);
  std::vector<double> c = block_product(whole, side, part);
  EXPECT_EQ(wrong_elements(5, whole, &part, c.data(), row.data(), panel.data()), 0);
  for (double& element : c) {
    element += 1;
    EXPECT_EQ(wrong_elements(5, whole, &part, c.data(), row.data(), panel.data()), 1);
    element -= 1;
  }
  const matrix_part other{4, 8, side, side};  // another rank's block
  EXPECT_GT(wrong_elements(5, whole, &other, c.data(), row.data(), panel.data()), 8);
  EXPECT_GT(wrong_elements(6, whole, &part, c.data(), row.data(), panel.data()), 8);
}

// Within a node, E0, E1, R0 and R1; odd and even squares.
TEST(Cannon, ProductIsRightAndTakesTheTimeOfNoNumbers) {
  for (const char* job : {"-n 4 -N 4", "-n 9 -N 1", "-n 16 -N 4"}) {
    for (const char* blocks : {"--block 1", "--block 11 --seed 3", "--block 24", "--block 80"}) {
      for (const char* way : {" --shift sendrecv", " --shift overlap"}) {
        SCOPED_TRACE(std::string(job) + " " + blocks + way);
        auto with = run(job, std::string(blocks) + way + " --data");
        EXPECT_EQ(with[product], "right");
        auto without = run(job, std::string(blocks) + way);
        EXPECT_EQ(without[product], "not computed");
        without[product] = "right";
        EXPECT_EQ(with, without);
      }
    }
  }
  EXPECT_EQ(run("-n 4 -N 1", "--size 512 --data")[product], "right");
  EXPECT_EQ(run("-n 4 -N 2 --clock live", "--size 64 --data --product-ns 0.1")[product], "right");
}

// 10 ns for each of 400 elements, and 7 ns for each of 20^3 products in each of P steps.
TEST(Cannon, WorkIsThatOfElementsAndProducts) {
  const auto alone = run("-n 1", "--block 20 --product-ns 7");
  EXPECT_NEAR(number(alone[run_time]), 0.004 + 0.056, 1e-4);
  EXPECT_EQ(alone[share], "0.00");
  EXPECT_NEAR(number(alone[rate]), 2 * 8000 / 60e3, 1e-3);
  const auto four = run("-n 4 -N 1", "--block 20 --product-ns 7");
  const double mpi = number(four[run_time]) * number(four[share]) / 100;
  EXPECT_NEAR(number(four[run_time]) - mpi, 0.004 + 2 * 0.056, 2e-3);
  EXPECT_NEAR(mpi, number(four[align]) + number(four[shifts]), 2e-3);
  EXPECT_EQ(four[size], "40");
  EXPECT_EQ(four[bytes], "3200");
  EXPECT_EQ(run("-n 4 -N 1", "--size 40 --product-ns 7"), four);
}

TEST(Cannon, MessagesUnderAProductCostLess) {
  const auto after = run("-n 16 -N 1", "--block 500 --product-ns 0.1");
  const auto meanwhile = run("-n 16 -N 1", "--block 500 --product-ns 0.1 --shift overlap");
  EXPECT_LT(number(meanwhile[run_time]), number(after[run_time]));
  EXPECT_LT(number(meanwhile[shifts]), number(after[shifts]));
  EXPECT_NEAR(number(meanwhile[align]), number(after[align]), 0.01);
}

TEST(Cannon, RunsOnThousandRanks) {
  const auto row = run("-n 1024 -N 16", "--block 10");
  EXPECT_EQ(row[size], "320");
  EXPECT_GT(number(row[share]), 0);
  EXPECT_GE(number(row[share_max]), number(row[share]));
}

TEST(Cannon, RefusesWhatDoesNotFit) {
  expect_refusal(aprun("-n 8 -N 8", "cannon"), "cannon: 8 ranks: needs a square, as 16 or 1024");
  expect_refusal(aprun("-n 9 -N 9", "cannon --size 10"),
                 "cannon: --size: 10 cannot be divided among 3 rows of ranks");
  expect_refusal(aprun("-n 4 -N 4", "cannon --block 513 --data"),
                 "cannon: --data: a matrix of 1026 rows: at most 1024");
  expect_refusal(aprun("-n 1", "cannon --block 40000"),
                 "cannon: a block has 40000 rows: at most 32768");
  expect_refusal(aprun("-n 1", "cannon --csv --json"), "cannon: --csv or --json, not both");
}

}  // namespace
}  // namespace benchmarks
