// The benchmark programs as users run them: under aprun, on two nodes and more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/benchmarks/program_runs.h"

namespace benchmarks {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* smb_header = "side,msgsize,iterations,iter_t,work_t,overhead,base_t,avail";

TEST(SmbOverhead, PrintsBothSidesOfEverySize) {
  const auto rows = rows_of(aprun("-n 2 -N 1", "smb_overhead --sizes 1K,4K,16K --csv"), smb_header);
  ASSERT_EQ(rows.size(), 6U);
  std::vector<std::string> keys;
  for (const auto& row : rows) {
    keys.push_back(row[0] + row[1]);
    EXPECT_EQ(number(row[2]), 100);
    EXPECT_NEAR(number(row[5]), number(row[3]) - number(row[4]), 0.002);
    EXPECT_NEAR(number(row[7]), 100 * (1 - number(row[5]) / number(row[6])), 0.2);
    EXPECT_GT(number(row[3]), 1.4 * number(row[6])) << "work did not grow until the end";
  }
  EXPECT_THAT(
      keys, ElementsAre("send1024", "recv1024", "send4096", "recv4096", "send16384", "recv16384"));
}

TEST(SmbOverhead, RepeatsBitForBit) {
  const std::string variables = "MPICH_NEMESIS_ASYNC_PROGRESS=1 MPICH_MAX_THREAD_SAFETY=multiple";
  const std::string program = "smb_overhead --sizes 16K,1M --csv";
  const Outcome first = aprun("-n 2 -N 1 -r 1", program, variables);
  const Outcome second = aprun("-n 2 -N 1 -r 1", program, variables);
  EXPECT_EQ(rows_of(first, smb_header).size(), 4U);
  EXPECT_EQ(first.out, second.out);
}

TEST(SmbOverhead, JsonHoldsTheSameValues) {
  const auto rows = rows_of(aprun("-n 2 -N 1", "smb_overhead -m 2K -r --csv"), smb_header);
  const Outcome outcome = aprun("-n 2 -N 1", "smb_overhead -m 2K -r --json");
  ASSERT_EQ(rows.size(), 1U);
  const auto json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << outcome.out;
  ASSERT_EQ(json["results"].size(), 1U);
  const auto& result = json["results"][0];
  EXPECT_EQ(result["side"], "recv");
  EXPECT_EQ(result["msgsize"], 2048);
  EXPECT_DOUBLE_EQ(result["iter_t"], number(rows[0][3]));
  EXPECT_DOUBLE_EQ(result["avail"], number(rows[0][7]));
}

TEST(SmbOverhead, KeepsTheOriginalsTable) {
  const Outcome outcome = aprun("-n 2 -N 1", "smb_overhead -m 64 -i 3");
  ASSERT_EQ(lines_of(outcome.out).size(), 2U) << outcome.out << outcome.err;
  EXPECT_EQ(lines_of(outcome.out)[0].rfind(
                "msgsize iterations  iter_t      work_t      overhead    base_t      avail(%)", 0),
            0U);
  EXPECT_EQ(lines_of(outcome.out)[1].rfind("64      3           ", 0), 0U);
  EXPECT_EQ(lines_of(aprun("-n 2 -N 1", "smb_overhead -m 64 -i 3 -n").out).size(), 1U);
}

TEST(SmbOverhead, WorksAtAFixedRatio) {
  const auto rows =
      rows_of(aprun("-n 2 -N 1", "smb_overhead --sizes 64K --work-ratio 2.5 --csv"), smb_header);
  ASSERT_EQ(rows.size(), 2U);
  for (const auto& row : rows) {
    EXPECT_GT(number(row[4]), 2.4 * number(row[6]));  // the barrier is in it too
    EXPECT_LT(number(row[4]), 3.5 * number(row[6]));
  }
}

/// Noise makes the repetitions differ: the row is the one in the middle.
TEST(SmbOverhead, SaysMedianAndSpreadOfRepetitions) {
  const auto rows =
      rows_of(aprun("-n 2 -N 1", "smb_overhead --sizes 16K --side recv --repeat 5 --csv",
                    "CASTOR_NOISE=1 CASTOR_NOISE_TICK_INTERVAL=100000"),
              std::string(smb_header) + ",repeats,avail_min,avail_max");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0][8], "5");
  EXPECT_LT(number(rows[0][9]), number(rows[0][10]));
  EXPECT_LE(number(rows[0][9]), number(rows[0][7]));
  EXPECT_LE(number(rows[0][7]), number(rows[0][10]));
  expect_refusal(aprun("-n 2 -N 1", "smb_overhead --repeat 0"),
                 "smb_overhead: option --repeat: '0' is not an integer, at least 1");
}

