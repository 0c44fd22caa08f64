// S3D's miniature as users run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/benchmarks/program_runs.h"

namespace benchmarks {
namespace {

constexpr const char* header = "ranks,threads,steps,step,waitall,wait,error,checksum,ok";
constexpr const char* phase_one =
    "MPICH_NEMESIS_ASYNC_PROGRESS=SC MPICH_MAX_THREAD_SAFETY=multiple";
constexpr const char* phase_two =
    "MPICH_NEMESIS_ASYNC_PROGRESS=MC MPICH_MAX_THREAD_SAFETY=multiple";

std::vector<std::string> row_of(const Outcome& outcome) {
  const auto rows = rows_of(outcome, header);
  if (rows.size() != 1) return std::vector<std::string>(9);
  return rows[0];
}

/// Nodes of one Interlagos, `threads` to a rank.
std::vector<std::string> run(int ranks, int threads, const std::string& options,
                             const std::string& arguments, const std::string& design = "") {
  return row_of(aprun("-q -N 1 --node xk6 -cc depth -n " + std::to_string(ranks) + " -d " +
                          std::to_string(threads) + " " + options,
                      "s3d --csv -t " + std::to_string(threads) + " " + arguments, design));
}

TEST(S3d, TheFieldIsTheSameInEveryDesignAndCut) {
  const auto whole = run(1, 4, "", "--points 24 -i 2");
  EXPECT_EQ(whole[8], "yes");
  EXPECT_LT(number(whole[6]), 1e-6);
  for (const char* design : {"", phase_one, phase_two}) {
    const auto cut = run(8, 3, "-r 2", "--points 12 -i 2", design);
    EXPECT_EQ(cut[8], "yes");
    EXPECT_EQ(cut[6], whole[6]);
    EXPECT_EQ(cut[7], whole[7]);
  }
  EXPECT_EQ(run(3, 2, "", "--points 8")[8], "yes");  // not a cube
  EXPECT_NE(run(1, 4, "", "--points 24 -i 1")[7], whole[7]);
}

TEST(S3d, ThreadsShareTheWorkThatCanBeShared) {
  const std::string even = "--points 8 --imbalance 0 --variation 0 --serial-s 1 --parallel-s 8 ";
  const double one = number(run(1, 1, "", even)[3]);
  const double eight = number(run(1, 8, "", even)[3]);
  EXPECT_NEAR(one, 9, 0.2);
  EXPECT_NEAR(eight, 2, 0.2);
}

TEST(S3d, ProgressThreadsShortenTheWaitsAndRunsRepeat) {
  const std::string arguments = "--points 48 --imbalance 0 --variation 0.5";
  const auto none = run(4, 14, "", arguments);
  const auto with = run(4, 14, "-r 2", arguments, phase_one);
  EXPECT_LT(number(with[3]), 0.95 * number(none[3]));
  EXPECT_LT(number(with[4]), 0.7 * number(none[4]));
  EXPECT_EQ(with, run(4, 14, "-r 2", arguments, phase_one));
}

TEST(S3d, RefusesWhatItCannotDo) {
  expect_refusal(aprun("-n 1", "s3d --points 513"), "s3d: --points: at most 512");
  expect_refusal(aprun("-n 1", "s3d --imbalance 2"), "s3d: --imbalance and --variation: at most 1");
  expect_refusal(aprun("-n 1", "s3d -t 0"),
                 "s3d: option --threads: '0' is not an integer, at least 1");
  expect_refusal(aprun("-n 1", "s3d --csv --json"), "s3d: --csv or --json, not both");
}

}  // namespace
}  // namespace benchmarks
