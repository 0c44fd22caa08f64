// The ARMCI programs as users run them: small runs under aprun, their own checks, their refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/benchmarks/program_runs.h"

namespace benchmarks {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

using Rows = std::vector<std::vector<std::string>>;

constexpr const char* transpose_header = "form,size,ranks,min,max,avg,ok,get,until";
constexpr const char* scf_header = "ranks,iterations,min,max,avg,energy,change,residual,memory,ok";
constexpr const char* statistics_header =
    "statistic,calls_thesis,calls_rank0,calls_mean,kb_thesis,kb_rank0,kb_mean,"
    "remote_kb_thesis,remote_kb_rank0,remote_kb_mean";
constexpr const char* overhead_header =
    "side,operation,path,msgsize,iterations,iter_t,work_t,overhead,base_t,avail,cpu";
constexpr const char* perf_header =
    "operation,path,msgsize,ranks,iterations,latency,fenced,bandwidth,rate";

std::vector<std::string> column(const Rows& rows, std::size_t index) {
  std::vector<std::string> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(row[index]);
  return values;
}

TEST(Transpose, IsRightInBothFormsOnAnyNumberOfRanks) {
  for (const char* form : {"put", "get"}) {
    for (const char* where : {"-n 1", "-n 4 -N 2", "-n 5 -N 3", "-n 7 -N 1"}) {
      for (const char* how : {"", " --blocking", " --order rotated"}) {
        const Outcome outcome =
            aprun(where, std::string("transpose --size 61 --repeat 2 --csv --form ") + form + how);
        const Rows rows = rows_of(outcome, transpose_header);
        ASSERT_THAT(rows, SizeIs(1)) << where << how;
        EXPECT_EQ(rows[0][0], form);
        EXPECT_EQ(rows[0][1], "61");
        EXPECT_LE(number(rows[0][3]), number(rows[0][5]));
        EXPECT_LE(number(rows[0][5]), number(rows[0][4]));
        EXPECT_EQ(rows[0][6], "yes") << where << how;
      }
    }
  }
}

TEST(Transpose, MayHaveFewerRowsThanRanks) {
  for (const char* form : {"put", "get"}) {
    const Rows rows =
        rows_of(aprun("-n 8 -N 4", std::string("transpose --size 3 --csv --form ") + form),
                transpose_header);
    ASSERT_THAT(rows, SizeIs(1));
    EXPECT_EQ(rows[0][6], "yes");
  }
}

TEST(Transpose, EndsWithTheSyncOfAllRanksOrWithEachRanksFence) {
  // The lowest ranks share their CPUs with polling helpers: the others' fences end long before.
  const auto time = [](const std::string& until) {
    const Rows rows = rows_of(aprun("-n 8 -N 4 --node 'numa:1 core:4 pu:1'",
                                    "transpose --size 64 --csv --until " + until),
                              transpose_header);
    EXPECT_THAT(rows, SizeIs(1));
    EXPECT_EQ(rows.at(0)[8], until);
    return rows.at(0);
  };
  const auto fence = time("fence");
  const auto sync = time("sync");
  EXPECT_LT(number(fence[3]), 0.5 * number(fence[4]));
  EXPECT_GE(number(sync[3]), number(fence[4]));  // no rank is done before the last one
  const Rows rows = rows_of(aprun("-n 8 -N 4", "transpose --size 64 --csv"), transpose_header);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0][8], "sync");
}

double put_time(const std::string& eager_limit, const std::string& form) {
  const Rows rows = rows_of(aprun("-n 16 -N 4", "transpose --size 512 --csv --form " + form,
                                  "CASTOR_ARMCI_EAGER_LIMIT=" + eager_limit),
                            transpose_header);
  return rows.size() == 1 ? number(rows[0][5]) : -1;
}

TEST(Transpose, AHigherEagerLimitHelpsPutsAndNotGets) {
  EXPECT_LT(put_time("8K", "put"), 0.9 * put_time("2K", "put"));  // parts of 4 KB
  EXPECT_EQ(put_time("8K", "get"), put_time("2K", "get"));
}