TEST(SmbOverhead, RunsOnAnyEvenNumberOfRanks) {
  EXPECT_EQ(rows_of(aprun("-n 6 -N 3", "smb_overhead --sizes 8,32K --csv"), smb_header).size(), 4U);
  EXPECT_EQ(rows_of(aprun("-n 2 -N 2", "smb_overhead -m 0 --csv"), smb_header).size(), 1U);
}

TEST(SmbOverhead, RefusesWhatItCannotDo) {
  expect_refusal(aprun("-n 3 -N 1", "smb_overhead"), "smb_overhead: needs an even number of ranks");
  expect_refusal(aprun("-n 2 -N 1", "smb_overhead --sizes 1Q"),
                 "smb_overhead: option --sizes: '1Q' is not sizes, as 8,1K,4M");
  expect_refusal(aprun("-n 2 -N 1", "smb_overhead -m 8 --sizes 8"),
                 "smb_overhead: --msgsize or --sizes, not both");
}

TEST(MpiLatency, GrowsWithSizeAndReportsEachPairing) {
  const auto rows = rows_of(aprun("-n 8 -N 4", "mpi_latency --sizes 8,64K --pairs 2 --csv"),
                            "msgsize,pairs,iterations,latency_mean,latency_max");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0][1], "2");
  EXPECT_GT(number(rows[0][3]), 0);
  EXPECT_LE(number(rows[0][3]), number(rows[0][4]));
  EXPECT_GT(number(rows[1][3]), number(rows[0][3]));
}

TEST(MpiLatency, RefusesMorePairsThanRanks) {
  expect_refusal(aprun("-n 2 -N 1", "mpi_latency --pairs 2"),
                 "mpi_latency: --pairs: needs two ranks for each pair");
}

TEST(MpiBandwidth, ApproachesAPlateau) {
  const auto rows = rows_of(aprun("-n 2 -N 1", "mpi_bandwidth --sizes 1K,1M --window 8 --csv"),
                            "msgsize,pairs,window,iterations,time,bandwidth,message_rate");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_GT(number(rows[1][5]), number(rows[0][5]));
  EXPECT_NEAR(number(rows[1][5]) * 1e3 / (1 << 20), number(rows[1][6]), 1e-3);
}

TEST(UgniPerf, MeasuresEveryEngineAndOperation) {
  const auto rows = rows_of(aprun("-n 4 -N 2", "ugni_perf --sizes 8,64K -p 1,2 -i 10 --csv"),
                            "engine,operation,msgsize,processes,iterations,latency,bandwidth");
  ASSERT_EQ(rows.size(), 16U);
  for (const auto& row : rows) {
    EXPECT_GT(number(row[5]), 0) << row[0] << row[1] << row[2];
    EXPECT_GT(number(row[6]), 0) << row[0] << row[1] << row[2];
  }
}

TEST(UgniPerf, GetsNeedMultiplesOfFour) {
  expect_refusal(aprun("-n 2 -N 1", "ugni_perf --operation get --sizes 8,3"),
                 "ugni_perf: --sizes: gets need multiples of 4");
  EXPECT_EQ(rows_of(aprun("-n 2 -N 1", "ugni_perf --engine fma --sizes 3,8 --csv"),
                    "engine,operation,msgsize,processes,iterations,latency,bandwidth")
                .size(),
            3U);  // a put of 3 bytes, but no get
}

