// Replays of traces that the test writes: what is sent, when calls begin, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "apps/traces/dumpi/trace_writer.h"
#include "tests/support/aprun_command.h"
#include "tests/support/test_folder.h"

namespace {

using castor_test::TestFolder;
using dumpi::Call;
using dumpi::Label;
using dumpi::Value;
using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::tool;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int32_t world = 2, byte = 5, real = 14, sum = 3;

using Numbers = std::vector<std::int32_t>;

/// A rank's calls, one after the other, at times in us since the return of MPI_Init.
class Recorded {
 public:
  explicit Recorded(std::int64_t start_s) : start_(start_s * second) {
    add(Label::Init, -50, 50, {std::vector<std::string>{"./program"}});
  }
  void add(Label label, double at_us, double us, std::vector<Value> values) {
    Call call;
    call.label = label;
    const std::int64_t entry = start_ + static_cast<std::int64_t>(at_us * 1000);
    call.wall = dumpi::Span{entry, entry + static_cast<std::int64_t>(us * 1000)};
    call.values = std::move(values);
    ASSERT_EQ(dumpi::fault_of(call), "");
    calls_.push_back(std::move(call));
  }
  void write(const std::string& path) const {
    std::ofstream out(path, std::ios::binary);
    dumpi::Bias bias;
    bias.wall_s = static_cast<std::uint32_t>(start_ / second - 1);
    dumpi::TraceWriter writer(out, path, bias);
    for (const Call& call : calls_) writer.write(call);
    writer.finish({});
  }

 private:
  std::int64_t start_;
  std::vector<Call> calls_;
};

std::vector<dumpi::Status> none() { return {}; }

/// A ring: each rank sends to the next one and waits for both, twice; then a sum. Ranks' clocks are
/// seconds apart.
std::string write_ring(const TestFolder& folder, int ranks, double gap_us,
                       std::int32_t bytes = 1000) {
  for (int rank = 0; rank < ranks; ++rank) {
    Recorded calls(1'400'000'000 + rank);
    double at = 100;
    for (int round = 0; round < 2; ++round) {
      calls.add(Label::Irecv, at, 1, {bytes, byte, (rank + ranks - 1) % ranks, 7, world, 2});
      calls.add(Label::Isend, at + 2, 1, {bytes, byte, (rank + 1) % ranks, 7, world, 3});
      calls.add(Label::Waitall, at + 4, 3, {2, Numbers{2, 3}, none()});
      at += gap_us;
    }
    calls.add(Label::Allreduce, at, 5, {10, real, sum, world});
    calls.add(Label::Finalize, at + 10, 1, {});
    std::ostringstream name;
    name << folder.path() << "/ring-000" << rank << ".bin";
    calls.write(name.str());
  }
  std::ofstream(folder / "ring.meta") << dumpi::meta_text("ring", ranks, {});
  return folder / "ring.meta";
}

/// Columns of a CSV by name, a row a call.
std::vector<std::map<std::string, std::string>> rows_of(const CommandResult& run) {
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> names;
  for (const std::string& line : lines_of(run.output)) {
    std::istringstream words(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(words, cell, ',');) cells.push_back(cell);
    if (names.empty()) {
      names = cells;
      continue;
    }
    std::map<std::string, std::string>& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) row[names.at(i)] = cells[i];
  }
  return rows;
}

std::vector<double> numbers(const CommandResult& run, const std::string& rank,
                            const std::string& column) {
  std::vector<double> found;
  for (auto& row : rows_of(run)) {
    if (row["rank"] == rank) found.push_back(std::stod(row[column]));
  }
  return found;
}

const std::string on_four = "-q -n 4 -N 1 " + tool("dumpi_replay") + " ";

TEST(Replay, CallsBeginWhenTheTraceSays) {
  const TestFolder folder;
  const CommandResult run = aprun(on_four + write_ring(folder, 4, 200) + " --csv");
  ASSERT_EQ(run.code, 0) << run.errors;
  const std::vector<double> trace = numbers(run, "2", "trace_start_us");
  EXPECT_THAT(trace, ElementsAre(100, 102, 104, 300, 302, 304, 500));
  const std::vector<double> begun = numbers(run, "2", "start_us");
  ASSERT_EQ(begun.size(), trace.size());
  // The first message makes a connection; the second round is on time.
  for (std::size_t i : {0U, 3U, 4U, 5U, 6U}) EXPECT_NEAR(begun[i], trace[i], 0.01) << i;
  EXPECT_EQ(rows_of(run)[0]["call"], "MPI_Irecv");
  EXPECT_EQ(rows_of(run)[6]["call"], "MPI_Allreduce");
  EXPECT_THAT(numbers(run, "1", "trace_us"), ElementsAre(1, 1, 3, 1, 1, 3, 5));
}

TEST(Replay, WhatIsLateShiftsAllLaterCalls) {
  const TestFolder folder;
  const std::string trace = write_ring(folder, 4, 7, 100000);  // too large for the time
  const CommandResult exact = aprun(on_four + trace + " --csv");
  const CommandResult shift = aprun(on_four + "--time-shift " + trace + " --csv");
  ASSERT_EQ(shift.code, 0) << shift.errors;
  for (const double each : numbers(exact, "1", "shift_us")) EXPECT_EQ(each, 0);
  const std::vector<double> shifts = numbers(shift, "1", "shift_us");
  const std::vector<double> begun = numbers(shift, "1", "start_us");
  const std::vector<double> planned = numbers(shift, "1", "trace_start_us");
  EXPECT_GT(shifts.back(), 0);
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    EXPECT_NEAR(begun[i], planned[i] + shifts[i], 0.01) << i;
    if (i > 0) {
      EXPECT_GE(shifts[i], shifts[i - 1]);
    }
  }
}

