// The programs behind S2's figures: delays from one rank, blocking sends, collective operations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/benchmarks/program_runs.h"

namespace benchmarks {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr const char* delay_header = "rank,msgsize,delay";
constexpr const char* sends_header = "msgsize,pairs,send,iterations,time,bandwidth";
constexpr const char* collective_header = "collective,algorithm,ranks,msgsize,iterations,time";

Rows delays(const std::string& options, const std::string& arguments = "") {
  return rows_of(aprun(options, "mpi_one_to_all --csv " + arguments), delay_header);
}

/// Microseconds of the largest of `sizes`.
double collective(const std::string& options, const std::string& arguments) {
  const Rows rows = rows_of(aprun(options, "mpi_collective --csv " + arguments), collective_header);
  return rows.empty() ? 0 : number(rows.back()[5]);
}

/// Nids 0 and 1 share a Gemini, 2 and 3 are a hop away, 4 and 5 two: 108.75 ns each.
TEST(MpiOneToAll, DelaysGrowByHops) {
  const Rows rows = delays("-e CASTOR_POLL_PERIOD=1 -n 6 -N 1");
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0][0], "1");
  EXPECT_EQ(rows[1][2], rows[2][2]);
  EXPECT_EQ(rows[3][2], rows[4][2]);
  EXPECT_NEAR(number(rows[1][2]) - number(rows[0][2]), 0.109, 0.002);
  EXPECT_NEAR(number(rows[3][2]) - number(rows[1][2]), 0.109, 0.002);
}

TEST(MpiOneToAll, ADelayIsHalfARoundTrip) {
  const Rows latency = rows_of(aprun("-n 2 -N 1", "mpi_latency --sizes 4,1K --csv"),
                               "msgsize,pairs,iterations,latency_mean,latency_max");
  ASSERT_EQ(latency.size(), 2U);
  EXPECT_NEAR(number(delays("-n 2 -N 1")[0][2]), number(latency[0][3]), 0.06);
  EXPECT_NEAR(number(delays("-n 2 -N 1", "-s 1K -i 5")[0][2]), number(latency[1][3]), 0.06);
}

TEST(MpiOneToAll, AHistogramCountsEachRankOnce) {
  const Rows rows = delays("-n 300 -N 1");
  const Rows bins =
      rows_of(aprun("-n 300 -N 1", "mpi_one_to_all --bin-us 0.25 --csv"), "delay,msgsize,targets");
  ASSERT_EQ(rows.size(), 299U);
  ASSERT_GT(bins.size(), 2U);
  double all = 0;
  for (const auto& bin : bins) {
    const double middle = number(bin[0]);
    int inside = 0;
    int near = 0;  // printed delays are rounded: those at a bin's ends may be in either
    for (const auto& row : rows) {
      const double off = std::abs(number(row[2]) - middle);
      inside += off < 0.124 ? 1 : 0;
      near += off < 0.126 ? 1 : 0;
    }
    EXPECT_GE(number(bin[2]), inside) << middle;
    EXPECT_LE(number(bin[2]), near) << middle;
    all += number(bin[2]);
  }
  EXPECT_EQ(all, 299);
  EXPECT_NE(bins.front()[2], "0");
  EXPECT_NE(bins.back()[2], "0");
}

TEST(MpiOneToAll, RefusesWhatItCannotDo) {
  expect_refusal(aprun("-n 1", "mpi_one_to_all"), "mpi_one_to_all: needs two ranks or more");
  expect_refusal(aprun("-n 2", "mpi_one_to_all --size 2G"),
                 "mpi_one_to_all: --size: at most 1G bytes");
}

/// An answered send is a round trip; a synchronous one is a rendezvous, so two of them; a standard
/// one does not wait.
TEST(MpiSends, EachKindWaitsForWhatItSays) {
  const auto time = [](const std::string& kind) {
    const Rows rows =
        rows_of(aprun("-n 2 -N 1", "mpi_sends --sizes 8 --csv --send " + kind), sends_header);
    return rows.size() == 1 ? number(rows[0][4]) : 0;
  };
  const double answered = time("answered");
  EXPECT_NEAR(answered, 2 * number(delays("-n 2 -N 1")[0][2]), 0.1);
  EXPECT_GT(time("synchronous"), 1.5 * answered);
  EXPECT_LT(time("standard"), 0.5 * answered);
}