TEST(UgniPerf, ReceiverMayPollMemoryOrItsQueue) {
  const std::string common = "ugni_perf --engine fma --operation put --sizes 8 --csv --poll ";
  const std::string header = "engine,operation,msgsize,processes,iterations,latency,bandwidth";
  EXPECT_EQ(rows_of(aprun("-n 2 -N 1", common + "memory"), header).size(), 1U);
  EXPECT_EQ(rows_of(aprun("-n 2 -N 1", common + "queue"), header).size(), 1U);
}

double half_round_trip(const std::string& options, const std::string& waiter) {
  const auto rows = rows_of(aprun("-n 2 -N 1 " + options, "cq_wakeup --csv --waiter " + waiter),
                            "waiter,iterations,half_round_trip");
  return rows.size() == 1 ? number(rows[0][2]) : -1;
}

TEST(CqWakeup, CostsMoreOnAnotherCpuThanTheInterrupts) {
  const double same = half_round_trip("", "placed");  // rank and interrupt on CPU 0
  const double service = half_round_trip("-r 1", "service");
  const double other = half_round_trip("-r 1", "placed");
  EXPECT_GT(same, 0);
  EXPECT_NEAR(service, same, 0.001);
  EXPECT_GT(other, same);
}

TEST(CqWakeup, NeedsServiceCpusToMoveThere) {
  expect_refusal(aprun("-n 2 -N 1", "cq_wakeup --waiter service"),
                 "cq_wakeup: --waiter service needs service CPUs: aprun -r 1");
}

TEST(Scaling, ProgramsPrintOneLine) {
  const Outcome halo = aprun("-n 16 -N 8", "halo_scale -i 3");
  EXPECT_THAT(halo.out, HasSubstr("program=halo_scale ranks=16 iterations=3 bytes=1024 time_us="))
      << halo.err;
  EXPECT_THAT(halo.out, HasSubstr(" own_bytes=12288\n"));
  const Outcome sum = aprun("-n 16 -N 8", "allreduce_scale -i 3");
  EXPECT_THAT(sum.out, HasSubstr("program=allreduce_scale ranks=16 iterations=3 ")) << sum.err;
  EXPECT_THAT(sum.out, HasSubstr(" own_bytes=2048\n"));
  // 6 faces of 4 x 4 nodes, 12 edges, 8 corners, of 2 doubles each, both ways
  const Outcome lulesh = aprun("-n 27 -N 8", "lulesh_halo_scale -i 3 -n 4 -f 2");
  EXPECT_THAT(lulesh.out, HasSubstr("program=lulesh_halo_scale ranks=27 iterations=3 bytes=2432 "))
      << lulesh.err;
  EXPECT_THAT(lulesh.out, HasSubstr(" own_bytes=4864\n"));
  const Outcome idle = aprun("-n 16 -N 8", "idle_scale -t 20");
  EXPECT_THAT(idle.out, MatchesRegex("program=idle_scale ranks=16 resident_kb=[1-9][0-9]+\n"))
      << idle.err;
}

/// Ranks of the last node are fewer; who does not sum has nothing to check.
TEST(Scaling, NodesAndLeadersSumApart) {
  for (const char* among : {"all", "node", "leaders"}) {
    const Outcome done =
        aprun("-n 19 -N 8", std::string("allreduce_scale -i 3 -m 24 --among ") + among);
    EXPECT_EQ(done.code, 0) << among << done.err;
    EXPECT_THAT(done.out, HasSubstr("program=allreduce_scale ranks=19 iterations=3 bytes=24 "));
  }
  expect_refusal(aprun("-n 2", "allreduce_scale -a some"),
                 "allreduce_scale: option --among: 'some' is not all|node|leaders");
}

/// They check what they get; a torus of 2 x 2 x 4 ranks has neighbours that are neighbours twice.
TEST(Scaling, EveryCollectiveGivesWhatItMust) {
  for (const char* operation :
       {"barrier", "bcast", "alltoall", "row_alltoall", "dup", "split", "cart", "graph"}) {
    const Outcome done =
        aprun("-n 16 -N 8", std::string("collective_scale -i 3 -m 24 -c ") + operation);
    EXPECT_EQ(done.code, 0) << operation << done.err;
    EXPECT_THAT(done.out, HasSubstr("program=collective_scale ranks=16 iterations=3 bytes=24 "));
  }
}