TEST(Replay, GapsAreThoseOfTheTrace) {
  const TestFolder folder;
  const CommandResult run = aprun(on_four + "--gaps " + write_ring(folder, 4, 50) + " --csv");
  ASSERT_EQ(run.code, 0) << run.errors;
  const std::vector<double> begun = numbers(run, "3", "start_us"), us = numbers(run, "3", "us");
  EXPECT_NEAR(begun[1] - begun[0] - us[0], 1, 0.01);
  EXPECT_NEAR(begun[3] - begun[2] - us[2], 43, 0.01);
  EXPECT_NEAR(begun[6] - begun[5] - us[5], 43, 0.01);
}

std::string write_pair_meta(const TestFolder& folder) {
  std::ofstream(folder / "pair.meta") << dumpi::meta_text("pair", 2, {});
  return folder / "pair.meta";
}

/// The run's time by aprun, and the job's end by the replay; seconds.
std::pair<double, double> ends_of(const CommandResult& run) {
  std::smatch found;
  const std::regex time("virtual time ([0-9.]+) s");
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_TRUE(std::regex_search(run.errors, found, time)) << run.errors;
  return {std::stod(found[1]), std::stod(rows_of(run).at(0)["end_ms"]) / 1000};
}

/// A barrier at 100 us, and nothing but computing for 5 s behind it; one rank ends 2 s sooner.
TEST(Replay, TimeBehindTheLastCallCounts) {
  const TestFolder folder;
  for (int rank = 0; rank < 2; ++rank) {
    Recorded calls(1'400'000'000 + rank);
    calls.add(Label::Barrier, 100, 10, {world});
    calls.add(Label::Finalize, (rank == 0 ? 5e6 : 3e6) + 110, 1, {});
    calls.write(folder / ("pair-000" + std::to_string(rank) + ".bin"));
  }
  const std::string trace = write_pair_meta(folder);
  for (const char* const timing : {"--exact", "--time-shift", "--gaps"}) {
    const auto [whole, end] =
        ends_of(aprun("-n 2 -N 1 " + tool("dumpi_replay") +
                      " --csv --per job --clocks first-call " + timing + " " + trace));
    EXPECT_NEAR(whole, 5, 0.001) << timing;
    EXPECT_NEAR(end, 5, 0.001) << timing;
  }
}

TEST(Replay, TimeBehindTheLastCallCountsOfTracesOfSimGrid) {
  const TestFolder folder;
  for (const char* const last : {"compute 5e9\n0 finalize\n1 finalize\n", "compute 5e9\n"}) {
    std::ofstream(folder / "ti") << "0 init\n1 init\n0 barrier\n1 barrier\n1 compute 1e9\n0 "
                                 << last;
    const auto [whole, end] = ends_of(aprun("-n 2 -N 1 " + tool("dumpi_replay") +
                                            " --csv --per job --ti-gflops 1 " + (folder / "ti")));
    EXPECT_NEAR(whole, 5, 0.001) << last;
    EXPECT_NEAR(end, 5, 0.001) << last;
  }
}

TEST(Replay, AJobIsOneRow) {
  const TestFolder folder;
  const std::string trace = write_ring(folder, 4, 200);
  const CommandResult run = aprun(on_four + trace + " --csv --per job");
  ASSERT_EQ(run.code, 0) << run.errors;
  auto row = rows_of(run).at(0);
  EXPECT_EQ(row["ranks"], "4");
  EXPECT_EQ(row["calls"], "28");
  EXPECT_EQ(row["trace_ms"], "0.060");
  EXPECT_EQ(aprun(on_four + trace + " --csv --per job").output, run.output);
}

TEST(Replay, TakesTracesOfSimGrid) {
  const TestFolder folder;
  const std::string trace = folder / "halo";
  std::ofstream lines(trace);
  for (int rank = 0; rank < 4; ++rank) {
    const int right = (rank + 1) % 4, left = (rank + 3) % 4;
    lines << rank << " init\n"
          << rank << " irecv " << left << " 1 1000 0\n"
          << rank << " isend " << right << " 1 1e3 0\n"
          << rank << " compute 3e4\n"
          << rank << " waitall 2\n"
          << rank << " allreduce 1 2e3 0\n"
          << rank << " barrier\n"
          << rank << " finalize\n";
  }
  lines.close();
  // 3e4 flops at 1 Gflop/s are 30 us.
  const CommandResult run = aprun(on_four + "--ti-gflops 1 " + trace + " --csv");
  ASSERT_EQ(run.code, 0) << run.errors;
  EXPECT_EQ(rows_of(run)[1]["call"], "MPI_Isend");
  EXPECT_THAT(numbers(run, "1", "trace_start_us"), ElementsAre(0, 0, 30, 30, 32));
  const std::vector<double> begun = numbers(run, "1", "start_us"), us = numbers(run, "1", "us");
  EXPECT_NEAR(begun[2] - begun[1] - us[1], 30, 0.01);
  EXPECT_NEAR(begun[3] - begun[2] - us[2], 0, 0.01);
  EXPECT_NEAR(begun[4] - begun[3] - us[3], 2, 0.01);
  const CommandResult other =
      aprun("-q -n 2 -N 1 " + tool("dumpi_replay") + " --ti-gflops 1 " + trace);
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.errors, HasSubstr("halo: the trace has 4 ranks, the job 2 (aprun -n 4)"));
  EXPECT_NE(aprun(on_four + trace).code, 0);
  const CommandResult still = aprun(on_four + "--ti-gflops 0 " + trace);
  EXPECT_EQ(still.code, 1);
  EXPECT_THAT(still.errors, HasSubstr("a speed of 0 flop/s: must be more than 0"));
}

