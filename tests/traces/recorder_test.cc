// Programs' calls, recorded and read back: the recorder and the reader test each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "apps/traces/dumpi/trace_file.h"
#include "tests/support/on_clock.h"
#include "tests/support/test_folder.h"

namespace {

using castor_test::TestFolder;
using dumpi::Call;
using dumpi::Label;
using dumpi::RankTrace;
using launch_test::aprun;
using launch_test::aprun_on;
using launch_test::Clock;
using launch_test::CommandResult;
using testing::ElementsAre;

constexpr int ranks = 4;
const std::string recorder = LIBRARY;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string option(const std::string& name, const std::string& value) {
  return "-e " + name + "=" + value + " ";
}

/// Gives each rank the recorder before its other libraries.
std::string preloaded(Clock clock) {
  const std::string sanitizer = SANITIZER_LIBRARY;
  const bool needs_it = clock == Clock::live && !sanitizer.empty();
  return option("LD_PRELOAD", (needs_it ? sanitizer + ":" : "") + recorder);
}

RankTrace trace_of(const std::string& prefix, int rank) {
  return RankTrace::read(prefix + "-000" + std::to_string(rank) + ".bin");
}

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& each : items) text += (text.empty() ? "" : " ") + each;
  return "[" + text + "]";
}

/// As every_call.c writes it.
std::string text_of(const dumpi::Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return "-";
  if (const auto* number = std::get_if<std::int32_t>(&value)) return std::to_string(*number);
  if (const auto* strings = std::get_if<std::vector<std::string>>(&value)) return list(*strings);
  std::vector<std::string> items;
  if (const auto* statuses = std::get_if<std::vector<dumpi::Status>>(&value)) {
    for (const dumpi::Status& each : *statuses) {
      items.push_back("{" + std::to_string(each.bytes) + " " + std::to_string(each.source) + " " +
                      std::to_string(each.cancelled) + " " + std::to_string(each.error) + " " +
                      std::to_string(each.tag) + "}");
    }
    return list(items);
  }
  for (const auto each : std::get<std::vector<std::int32_t>>(value)) {
    items.push_back(std::to_string(each));
  }
  return list(items);
}

std::string text_of(const Call& call) {
  std::string text(dumpi::layout_of(call.label).name());
  for (const dumpi::Value& each : call.values) text += " " + text_of(each);
  return text;
}

std::vector<std::string> texts_of(const std::vector<Call>& calls) {
  std::vector<std::string> texts;
  for (const Call& each : calls) texts.push_back(text_of(each));
  return texts;
}

std::uint32_t at(const std::vector<std::uint32_t>& counts, Label label) {
  return counts.at(static_cast<std::size_t>(label));
}

/// Polls that have failed, and what Pcontrol has left out, are ignored and counted.
void check_counts(const RankTrace& trace) {
  std::vector<std::uint32_t> recorded(291);
  for (const Call& each : trace.calls()) ++recorded[static_cast<std::size_t>(each.label)];
  const dumpi::Sections& sections = trace.sections();
  const std::set<Label> polls = {Label::Test,     Label::Testany, Label::Testall,
                                 Label::Testsome, Label::Iprobe,  Label::Win_test};
  for (const dumpi::Layout& layout : dumpi::layouts()) {
    const Label label = layout.label();
    if (sections.called.size() <= static_cast<std::size_t>(label)) continue;
    const std::uint32_t ignored = at(sections.ignored, label);
    EXPECT_EQ(at(sections.called, label), at(recorded, label) + ignored) << layout.name();
    if (polls.count(label) != 0) continue;
    const std::uint32_t left_out = label == Label::Barrier ? 2 : label == Label::Irecv ? 1 : 0;
    EXPECT_EQ(ignored, left_out) << layout.name();
  }
}

void check_times(const std::vector<Call>& calls) {
  std::int64_t before = 0;
  for (const Call& each : calls) {
    ASSERT_TRUE(each.wall && each.cpu) << text_of(each);
    EXPECT_LE(before, each.wall->entry) << text_of(each);
    EXPECT_LE(each.wall->entry, each.wall->exit) << text_of(each);
    EXPECT_LE(each.cpu->entry, each.cpu->exit) << text_of(each);
    EXPECT_EQ(each.thread, 0);
    before = each.wall->exit;
  }
}

/// every_call, with its expectations in the folder `to` of its own.
CommandResult record(Clock clock, const std::string& to, int seed, const std::string& options,
                     const std::string& program = "every_call") {
  std::filesystem::create_directory(to);
  return aprun_on(clock, "-n 4 -N 2 " + option("DUMPI_RECORD_PREFIX", to + "/t") + options +
                             launch_test::sample(program) + " " + to + " " + std::to_string(seed));
}