TEST(MpiSends, AddsUpPairs) {
  const Rows one = rows_of(aprun("-n 2 -N 1", "mpi_sends --sizes 8,128K --csv"), sends_header);
  const Rows four = rows_of(aprun("-n 8 -N 4", "mpi_sends --sizes 8,128K --csv"), sends_header);
  ASSERT_EQ(one.size(), 2U);
  ASSERT_EQ(four.size(), 2U);
  EXPECT_EQ(four[0][1], "4");
  EXPECT_NEAR(number(four[0][5]), 4 * number(one[0][5]), 0.02 * number(four[0][5]));
  EXPECT_LT(number(four[1][5]), 2 * number(one[1][5]));  // one port
  EXPECT_NEAR(number(one[1][5]), 131072e-3 / number(one[1][4]), 1e-4);
}

TEST(MpiSends, TakesEightBytesTo128K) {
  EXPECT_EQ(rows_of(aprun("-n 2 -N 1", "mpi_sends --csv"), sends_header).size(), 15U);
  expect_refusal(aprun("-n 3 -N 1", "mpi_sends"), "mpi_sends: needs an even number of ranks");
}

/// The program compares what it gets, and ends the job if that is wrong.
TEST(MpiCollective, GivesWhatItShouldOnAnyNumberOfRanks) {
  for (const char* what :
       {"allreduce", "reduce", "bcast", "gather", "scatter", "allgather", "alltoall"}) {
    for (const char* job : {"-n 1", "-n 2 -N 1", "-n 7 -N 2", "-n 8 -N 1"}) {
      SCOPED_TRACE(std::string(what) + " " + job);
      collective(job, std::string("--sizes 8,4K,16K -i 2 -c ") + what);
    }
  }
  for (const char* what : {"allreduce", "reduce", "bcast", "barrier"}) {
    for (const char* job : {"-n 1", "-n 2 -N 1", "-n 7 -N 2", "-n 8 -N 1", "-n 9 -N 1"}) {
      SCOPED_TRACE(std::string("tree of ") + what + " " + job);
      const std::string sizes = what == std::string("barrier") ? "" : "--sizes 8,16K ";
      collective(job, sizes + "-a tree -i 2 -c " + what);
    }
  }
}

/// Down a tree of four nodes the last message goes after the answer to the one before it.
TEST(MpiCollective, ATreeSendsOneAfterTheOther) {
  const double two = collective("-n 2 -N 1", "-c bcast -a tree");
  const double four = collective("-n 4 -N 1", "-c bcast -a tree");
  EXPECT_GT(two, 2.5);  // the answer has come
  EXPECT_GT(four, 1.9 * two);
  EXPECT_LT(four, 2.3 * two);
  EXPECT_NEAR(collective("-n 4 -N 1", "-c allreduce -a tree"),
              four + collective("-n 4 -N 1", "-c reduce -a tree"), 2.0);
  EXPECT_LT(collective("-n 64 -N 1", "-c allreduce"),
            collective("-n 64 -N 1", "-c allreduce -a tree"));
}

TEST(MpiCollective, ABarrierHasNoBytes) {
  const Rows rows =
      rows_of(aprun("-n 4 -N 1", "mpi_collective -c barrier --csv"), collective_header);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][0], "barrier");
  EXPECT_EQ(rows[0][3], "0");
  EXPECT_GT(number(rows[0][5]), 2);
}

TEST(MpiCollective, RefusesWhatItCannotDo) {
  expect_refusal(aprun("-n 2", "mpi_collective -c gather -a tree"),
                 "mpi_collective: --algorithm tree: of allreduce, reduce, bcast and barrier");
  expect_refusal(aprun("-n 2", "mpi_collective --sizes 12"),
                 "mpi_collective: --sizes: multiples of 8, at most 64M");
  expect_refusal(aprun("-n 2", "mpi_collective -c barrier --sizes 8"),
                 "mpi_collective: --sizes: a barrier has none but 0");
}

/// On the host's clock times are not exact, but there.
TEST(InterconnectPrograms, RunLive) {
  EXPECT_EQ(delays("--clock live -n 3 -N 2").size(), 2U);
  const Rows sends =
      rows_of(aprun("--clock live -n 2 -N 1", "mpi_sends --sizes 8,64K -i 2 --csv"), sends_header);
  ASSERT_EQ(sends.size(), 2U);
  EXPECT_GT(number(sends[0][4]), 0);
  EXPECT_GT(collective("--clock live -n 2 -N 1", "-a tree --sizes 8,16K"), 0);
}

}  // namespace
}  // namespace benchmarks