TEST(Transpose, IsRightEveryWayThatDataTake) {
  for (const char* way : {"CASTOR_ARMCI_DIRECT=1", "CASTOR_ARMCI_EAGER_GET=1",
                          "CASTOR_ARMCI_EAGER_LIMIT=0", "CASTOR_ARMCI_EAGER_LIMIT=10K",
                          "CASTOR_ARMCI_CHT_WAIT=blocked", "CASTOR_ARMCI_CHT_BUFFERS=4"}) {
    for (const char* form : {"put", "get"}) {
      for (const char* where : {"-n 6 -N 2", "-n 8 -N 4 --node 'numa:1 core:4 pu:1'"}) {
        const Rows rows =
            rows_of(aprun(where, std::string("transpose --size 203 --csv --form ") + form, way),
                    transpose_header);
        ASSERT_THAT(rows, SizeIs(1)) << way << form << where;
        EXPECT_EQ(rows[0][6], "yes") << way << form << where;
      }
    }
  }
}

/// Seconds of one transpose by ranks on nodes of four CPUs, whose lowest shares its with the
/// helper.
double shared_time(const std::string& variables) {
  const Rows rows = rows_of(aprun("-n 8 -N 4 --node 'numa:1 core:4 pu:1'",
                                  "transpose --size 64 --blocking --form get --csv", variables),
                            transpose_header);
  EXPECT_THAT(rows, SizeIs(1));
  return rows.size() == 1 && rows[0][6] == "yes" ? number(rows[0][5]) : -1;
}

TEST(Transpose, AYieldingClientSavesEveryOtherTurnOfItsCpu) {
  const std::string slice = "CASTOR_ARMCI_CHT_BUFFERS=1 CASTOR_TIME_SLICE=10ms ";
  const double polling = shared_time(slice);
  const double yielding = shared_time(slice + "CASTOR_ARMCI_CLIENT_WAIT=yielding");
  EXPECT_NEAR(polling, 4 * 2 * 0.010, 0.005);  // four requests, two turns each
  EXPECT_NEAR(yielding, 4 * 0.010, 0.011);
  // Their turns need not be in phase.
  EXPECT_NEAR(shared_time(slice + "CASTOR_ARMCI_CLIENT_WAIT=yielding CASTOR_SLICE_PHASE=drawn"),
              yielding, 0.011);
  EXPECT_LT(shared_time(slice + "CASTOR_SLICE_PHASE=drawn"), polling);
}

TEST(Transpose, RefusesWhatItCannotDo) {
  expect_refusal(aprun("-n 2 -N 1", "transpose --size 0"),
                 "transpose: option --size: '0' is not an integer, at least 1");
  expect_refusal(aprun("-n 2 -N 1", "transpose --form both"),
                 "transpose: option --form: 'both' is not put|get");
  expect_refusal(aprun("-n 2 -N 1", "transpose --csv --json"),
                 "transpose: --csv or --json, not both");
  expect_refusal(aprun("-n 2 -N 1", "transpose 64"),
                 "transpose: unknown argument '64' (--help lists the options)");
}

TEST(DftScf, FindsTheAnswerOnAnyNumberOfRanks) {
  for (const char* where : {"-n 1", "-n 4 -N 2", "-n 7 -N 4"}) {
    const Rows rows = rows_of(aprun(where, "dft_scf -i 2 --csv"), scf_header);
    ASSERT_THAT(rows, SizeIs(1)) << where;
    EXPECT_EQ(rows[0][1], "2");
    EXPECT_NEAR(number(rows[0][5]), 2554961.327629, 1e-5) << where;  // on any number of ranks
    EXPECT_GT(number(rows[0][7]), 0.001);                            // two iterations are not many
    EXPECT_EQ(rows[0][9], "yes") << where;
  }
}

TEST(DftScf, ComesCloserWithEveryIteration) {
  const Rows few = rows_of(aprun("-n 4 -N 4", "dft_scf -i 1 --csv"), scf_header);
  const Rows more = rows_of(aprun("-n 4 -N 4", "dft_scf -i 4 --csv"), scf_header);
  ASSERT_THAT(few, SizeIs(1));
  ASSERT_THAT(more, SizeIs(1));
  EXPECT_NEAR(number(more[0][7]) / number(few[0][7]), 1.0 / 64, 1e-6);
}