/// What dumpi2ascii prints is read where there is no binary file.
TEST(Replay, ARankMayBeText) {
  const TestFolder folder;
  Recorded first(1'400'000'000);
  first.add(Label::Recv, 200, 10, {8, byte, 1, 7, world, none()});
  first.write(folder / "pair-0000.bin");
  std::ofstream(folder / "pair-0001.txt")
      << "MPI_Init entering at walltime 1400000000.000000000, cputime 0.100000000 seconds in "
         "thread "
         "0.\nint argc=1\nstring argv[1]=[\"./a\"]\nMPI_Init returning at walltime "
         "1400000000.000050000, cputime 0.100000000 seconds in thread 0.\n"
         "MPI_Send entering at walltime 1400000000.000150000, cputime 0.200000000 seconds in "
         "thread "
         "0.\nint count=1\nMPI_Datatype datatype=14 (MPI_DOUBLE)\nint dest=0\nint tag=7\n"
         "MPI_Comm comm=2 (MPI_COMM_WORLD)\nMPI_Send returning at walltime 1400000000.000160000, "
         "cputime 0.200000000 seconds in thread 0.\n";
  const CommandResult run = aprun("-q -n 2 -N 1 " + tool("dumpi_replay") +
                                  " --csv --clocks first-call " + write_pair_meta(folder));
  ASSERT_EQ(run.code, 0) << run.errors;
  EXPECT_EQ(rows_of(run).at(1)["call"], "MPI_Send");
  EXPECT_THAT(numbers(run, "1", "trace_start_us"), ElementsAre(100));
}

/// One of two ranks: it sends at these times, one message each, or receives them.
void write_one(const TestFolder& folder, int rank, std::int64_t start_s, std::int32_t bytes,
               const std::vector<double>& sends, const std::vector<double>& receives) {
  Recorded calls(start_s);
  const std::int32_t other = 1 - rank;
  for (const double at : sends) calls.add(Label::Send, at, 10, {bytes, byte, other, 7, world});
  for (const double at : receives) {
    calls.add(Label::Recv, at, 10, {bytes, byte, other, 7, world, none()});
  }
  calls.write(folder / ("pair-000" + std::to_string(rank) + ".bin"));
}
const std::string on_two = "-q -n 2 -N 1 " + tool("dumpi_replay") + " ";

/// Ping, pong: the clocks are 5 s apart, and the second rank was started 300 us later.
TEST(Replay, MessagesSayHowFarClocksAreApart) {
  const TestFolder folder;
  Recorded first(1'400'000'000), second(1'400'000'005);
  for (const double at : {1000.0, 2000.0, 3000.0}) {
    first.add(Label::Send, at, 1, {8, byte, 1, 7, world});
    first.add(Label::Recv, at + 1, 19, {8, byte, 1, 7, world, none()});
    second.add(Label::Recv, at - 300 - 50, 60, {8, byte, 0, 7, world, none()});
    second.add(Label::Send, at - 300 + 10, 1, {8, byte, 0, 7, world});
  }
  first.write(folder / "pair-0000.bin");
  second.write(folder / "pair-0001.bin");
  const std::string trace = write_pair_meta(folder);
  const auto run = [&](const std::string& clocks) {
    const CommandResult result = aprun(on_two + trace + " --csv --clocks " + clocks);
    EXPECT_EQ(result.code, 0) << result.errors;
    return numbers(result, "1", "start_us");
  };
  EXPECT_NEAR(run("messages").front(), 950, 0.01);
  EXPECT_NEAR(run("first-call").front(), 650, 0.01);
  EXPECT_NEAR(run("as-recorded").front(), 5e6 + 650, 0.01);
}

/// The recording begins in the middle of the first rank's sends, and ends in the middle of the
/// other's: 1 MiB is not sent before it is received.
TEST(Replay, MessagesWithOneSideInTheTraceAreLeftOut) {
  for (const std::int32_t bytes : {8, 1 << 20}) {
    const TestFolder folder;
    write_one(folder, 0, 1'400'000'000, bytes, {2000, 3000}, {});
    write_one(folder, 1, 1'400'000'000, bytes, {}, {1000, 2000, 3000});
    const std::string trace = write_pair_meta(folder);
    const CommandResult early = aprun(on_two + trace + " --csv");
    ASSERT_EQ(early.code, 0) << early.errors;
    const std::vector<double> us = numbers(early, "1", "us");
    EXPECT_LT(us.at(0), 1);
    EXPECT_GT(us.at(1), 1);
    EXPECT_EQ(rows_of(aprun(on_two + trace + " --csv --per job")).at(0)["left_out"], "1");

    write_one(folder, 0, 1'400'000'000, bytes, {1000, 2000, 3000}, {});
    write_one(folder, 1, 1'400'000'000, bytes, {}, {1000, 2000});
    const CommandResult late = aprun(on_two + trace + " --csv");
    ASSERT_EQ(late.code, 0) << late.errors;
    EXPECT_LT(numbers(late, "0", "us").at(2), 1);
    EXPECT_EQ(rows_of(aprun(on_two + trace + " --csv --per job")).at(0)["left_out"], "1");
  }
}

TEST(Replay, ARankWhoseTraceEndsEarlyEndsInOrder) {
  const TestFolder folder;
  const std::string trace = write_ring(folder, 2, 200);
  Recorded cut(1'400'000'001);
  cut.add(Label::Irecv, 100, 1, {1000, byte, 0, 7, world, 2});
  cut.add(Label::Irecv, 110, 1, {1000, byte, 0, 99, world, 3});  // nothing comes
  cut.write(folder / "ring-0001.bin");
  Recorded other(1'400'000'000);
  other.add(Label::Send, 100, 1, {1000, byte, 1, 7, world});
  other.write(folder / "ring-0000.bin");
  const CommandResult run = aprun("-q -n 2 -N 1 " + tool("dumpi_replay") + " " + trace);
  EXPECT_EQ(run.code, 0) << run.errors;
}

TEST(Replay, WhatDoesNotFitIsSaidInOneLine) {
  const TestFolder folder;
  const std::string trace = write_ring(folder, 4, 200);
  const auto error_of = [](const std::string& arguments, int code) {
    const CommandResult run = aprun("-q -n 4 -N 1 " + tool("dumpi_replay") + " " + arguments);
    EXPECT_EQ(run.code, code);
    return lines_of(run.errors).empty() ? std::string() : lines_of(run.errors).front();
  };
  EXPECT_EQ(error_of("", 2), "dumpi_replay: which trace? TRACE.meta is missing");
  EXPECT_THAT(error_of(folder / "none.meta", 1), HasSubstr("none.meta"));
  EXPECT_THAT(error_of(trace + " --fast", 2), HasSubstr("unknown argument '--fast'"));
  const CommandResult two = aprun("-q -n 2 -N 1 " + tool("dumpi_replay") + " " + trace);
  EXPECT_EQ(two.code, 1);
  EXPECT_THAT(two.errors, HasSubstr("ring.meta: the trace has 4 ranks, the job 2 (aprun -n 4)"));
  Recorded unknown(1'400'000'002);
  unknown.add(Label::Barrier, 100, 1, {77});
  unknown.write(folder / "ring-0002.bin");
  EXPECT_THAT(error_of(trace, 1), HasSubstr("call 1: MPI_Barrier: no communicator 77"));
  std::ofstream(folder / "ring-0003.bin", std::ios::trunc) << "not a trace";
  EXPECT_THAT(error_of(trace, 1), HasSubstr("ring-0003.bin"));
}

}  // namespace