/// What the recorder says, but for what it has not recorded.
std::vector<std::string> own_lines(const CommandResult& result) {
  std::vector<std::string> lines;
  for (const std::string& each : launch_test::lines_of(result.errors)) {
    if (each.rfind("dumpi_record: ", 0) == 0 && each.find("not recorded") == std::string::npos) {
      lines.push_back(each);
    }
  }
  return lines;
}

struct Way {
  const char* name;
  Clock clock;
  bool linked;
};

class Recorder : public testing::TestWithParam<Way> {};

TEST_P(Recorder, RecordsEveryCallAsItWasMade) {
  const TestFolder folder;
  std::set<Label> seen;
  for (const int seed : {1, 2, 3}) {
    const std::string to = folder / std::to_string(seed);
    const CommandResult result =
        record(GetParam().clock, to, seed, GetParam().linked ? "" : preloaded(GetParam().clock),
               GetParam().linked ? "every_call_linked" : "every_call");
    ASSERT_EQ(result.code, 0) << result.errors;
    EXPECT_THAT(launch_test::lines_of(result.errors),
                testing::Contains("dumpi_record: not in the format, not recorded: MPI_Ibarrier 4"));
    dumpi::check_all_present(dumpi::read_meta(to + "/t"));
    EXPECT_EQ(dumpi::read_meta(to + "/t.meta").ranks, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      const RankTrace trace = trace_of(to + "/t", rank);
      const std::vector<Call> calls = trace.calls();
      ASSERT_EQ(texts_of(calls), launch_test::lines_of(contents(to + "/" + std::to_string(rank))))
          << "seed " << seed << ", rank " << rank;
      check_counts(trace);
      check_times(calls);
      for (const Call& each : calls) seen.insert(each.label);
      const std::vector<std::uint32_t>& sizes = trace.sections().type_sizes;
      ASSERT_EQ(sizes.size(), 30U);
      EXPECT_THAT(std::vector(sizes.begin() + 12, sizes.begin() + 15), ElementsAre(8, 4, 8));
      EXPECT_THAT(std::vector(sizes.begin() + 26, sizes.end()), ElementsAre(8, 20, 24, 40));
    }
  }
  EXPECT_EQ(seen.size(), 87U);  // all that the recorder knows
}
/// Each call of the trace can be made again, but for receives without sends.
TEST(RecorderInVirtualTime, ItsTracesAreReplayed) {
  const TestFolder folder;
  for (const int seed : {1, 2, 3}) {
    const std::string to = folder / std::to_string(seed);
    ASSERT_EQ(record(Clock::virtual_time, to, seed, preloaded(Clock::virtual_time)).code, 0);
    std::size_t calls = 0;
    for (int rank = 0; rank < ranks; ++rank) calls += trace_of(to + "/t", rank).size() - 2;
    for (const char* timing : {"--exact", "--gaps", "--time-shift --clocks first-call"}) {
      const CommandResult run =
          launch_test::aprun("-q -n 4 -N 2 " + launch_test::tool("dumpi_replay") +
                             " --per job --csv " + timing + " " + to + "/t");
      ASSERT_EQ(run.code, 0) << seed << timing << run.errors;
      EXPECT_THAT(launch_test::lines_of(run.output).at(1),
                  testing::StartsWith("4," + std::to_string(calls) + ","));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Recorder,
                         testing::Values(Way{"VirtualPreloaded", Clock::virtual_time, false},
                                         Way{"VirtualLinked", Clock::virtual_time, true},
                                         Way{"LivePreloaded", Clock::live, false},
                                         Way{"LiveLinked", Clock::live, true}),
                         [](const auto& each) { return each.param.name; });

TEST(RecorderInVirtualTime, RepeatsByteForByteWithAnyWorkers) {
  const TestFolder folder;
  std::vector<std::string> first;
  for (const char* workers : {"1", "1", "2"}) {
    const std::string to = folder / "run";
    const CommandResult result =
        record(Clock::virtual_time, to, 5,
               preloaded(Clock::virtual_time) + option("CASTOR_WORKERS", workers));
    ASSERT_EQ(result.code, 0) << result.errors;
    std::vector<std::string> files = {contents(to + "/t.meta")};
    for (int rank = 0; rank < ranks; ++rank) {
      files.push_back(contents(to + "/t-000" + std::to_string(rank) + ".bin"));
      EXPECT_GT(files.back().size(), 5000U);
    }
    if (first.empty()) first = files;
    EXPECT_TRUE(files == first) << workers << " workers";
  }
}

// The clocks of ranks are apart, by the same all the time; what happens is the same.
TEST(RecorderInVirtualTime, SkewsTheClocksOfRanks) {
  const TestFolder folder;
  const auto run = [&](const std::string& name, const std::string& options) {
    const CommandResult result =
        record(Clock::virtual_time, folder / name, 1, preloaded(Clock::virtual_time) + options);
    EXPECT_EQ(result.code, 0) << result.errors;
  };
  run("even", "");
  run("skewed", option("DUMPI_RECORD_SKEW_US", "700"));
  run("other", option("DUMPI_RECORD_SKEW_US", "700") + option("DUMPI_RECORD_SEED", "2"));
  std::set<std::int64_t> offsets;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<Call> even = trace_of((folder / "even") + "/t", rank).calls();
    for (const char* name : {"skewed", "other"}) {
      const std::vector<Call> skewed = trace_of((folder / name) + "/t", rank).calls();
      ASSERT_EQ(skewed.size(), even.size());
      const std::int64_t offset = skewed.front().wall->entry - even.front().wall->entry;
      EXPECT_GE(offset, 0);
      EXPECT_LE(offset, 700'000);
      offsets.insert(offset);
      for (std::size_t i = 0; i < even.size(); ++i) {
        EXPECT_EQ(skewed[i].wall->entry - even[i].wall->entry, offset);
        EXPECT_EQ(skewed[i].wall->exit - even[i].wall->exit, offset);
        EXPECT_EQ(skewed[i].cpu, even[i].cpu);
      }
    }
  }
  EXPECT_EQ(offsets.size(), 2U * ranks);
}

TEST(RecorderInVirtualTime, HasTheRanksOwnTime) {
  const TestFolder folder;
  ASSERT_EQ(record(Clock::virtual_time, folder / "run", 1, preloaded(Clock::virtual_time)).code, 0);
  const RankTrace trace = trace_of((folder / "run") + "/t", 2);
  constexpr std::int64_t start = 1'293'840'000;  // 2011-01-01
  EXPECT_EQ(trace.sections().start, static_cast<std::uint64_t>(start));
  EXPECT_EQ(trace.sections().host, "nid00001");
  const std::vector<Call> calls = trace.calls();
  EXPECT_EQ(calls.front().wall->entry / 1'000'000'000, start);
  // What the program computes lies between two calls.
  std::int64_t apart = 0;
  for (std::size_t i = 1; i < calls.size(); ++i) {
    apart += calls[i].wall->entry - calls[i - 1].wall->exit;
  }
  EXPECT_GT(apart, 10'000);
}

TEST(RecorderInVirtualTime, HasANameByTheProgram) {
  const TestFolder folder;
  const CommandResult result = launch_test::run_command(
      "sh -c 'cd " + folder.path() + " && exec " + launch_test::tool("aprun") + " -q -n 4 " +
      preloaded(Clock::virtual_time) + launch_test::sample("every_call") + " . 1'");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(trace_of(folder / "dumpi-every_call", 3).calls().size(),
            launch_test::lines_of(contents(folder / "3")).size());
}

// Each thread waits for its own requests, and no number is in use twice.
TEST(RecorderLive, TellsThreadsApart) {
  const TestFolder folder;
  constexpr std::size_t messages = 300;
  const CommandResult result = aprun_on(
      Clock::live, "-n 2 " + option("DUMPI_RECORD_PREFIX", folder / "t") +
                       option("MPICH_MAX_THREAD_SAFETY", "multiple") + preloaded(Clock::live) +
                       launch_test::sample("threads") + " " + std::to_string(messages));
  ASSERT_EQ(result.code, 0) << result.errors;
  for (const int rank : {0, 1}) {
    std::map<int, std::vector<std::int32_t>> open;  // of a thread
    std::set<std::int32_t> in_use;
    std::map<int, std::size_t> waits;
    for (const Call& each : trace_of(folder / "t", rank).calls()) {
      std::vector<std::int32_t>& own = open[each.thread];
      if (each.label == Label::Waitall) {
        const auto numbers = each.numbers("requests");
        EXPECT_EQ(std::vector(numbers.begin(), numbers.end()), own);
        for (const std::int32_t number : own) in_use.erase(number);
        own.clear();
        ++waits[each.thread];
      } else if (each.label == Label::Isend || each.label == Label::Irecv) {
        own.push_back(each.number("request"));
        EXPECT_EQ(each.number("tag"), each.thread);
        EXPECT_TRUE(in_use.insert(own.back()).second) << own.back();
        EXPECT_LE(own.back(), 1 + 4);
      }
    }
    EXPECT_EQ(waits, (std::map<int, std::size_t>{{0, messages}, {1, messages}}));
  }
}

/// What a rank computes behind its last call is in the trace, also if recording is off by then; no
/// longer than that, although the recorder asks all ranks what it has left out.
class RecorderOfTheEnd : public testing::TestWithParam<Clock> {};

TEST_P(RecorderOfTheEnd, HasTheLastInterval) {
  const TestFolder folder;
  for (const std::string off : {"", " off"}) {
    const CommandResult result = aprun_on(
        GetParam(), "-n 2 -N 1 " + option("DUMPI_RECORD_PREFIX", folder / "e") +
                        preloaded(GetParam()) + launch_test::sample("last_interval") + off);
    ASSERT_EQ(result.code, 0) << result.errors;
    for (const int rank : {0, 1}) {
      const std::vector<Call> calls = trace_of(folder / "e", rank).calls();
      const Call& last = calls.back();
      ASSERT_EQ(last.label, Label::Finalize);
      ASSERT_EQ(calls[calls.size() - 2].label, Label::Barrier);
      const std::int64_t interval = last.wall->entry - calls[calls.size() - 2].wall->exit;
      const std::int64_t worked = rank == 0 ? 2'000'000 : 5'000'000;
      EXPECT_GE(interval, worked - 1000) << rank << off;  // a trace has microseconds
      if (GetParam() == Clock::virtual_time) {
        EXPECT_LE(interval, worked + 20'000) << rank << off;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(, RecorderOfTheEnd, testing::Values(Clock::virtual_time, Clock::live),
                         launch_test::clock_name);

class RecorderOfFortran : public testing::TestWithParam<Clock> {};

TEST_P(RecorderOfFortran, SeesItsCalls) {
  const TestFolder folder;
  const CommandResult result =
      aprun_on(GetParam(), "-n 2 " + option("DUMPI_RECORD_PREFIX", folder / "f") +
                               preloaded(GetParam()) + launch_test::sample("few_calls"));
  ASSERT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(texts_of(trace_of(folder / "f", 1).calls()),
              ElementsAre("MPI_Init []", "MPI_Comm_rank 2 1", "MPI_Irecv 5 14 0 3 2 2",
                          "MPI_Send 5 14 0 3 2", "MPI_Wait 2 [{40 0 0 0 3}]",
                          "MPI_Allreduce 5 14 3 2", "MPI_Finalize"));
}
INSTANTIATE_TEST_SUITE_P(, RecorderOfFortran, testing::Values(Clock::virtual_time, Clock::live),
                         launch_test::clock_name);

struct Refused {
  std::string options;
  std::string line;
};

TEST(RecorderOfWhatCannotBe, EndsTheJobWithOneLine) {
  const TestFolder folder;
  for (const Clock clock : {Clock::virtual_time, Clock::live}) {
    for (const Refused& each : std::vector<Refused>{
             {option("DUMPI_RECORD_PREFIX", folder / "none/t"),
              (folder / "none/t-0000.bin") + ": No such file or directory"},
             {option("DUMPI_RECORD_SKEW_US", "-3"),
              "DUMPI_RECORD_SKEW_US '-3': must be a whole number from 0 to 1000000000"},
             {option("DUMPI_RECORD_SEED", "1x"),
              "DUMPI_RECORD_SEED '1x': must be a whole number from 0 to 18446744073709551615"}}) {
      const CommandResult result =
          record(clock, folder / "run", 1, preloaded(clock) + each.options);
      EXPECT_NE(result.code, 0);
      EXPECT_THAT(own_lines(result), ElementsAre("dumpi_record: rank 0: " + each.line));
    }
  }
  // A disk that is full.
  const std::string to = folder / "full";
  std::filesystem::create_directory(to);
  std::filesystem::create_symlink("/dev/full", to + "/t-0002.bin");
  const CommandResult result = record(Clock::virtual_time, to, 1, preloaded(Clock::virtual_time));
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(own_lines(result),
              ElementsAre("dumpi_record: rank 2: " + to + "/t-0002.bin: cannot be written"));
}

TEST(RecorderInVirtualTime, SaysThatRanksMustNotShareIt) {
  const TestFolder folder;
  const std::string sanitizer = SANITIZER_LIBRARY;
  const CommandResult result =
      aprun("-q -n 4 " + option("DUMPI_RECORD_PREFIX", folder / "t") +
                launch_test::sample("every_call") + " " + folder.path() + " 1",
            "LD_PRELOAD=" + (sanitizer.empty() ? "" : sanitizer + ":") + recorder);
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(own_lines(result),
              ElementsAre("dumpi_record: ranks share this library; give it to them with aprun -e "
                          "LD_PRELOAD=..., or link the program with it"));
}

}  // namespace