TEST(DftScf, PrintsTheThesissMemoryForBuffers) {
  const std::string variables = "CASTOR_ARMCI_CHT_BUFFERS=2 CASTOR_ARMCI_CHT_BUFFER_SIZE=64K";
  const Rows rows = rows_of(aprun("-n 6 -N 3", "dft_scf -i 1 --csv", variables), scf_header);
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(number(rows[0][8]), 2.25);  // 3 ranks, each with 6 clients' 2 buffers
}

TEST(DftScf, AsksAtTwoHundredAndFiftySixRanksForWhatTheThesisCounted) {
  // One iteration of sixteen, and what surrounds them.
  const Rows rows =
      rows_of(aprun("-n 256 -N 4", "dft_scf -i 1 --csv --statistics"), statistics_header);
  EXPECT_THAT(column(rows, 0), ElementsAre("create", "destroy", "get", "put", "acc"));
  ASSERT_THAT(rows, SizeIs(5));
  const std::map<std::string, double> once = {
      {"create", 16}, {"destroy", 16}, {"get", 1}, {"put", 1}, {"acc", 0}};
  for (const auto& row : rows) {
    const double thesis = number(row[1]);
    EXPECT_EQ(number(row[3]), (thesis - once.at(row[0])) / 16 + once.at(row[0])) << row[0];
    for (const int total : {4, 7}) {
      EXPECT_NEAR(number(row[total + 2]) * 16, number(row[total]), 0.02 * number(row[total]))
          << row[0] << total;
    }
  }
}

TEST(DftScf, RefusesWhatItCannotDo) {
  expect_refusal(aprun("-n 2 -N 1", "dft_scf -i 0"),
                 "dft_scf: option --iterations: '0' is not an integer, at least 1");
  expect_refusal(aprun("-n 2 -N 1", "dft_scf --task-us -1"),
                 "dft_scf: option --task-us: '-1' is not a number from 0 to 1000000");
}

TEST(ArmciOverhead, MeasuresBothSidesOfEveryOperation) {
  const Rows rows =
      rows_of(aprun("-n 2 -N 1 -r 1", "armci_overhead --sizes 64K --csv"), overhead_header);
  std::vector<std::string> cases;
  for (const auto& row : rows) {
    cases.push_back(row[0] + " " + row[1] + " " + row[2]);
    EXPECT_EQ(row[3], "65536");
    EXPECT_NEAR(number(row[7]), number(row[5]) - number(row[6]), 0.002);
    EXPECT_GT(number(row[5]), 1.4 * number(row[8])) << "work did not grow until the end";
  }
  EXPECT_THAT(
      cases,
      ElementsAre("origin NbPut rendezvous", "origin NbGet helper", "origin NbAcc rendezvous",
                  "origin NbPutS rendezvous", "origin NbGetS helper", "origin NbAccS rendezvous",
                  "target NbPut rendezvous", "target NbGet helper", "target NbAcc rendezvous",
                  "target NbPutS rendezvous", "target NbGetS helper", "target NbAccS rendezvous"));
}

std::vector<std::string> paths(const std::string& variables) {
  return column(
      rows_of(aprun("-n 2 -N 1", "armci_overhead --side origin --sizes 8K -i 3 --csv", variables),
              overhead_header),
      2);
}

TEST(ArmciOverhead, SaysWhichWayTheEnvironmentAsksFor) {
  EXPECT_THAT(paths("CASTOR_ARMCI_EAGER_LIMIT=10K"),
              ElementsAre("eager", "helper", "eager", "eager", "helper", "eager"));
  EXPECT_THAT(paths("CASTOR_ARMCI_EAGER_LIMIT=8K CASTOR_ARMCI_EAGER_GET=1"),
              ElementsAre("eager", "eager_get", "eager", "eager", "helper", "eager"));
  EXPECT_THAT(paths("CASTOR_ARMCI_DIRECT=1"),
              ElementsAre("direct", "direct", "rendezvous", "rendezvous", "helper", "rendezvous"));
}

TEST(ArmciOverhead, TheTargetIsFreeWhenTheHelperHasACpuOfItsOwn) {
  const std::string program = "armci_overhead --side target --operation acc --sizes 64K --csv";
  for (const auto& row : rows_of(aprun("-n 2 -N 1 -r 1", program), overhead_header)) {
    EXPECT_GT(number(row[9]), 99) << row[1];
  }
}