TEST(Scaling, ThePageOfManyRanksHasThreeTables) {
  const Outcome page =
      run_command(CASTOR_SOURCE_DIR "/benchmarks/scaling/capacity.sh " CASTOR_BIN_DIR
                                    "/.. --messages 1000 idle:16 halo:8,16 collectives:16");
  EXPECT_EQ(page.code, 0) << page.err;
  const std::vector<std::string> lines = lines_of(page.out);
  ASSERT_EQ(lines.size(), 17U) << page.out << page.err;
  EXPECT_THAT(lines[1], MatchesRegex("idle +16 .*"));
  EXPECT_THAT(lines[4], MatchesRegex("lulesh_halo +8 +5 .*"));  // of 208 messages
  EXPECT_THAT(lines[5], MatchesRegex("lulesh_halo +16 +3 .*"));
  EXPECT_THAT(lines[16], MatchesRegex("dist_graph +16 +2 .*"));
}

TEST(Scaling, ThePageOfManyRanksIsOneObject) {
  const Outcome page =
      run_command(CASTOR_SOURCE_DIR "/benchmarks/scaling/capacity.sh " CASTOR_BIN_DIR
                                    "/.. --json --messages 1000 idle:16 halo:8,16");
  EXPECT_EQ(page.code, 0) << page.err;
  const auto json = nlohmann::json::parse(page.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << page.out;
  ASSERT_EQ(json.size(), 2U) << page.out;
  ASSERT_EQ(json["idle"].size(), 1U);
  ASSERT_EQ(json["halo"].size(), 2U);
  EXPECT_EQ(json["halo"][1]["ranks"], 16);
  EXPECT_EQ(json["halo"][1]["steps"], 3);
  EXPECT_GT(json["halo"][1]["step_us"], 0);
}

/// A job that takes too long is a row without figures, with the reason.
TEST(Scaling, ThePageSaysWhyThereAreNoFigures) {
  const Outcome page =
      run_command(CASTOR_SOURCE_DIR "/benchmarks/scaling/capacity.sh " CASTOR_BIN_DIR
                                    "/.. --csv --limit 1 --messages 100000000 halo:64");
  EXPECT_EQ(page.code, 1) << page.err;
  const std::vector<std::string> lines = lines_of(page.out);
  ASSERT_EQ(lines.size(), 2U) << page.out << page.err;
  EXPECT_EQ(lines[1], "lulesh_halo,64,,,,,,,,,,not finished within 1 s");
}

/// On 16 nodes: both workers have some.
TEST(Scaling, Figure12HasARowForEachSizeAndNumberOfWorkers) {
  const Outcome page =
      run_command(CASTOR_SOURCE_DIR "/benchmarks/scaling/figure12.sh " CASTOR_BIN_DIR
                                    "/.. --csv --ranks 384 2");
  EXPECT_EQ(page.code, 0) << page.err;
  const std::vector<std::string> lines = lines_of(page.out);
  ASSERT_EQ(lines.size(), 5U) << page.out << page.err;
  EXPECT_THAT(lines[1], MatchesRegex("1024,1,[0-9.]+,.*"));
  EXPECT_THAT(lines[2], MatchesRegex("1024,2,[0-9.]+,.*"));
  EXPECT_THAT(lines[3], MatchesRegex("4096,1,[0-9.]+,.*"));
  EXPECT_THAT(lines[4], MatchesRegex("4096,2,[0-9.]+,.*"));
  // The memory of both workers: each has a process's own.
  const auto memory_gb = [](const std::string& line) {
    std::istringstream columns(line);
    std::string column;
    for (int i = 0; i < 7; ++i) std::getline(columns, column, ',');
    return std::atof(column.c_str());
  };
  EXPECT_GT(memory_gb(lines[2]), 1.3 * memory_gb(lines[1])) << page.out;
}

TEST(Scaling, ThePageCountsTheMessagesOfAStep) {
  const Outcome page = run_command(CASTOR_SOURCE_DIR "/benchmarks/scaling/run.sh " CASTOR_BIN_DIR
                                                     "/.. --messages 1000 --no-smpi --apart 16");
  EXPECT_EQ(page.code, 0) << page.err;
  const std::vector<std::string> lines = lines_of(page.out);
  ASSERT_EQ(lines.size(), 7U) << page.out << page.err;
  for (const std::string& line : lines) EXPECT_EQ(line.size(), lines[0].size()) << page.out;
  // machine, case, ranks, steps, messages of a step within and between 2 nodes of 8
  EXPECT_THAT(lines[2], MatchesRegex("castor +allreduce +16 +35 +28 +2 .*"));
  EXPECT_THAT(lines[3], MatchesRegex("castor +allreduce_flat +16 +17 +48 +16 .*"));
  EXPECT_THAT(lines[4], MatchesRegex("castor +halo +16 +12 +80 +16 .*"));
  EXPECT_THAT(lines[5], MatchesRegex("castor +allreduce_node +16 +22 +48 +0 .*"));
  EXPECT_THAT(lines[6], MatchesRegex("castor +allreduce_leaders +16 +501 +0 +2 .*"));
}

TEST(Scaling, TwoBuildsAreComparedAtOnce) {
  const Outcome page = run_command(
      CASTOR_SOURCE_DIR "/benchmarks/scaling/two_builds.sh " CASTOR_BIN_DIR "/.. " CASTOR_BIN_DIR
                        "/.. --ranks 16 --pairs 3 --messages 30000 --json");
  EXPECT_EQ(page.code, 0) << page.err;
  const auto json = nlohmann::json::parse(page.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << page.out;
  ASSERT_EQ(json.size(), 2U) << page.out;
  EXPECT_EQ(json[1]["case"], "halo");
  EXPECT_EQ(json[1]["ranks"], 16);
  EXPECT_EQ(json[1]["pairs"], 3);
  EXPECT_GT(json[1]["least"], 0);
  EXPECT_LE(json[1]["least"], json[1]["quotient"]);
  EXPECT_LE(json[1]["quotient"], json[1]["greatest"]);
}

/// A job that fails, on either side, is a row without figures, with the reason.
TEST(Scaling, OfTwoBuildsThatDoNotRunItSaysSo) {
  const Outcome page = run_command(
      CASTOR_SOURCE_DIR "/benchmarks/scaling/two_builds.sh " CASTOR_BIN_DIR "/.. " CASTOR_BIN_DIR
                        "/.. --ranks 64 --messages 100000000 --limit 1 --csv");
  EXPECT_EQ(page.code, 1) << page.err;
  const std::vector<std::string> lines = lines_of(page.out);
  ASSERT_EQ(lines.size(), 3U) << page.out << page.err;
  EXPECT_EQ(lines[1], "allreduce,64,4,,,,,,first: not finished within 1 s");
}

TEST(Scaling, ThePagesRefuseWhatTheyDoNotKnow) {
  const auto refuses = [](const std::string& script, const std::string& arguments) {
    const Outcome page = run_command(CASTOR_SOURCE_DIR "/benchmarks/scaling/" + script + " " +
                                     (arguments[0] == '/' ? CASTOR_BIN_DIR : "") + arguments);
    EXPECT_EQ(page.code, 2) << arguments;
    EXPECT_THAT(page.err, HasSubstr(script + ": ")) << arguments;
    EXPECT_EQ(lines_of(page.err).size(), 1U) << page.err;
  };
  for (const char* arguments : {"--no-such", "/..  --messages 0", "/.. 1", "/.. sixteen"}) {
    refuses("run.sh", arguments);
  }
  for (const char* arguments : {"--no-such", "/.. --limit 0", "/.. idle:1", "/.. torus"}) {
    refuses("capacity.sh", arguments);
  }
  for (const char* arguments : {"--no-such", "/.. --rounds 0", "/.. two"}) {
    refuses("figure12.sh", arguments);
  }
  for (const char* arguments : {"--no-such", "/..", "/.. /no-such", "/.. idle", "/.. --pairs 0"}) {
    refuses("two_builds.sh", arguments);
  }
}

}  // namespace
}  // namespace benchmarks