TEST(ArmciOverhead, TheTargetPaysForAHelperOnItsCpu) {
  const std::string program = "armci_overhead --side target --sizes 64K --csv";
  const std::string one_cpu = "-n 2 -N 1 --node 'numa:1 core:1 pu:1'";
  const Rows rows =
      rows_of(aprun(one_cpu, program, "CASTOR_ARMCI_CHT_WAIT=blocked"), overhead_header);
  EXPECT_THAT(rows, SizeIs(6));
  for (const auto& row : rows) EXPECT_LT(number(row[9]), 60) << row[1];
}

TEST(ArmciOverhead, SaysWhatAHelperLeavesOfItsCpu) {
  const std::string program =
      "armci_overhead --side target --operation put --sizes 8 --layout "
      "contiguous --work-ratio 8 -i 20 --csv";
  const std::string one_cpu = "-n 2 -N 1 --node 'numa:1 core:1 pu:1'";
  const Rows polling = rows_of(aprun(one_cpu, program), overhead_header);
  ASSERT_THAT(polling, SizeIs(1));
  EXPECT_NEAR(number(polling[0][10]), 50, 1);  // every other time slice
  const Rows blocked =
      rows_of(aprun(one_cpu, program, "CASTOR_ARMCI_CHT_WAIT=blocked"), overhead_header);
  ASSERT_THAT(blocked, SizeIs(1));
  EXPECT_GT(number(blocked[0][10]), 85);
  EXPECT_LT(number(blocked[0][10]), 95);
}

TEST(ArmciOverhead, RefusesWhatItCannotDo) {
  expect_refusal(aprun("-n 3 -N 1", "armci_overhead"),
                 "armci_overhead: needs an even number of ranks");
  expect_refusal(aprun("-n 2 -N 1", "armci_overhead --sizes 12"),
                 "armci_overhead: sizes are multiples of 8, at least 8");
  expect_refusal(aprun("-n 2 -N 1", "armci_overhead --sizes 1000 --row 16"),
                 "armci_overhead: sizes above --row are multiples of it");
}

TEST(ArmciPerf, MeasuresTransfersAndContention) {
  const Rows rows = rows_of(aprun("-n 4 -N 2", "armci_perf --sizes 8,64K -i 5 --csv"), perf_header);
  ASSERT_THAT(rows, SizeIs(12 + 5 * 3));
  for (const auto& row : rows) {
    EXPECT_GT(number(row[5]), 0) << row[0];
    EXPECT_GE(number(row[6]), 0.9 * number(row[5])) << row[0];
    EXPECT_GT(number(row[8]), 0) << row[0];
  }
  std::vector<std::string> contended;
  for (std::size_t i = 12; i < rows.size(); ++i) contended.push_back(rows[i][0] + rows[i][3]);
  EXPECT_THAT(contended,
              ElementsAre("FetchAdd1", "FetchAdd2", "FetchAdd4", "FetchAddLong1", "FetchAddLong2",
                          "FetchAddLong4", "SwapLong1", "SwapLong2", "SwapLong4", "LockUnlock1",
                          "LockUnlock2", "LockUnlock4", "LockedAdd1", "LockedAdd2", "LockedAdd4"));
}

TEST(ArmciPrograms, RunOnTheHostsClock) {
  const std::string live = "CASTOR_CLOCK=live";
  for (const char* form : {"put", "get"}) {
    const Rows rows =
        rows_of(aprun("-n 4 -N 2", std::string("transpose --size 50 --csv --form ") + form, live),
                transpose_header);
    ASSERT_THAT(rows, SizeIs(1));
    EXPECT_EQ(rows[0][6], "yes");
  }
  const Rows scf =
      rows_of(aprun("-n 2 -N 1", "dft_scf -i 1 --task-us 0 --point-us 0 --update-us 0 --csv", live),
              scf_header);
  ASSERT_THAT(scf, SizeIs(1));
  EXPECT_EQ(scf[0][9], "yes");
  EXPECT_THAT(
      rows_of(aprun("-n 2 -N 1", "armci_overhead --sizes 1K -i 3 --csv", live), overhead_header),
      SizeIs(12));
  EXPECT_THAT(rows_of(aprun("-n 2 -N 1", "armci_perf --sizes 1K -i 3 --csv", live), perf_header),
              SizeIs(6 + 5 * 2));
}

/// Words and numbers of the lines that helpers print at their end, by node.
std::map<int, std::map<std::string, double>> helper_statistics(const Outcome& outcome) {
  std::map<int, std::map<std::string, double>> all;
  const std::string begin = "ARMCI helper stats node ";
  for (const std::string& line : lines_of(outcome.err)) {
    if (line.rfind(begin, 0) != 0) continue;
    const auto colon = line.find(": ");
    auto& one = all[std::stoi(line.substr(begin.size()))];
    const auto words = split(line.substr(colon + 2), ' ');
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) one[words[i]] = number(words[i + 1]);
  }
  return all;
}

TEST(HelperStatistics, CountWhatTheHelpersDid) {
  // Puts and accumulates of 1 KB come along with their requests, those of 64 KB are fetched.
  const std::map<int, std::string> ways = {{1024, "eager"}, {65536, "rendezvous"}};
  for (const auto& [size, way] : ways) {
    for (const std::string wait : {"polling", "blocked"}) {
      const std::string program =
          "armci_perf --test transfer --layout contiguous -i 10 --csv "
          "--sizes " +
          std::to_string(size);
      const std::string how = "CASTOR_ARMCI_CHT_WAIT=" + wait;
      const Outcome silent = aprun("-n 2 -N 1", program, how);
      const Outcome outcome = aprun("-n 2 -N 1", program, how + " CASTOR_ARMCI_CHT_STATS=1");
      EXPECT_EQ(outcome.out, silent.out);  // counting takes no time
      EXPECT_THAT(helper_statistics(silent), SizeIs(0));
      auto all = helper_statistics(outcome);
      ASSERT_THAT(all, SizeIs(2)) << outcome.err;
      EXPECT_EQ(all[0]["requests"], 1);  // the end
      EXPECT_EQ(all[0]["bytes_in"] + all[0]["bytes_out"], 0);
      auto& busy = all[1];
      const double puts = busy["puts_" + way];
      const double accumulates = busy["accumulates_" + way];
      EXPECT_GT(puts, 10);
      EXPECT_GT(accumulates, 10);
      EXPECT_GT(busy["gets"], 10);
      EXPECT_EQ(busy["requests"], puts + accumulates + busy["gets"] + 1);
      EXPECT_EQ(busy["bytes_in"], (puts + accumulates) * size);
      EXPECT_EQ(busy["bytes_out"], busy["gets"] * size);
      EXPECT_EQ(busy["wake_ups"] > 0, wait == "blocked");
      EXPECT_GT(busy["busy_us"], 0.5 * busy["requests"]);  // CASTOR_ARMCI_REQUEST
      EXPECT_GT(busy["waiting_us"], 0);
      // A helper that sleeps uses its CPU only while it has something to do.
      EXPECT_EQ(busy["cpu_us"] > busy["busy_us"] + 0.9 * busy["waiting_us"], wait == "polling");
    }
  }
}

TEST(HelperStatistics, CountAtomicsAndLocks) {
  auto all = helper_statistics(
      aprun("-n 2 -N 1", "armci_perf --test all --sizes 8 -i 5 --csv", "CASTOR_ARMCI_CHT_STATS=1"));
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_GT(all[1]["read_modify_writes"], 5);
  EXPECT_GT(all[1]["locks"], 5);
}

TEST(ArmciPerf, JsonHoldsTheSameValues) {
  const std::string program = "armci_perf --sizes 1K --operation get --test transfer ";
  const Rows rows = rows_of(aprun("-n 2 -N 1", program + "--csv"), perf_header);
  const Outcome outcome = aprun("-n 2 -N 1", program + "--json");
  const auto json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << outcome.out;
  ASSERT_EQ(json["results"].size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(json["results"][i]["operation"], rows[i][0]);
    EXPECT_DOUBLE_EQ(json["results"][i]["latency"], number(rows[i][5]));
  }
}

TEST(ArmciPerf, RefusesWhatItCannotDo) {
  expect_refusal(aprun("-n 2 -N 1", "armci_perf --sizes 4"),
                 "armci_perf: sizes are multiples of 8, at least 8");
  expect_refusal(aprun("-n 2 -N 1", "armci_perf --window 5000"),
                 "armci_perf: --window: at most 4096");
  expect_refusal(aprun("-n 2 -N 1", "armci_perf --pairs 2"),
                 "armci_perf: --pairs: needs two ranks for each pair");
}

}  // namespace
}  // namespace benchmarks
