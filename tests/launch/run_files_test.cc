// aprun --profile, --timeline and --compare on whole jobs, on either clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/support/aprun_command.h"
#include "tests/support/on_clock.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::aprun;
using launch_test::aprun_on;
using launch_test::Clock;
using launch_test::CommandResult;
using launch_test::sample;
using launch_test::tool;
using nlohmann::json;
using testing::HasSubstr;

/// Files of one test.
class RunFilesTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string text(const std::string& name) const {
    std::ifstream stream(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  json read(const std::string& name) const { return json::parse(text(name)); }

 private:
  castor_test::TestFolder folder_;
};

const std::string phase_one =
    "-e MPICH_NEMESIS_ASYNC_PROGRESS=SC -e MPICH_MAX_THREAD_SAFETY=multiple ";
/// Two ranks to a node, with progress threads that interrupt them, and noise.
std::string overlapping() {
  return "-n 4 -N 2 -L 0,2 -e CASTOR_NOISE=1 -e MPICH_GNI_ASYNC_PROGRESS_STATS=1 " + phase_one;
}
std::string benchmark() { return tool("smb_overhead") + " --sizes 16K"; }
std::string quick() { return tool("mpi_latency") + " --sizes 8 -i 1"; }

std::string fingerprint(const std::string& errors) {
  std::smatch found;
  return std::regex_search(errors, found, std::regex("fingerprint ([0-9a-f]+)")) ? found[1].str()
                                                                                 : "none";
}

/// What the ranks' progress statistics say of `name`, added up.
double stated(const std::string& errors, const std::string& name) {
  const std::regex each("MPICH progress stats rank [0-9]+:.* " + name + " ([0-9.]+)");
  double sum = 0;
  for (std::sregex_iterator at(errors.begin(), errors.end(), each), end; at != end; ++at) {
    sum += std::stod((*at)[1]);
  }
  return sum;
}

/// A column of the table of ranks.
std::vector<double> column(const json& profile, const std::string& name) {
  const auto& columns = profile["ranks"]["columns"];
  const auto found = std::find(columns.begin(), columns.end(), name);
  std::vector<double> values;
  if (found == columns.end()) return values;
  const auto number = static_cast<std::size_t>(found - columns.begin());
  for (const auto& row : profile["ranks"]["rows"]) values.push_back(row[number].get<double>());
  return values;
}

double sum(const std::vector<double>& values) {
  double all = 0;
  for (const double each : values) all += each;
  return all;
}

/// Computing, what was taken from it, and calls are all that a rank's time consists of.
void expect_sums(const json& profile) {
  const std::vector<double> begin = column(profile, "begin");
  const std::vector<double> end = column(profile, "end");
  std::vector<double> parts(begin.size());
  for (const std::string name : {"USER", "MPI", "ARMCI", "DMAPP", "uGNI", "PMI", "SYSTEM",
                                 "lost_computing: interrupts", "lost_computing: progress threads",
                                 "lost_computing: noise", "lost_computing: other threads"}) {
    const std::vector<double> values = column(profile, name);
    ASSERT_EQ(values.size(), begin.size()) << name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_GE(values[i], 0) << name;
      parts[i] += values[i];
    }
  }
  for (std::size_t i = 0; i < begin.size(); ++i) {
    EXPECT_NEAR(parts[i], end[i] - begin[i], 1e-9) << "rank " << i;
  }
}

TEST_F(RunFilesTest, AProfileAddsUpAndAgreesWithTheLibrarysOwnCounts) {
  const CommandResult run =
      aprun(overlapping() + "--profile " + path("p.json") + " " + benchmark());
  ASSERT_EQ(run.code, 0) << run.errors;
  const json profile = read("p.json");
  expect_sums(profile);
  EXPECT_EQ(profile["run"]["ranks"], 4);
  EXPECT_EQ(profile["run"]["fingerprint"], fingerprint(run.errors));
  // What interrupts and preemption took, the threads count, too.
  double lost = 0;
  for (const std::string part : {"lost_computing: ", "lost_in_calls: "}) {
    for (const std::string by : {"interrupts", "progress threads", "noise", "other threads"}) {
      lost += sum(column(profile, part + by));
    }
  }
  EXPECT_GT(lost, 0);
  EXPECT_NEAR(lost * 1e6, stated(run.errors, "stolen_us"), 0.1);
  EXPECT_GT(
      sum(column(profile, "lost_computing: noise")) + sum(column(profile, "lost_in_calls: noise")),
      0);
  std::map<std::string, double> protocols;
  for (const auto& each : profile["protocols"]) protocols[each["name"]] = each["messages"];
  EXPECT_EQ(protocols["E0"], stated(run.errors, "e0"));
  EXPECT_EQ(protocols["node"], stated(run.errors, "intra_node"));
  EXPECT_EQ(protocols["R0"], stated(run.errors, "reads"));
  EXPECT_GT(profile["service"]["turns"], 0);
  EXPECT_THAT(run.errors, HasSubstr("STOLEN from USER"));
  EXPECT_THAT(run.errors, HasSubstr("MPI_Wait\n"));
}

TEST_F(RunFilesTest, FilesChangeNothingAndRepeat) {
  const CommandResult alone = aprun(overlapping() + benchmark());
  const std::string options = overlapping() + "--profile " + path("p.json") + " --timeline " +
                              path("t.json") + " --timeline-to 2ms ";
  const CommandResult first = aprun(options + benchmark());
  ASSERT_EQ(first.code, 0) << first.errors;
  EXPECT_EQ(fingerprint(first.errors), fingerprint(alone.errors));
  EXPECT_EQ(first.output, alone.output);
  const std::string profile = text("p.json");
  const std::string timeline = text("t.json");
  aprun(options + benchmark());
  EXPECT_EQ(text("p.json"), profile);
  EXPECT_EQ(text("t.json"), timeline);
}

TEST_F(RunFilesTest, QuietRunsPrintNoProfile) {
  const CommandResult run = aprun("-q -n 2 -N 1 --profile " + path("p.json") + " " + benchmark());
  EXPECT_EQ(run.errors, "");
  EXPECT_EQ(read("p.json")["format"], "castor profile 1");
}

TEST_F(RunFilesTest, ATimelineShowsRowsThatDoNotOverlap) {
  const CommandResult run =
      aprun(overlapping() + "--timeline " + path("t.json") +
            " --timeline-from 100us --timeline-to 2ms --timeline-ranks 0,2 " + benchmark());
  ASSERT_EQ(run.code, 0) << run.errors;
  const json trace = read("t.json");
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> rows;
  std::map<std::string, int> categories;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::pair<double, double>>> spans;
  int arrows = 0;
  for (const auto& event : trace["traceEvents"]) {
    const std::pair<std::int64_t, std::int64_t> place(event["pid"], event["tid"]);
    if (event["ph"] == "M" && event["name"] == "thread_name") rows[place] = event["args"]["name"];
    if (event["ph"] == "f") ++arrows;
    if (event["ph"] != "X") continue;
    ++categories[event["cat"]];
    const double from = event["ts"];
    const double to = from + event["dur"].get<double>();
    EXPECT_GE(from, 100);
    EXPECT_LE(to, 2000);
    if (event["cat"] != "lock") spans[place].emplace_back(from, to);
  }
  for (const char* const each : {"call", "cpu", "interrupt", "nic"}) {
    EXPECT_GT(categories[each], 0) << each;
  }
  EXPECT_GT(arrows, 0);
  for (auto& [place, all] : spans) {
    std::sort(all.begin(), all.end());
    for (std::size_t i = 1; i < all.size(); ++i) {
      EXPECT_LT(all[i - 1].second, all[i].first) << rows[place] << ", as readers calculate";
    }
  }
}

TEST_F(RunFilesTest, ARanksCallsAreTheSameOnEitherClock) {
  const auto calls_of = [](const json& profile) {
    std::map<std::string, std::uint64_t> calls;
    for (const auto& call : profile["calls"]) {
      const std::string name = call["name"];
      if (name.rfind("MPI_", 0) == 0) calls[name] = call["calls"];
    }
    return calls;
  };
  std::map<std::string, std::uint64_t> first;
  for (const Clock clock : {Clock::virtual_time, Clock::live}) {
    const CommandResult run =
        aprun_on(clock, "-n 2 -N 1 --profile " + path("p.json") + " --timeline " + path("t.json") +
                            " " + sample("mpi_job"));
    ASSERT_EQ(run.code, 0) << run.errors;
    const json profile = read("p.json");
    expect_sums(profile);
    EXPECT_EQ(profile["ranks"]["rows"].size(), 2U);
    const auto calls = calls_of(profile);
    EXPECT_FALSE(calls.empty());
    if (clock == Clock::virtual_time) first = calls;
    EXPECT_EQ(calls, first);
    EXPECT_FALSE(read("t.json")["traceEvents"].empty());
  }
}

/// When the last span of a rank's own threads ends, by rank, in us.
std::map<int, double> last_spans(const json& trace) {
  std::map<std::int64_t, int> rank_of;
  std::map<int, double> last;
  for (const auto& event : trace["traceEvents"]) {
    int rank = -1;
    const std::string name = event["name"] == "process_name" ? event["args"]["name"] : json("");
    if (std::sscanf(name.c_str(), "rank %d", &rank) == 1) rank_of[event["pid"]] = rank;
    if (event["ph"] != "X" || rank_of.count(event["pid"]) == 0) continue;
    double& end = last[rank_of[event["pid"]]];
    end = std::max(end, event["ts"].get<double>() + event["dur"].get<double>());
  }
  return last;
}

/// Ranks compute for 1 ms; node 2 fails before they have. Nothing is booked to its ranks
/// afterwards.
TEST_F(RunFilesTest, TheTimeOfRanksEndsWithTheirNode) {
  const CommandResult run =
      aprun("-q -n 8 -N 2 -C --faults 'node-dead node=2 at=500us' --profile " + path("p.json") +
            " --timeline " + path("t.json") + " " + sample("last_interval"));
  EXPECT_EQ(run.code, 1);
  const json profile = read("p.json");
  expect_sums(profile);
  const std::vector<double> end = column(profile, "end");
  const double whole = profile["run"]["seconds"];
  std::map<int, double> last = last_spans(read("t.json"));
  for (const int rank : {0, 1, 2, 3, 4, 5, 6, 7}) {
    const double expected = rank == 4 || rank == 5 ? 500e-6 : whole;
    EXPECT_NEAR(end[static_cast<std::size_t>(rank)], expected, 1e-9) << rank;
    EXPECT_NEAR(last[rank] * 1e-6, expected, 1e-9) << rank;
  }
}

TEST_F(RunFilesTest, NothingLastsLongerThanTheRun) {
  const CommandResult run = aprun("-q -n 4 -N 2 -t 2ms --profile " + path("p.json") +
                                  " --timeline " + path("t.json") + " " + sample("last_interval"));
  EXPECT_EQ(run.code, 152) << run.errors;
  const json profile = read("p.json");
  EXPECT_EQ(profile["run"]["seconds"], 0.002);
  expect_sums(profile);
  for (const double end : column(profile, "end")) EXPECT_EQ(end, 0.002);
  for (const auto& [rank, last] : last_spans(read("t.json"))) EXPECT_NEAR(last, 2000, 1e-6) << rank;
}

/// On either clock a rank's time is whole: what it computes behind its last message counts.
TEST_F(RunFilesTest, AProfileHasTheLastInterval) {
  for (const Clock clock : {Clock::virtual_time, Clock::live}) {
    const CommandResult run =
        aprun_on(clock, "-n 2 -N 1 --profile " + path("p.json") + " " + sample("last_interval"));
    ASSERT_EQ(run.code, 0) << run.errors;
    const json profile = read("p.json");
    expect_sums(profile);
    EXPECT_GE(column(profile, "USER").at(0), 0.016);
    EXPECT_GE(column(profile, "USER").at(1), 0.006);
    EXPECT_GE(profile["run"]["seconds"], 0.016);
    if (clock == Clock::live) continue;
    for (const double end : column(profile, "end")) {
      EXPECT_NEAR(end, profile["run"]["seconds"].get<double>(), 1e-4);
    }
  }
}

/// Shares of a link's bandwidth are of the run's time, that in which nothing arrives included.
TEST_F(RunFilesTest, CountersOfIntervalsCoverTheRun) {
  const std::string job = " " + sample("last_interval");
  const CommandResult whole = aprun("-n 4 -N 1 --counters " + path("w.json") + job);
  const CommandResult run =
      aprun("-n 4 -N 1 --counters " + path("c.json") + " --counters-every 50us" + job);
  ASSERT_EQ(run.code, 0) << run.errors;
  const json expected = read("w.json");
  const json counters = read("c.json");
  double last = 0;
  int quiet = 0;
  for (const auto& sample : counters["samples"]) {
    EXPECT_EQ(sample["from"], last);
    last = sample["to"];
    EXPECT_LT(sample["from"], last);
    if (sample["geminis"].empty()) ++quiet;
  }
  EXPECT_EQ(last, expected["samples"][0]["to"]);
  EXPECT_GE(quiet, 2) << "while ranks compute";
  const std::regex counted("castor: counted: .*");
  std::smatch of_whole, of_intervals;
  ASSERT_TRUE(std::regex_search(whole.errors, of_whole, counted));
  ASSERT_TRUE(std::regex_search(run.errors, of_intervals, counted));
  EXPECT_EQ(of_intervals[0], of_whole[0]);
}

TEST_F(RunFilesTest, LiveSaysWhichRanksLeftNothing) {
  const CommandResult run = aprun_on(Clock::live, "-n 2 -N 1 --profile " + path("p.json") + " " +
                                                      sample("crash_live") + " null 1");
  EXPECT_NE(run.code, 0);
  EXPECT_THAT(run.errors, HasSubstr(" of 2 ranks have left no profile"));
  EXPECT_EQ(read("p.json")["run"]["exit_code"], run.code);
}

TEST_F(RunFilesTest, ComparesTwoRuns) {
  aprun("-q -n 2 -N 1 --profile " + path("off.json") + " " + benchmark());
  aprun("-q -n 2 -N 1 " + phase_one + "--profile " + path("one.json") + " " + benchmark());
  const CommandResult compared = aprun("--compare " + path("off.json") + " " + path("one.json"));
  EXPECT_EQ(compared.code, 0) << compared.errors;
  EXPECT_THAT(compared.output, HasSubstr("MPICH_NEMESIS_ASYNC_PROGRESS: 0 in A, SC in B\n"));
  EXPECT_THAT(compared.output, HasSubstr("stolen from USER by interrupts\n"));
  EXPECT_THAT(compared.output, HasSubstr("MPI_Wait\n"));
}

TEST_F(RunFilesTest, ADiskThatIsFullIsToldAfterTheRun) {
  for (const std::string option : {"--profile", "--timeline", "--report"}) {
    const CommandResult run = aprun("-q -n 2 -N 1 " + option + " /dev/full " + benchmark());
    EXPECT_EQ(run.code, 1);
    EXPECT_EQ(run.errors, "aprun: " + option + " /dev/full: No space left on device\n");
    EXPECT_THAT(run.output, HasSubstr("16384"));
  }
}

/// On both clocks: no run lasts a day.
TEST_F(RunFilesTest, AnEmptyWindowIsSaid) {
  for (const Clock clock : {Clock::virtual_time, Clock::live}) {
    const std::string file = path(clock == Clock::live ? "live.json" : "virtual.json");
    const CommandResult run =
        aprun_on(clock, "-q -n 2 -N 1 --timeline " + file + " --timeline-from 86400 " + quick());
    EXPECT_EQ(run.code, 0) << run.errors;
    EXPECT_THAT(run.errors, testing::ContainsRegex("^castor: warning: --timeline is empty: the run "
                                                   "ended at [0-9.]+ s, before --timeline-from "
                                                   "86400 s\n$"));
  }
}

TEST_F(RunFilesTest, LiveASystemIsPlacesAlone) {
  const std::string line =
      "warning: --system: live, messages take the host's network; cielo says "
      "where nodes are, and no more\n";
  EXPECT_EQ(aprun_on(Clock::live, "-q --system cielo -n 2 -N 1 " + quick()).errors,
            "aprun: " + line);
  EXPECT_EQ(aprun_on(Clock::live, "-q -n 2 -N 1 " + quick()).errors, "");
}

/// On both clocks: whatever writes a file, and with --limit not for longer than that.
TEST_F(RunFilesTest, APipeIsWaitedForUntilTheLimit) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto refused = [&](Clock clock, const std::string& option) {
    const CommandResult run =
        aprun_on(clock, "-q --limit 300ms " + option + " " + pipe + " " + quick());
    EXPECT_EQ(run.code, 1);
    EXPECT_EQ(run.errors, "aprun: " + option + " " + pipe +
                              ": no process has read this pipe for 0.3 s (--limit)\n");
    EXPECT_EQ(run.output, "");
  };
  for (const std::string option : {"--profile", "--timeline", "--report"}) {
    refused(Clock::virtual_time, option);
    refused(Clock::live, option);
  }
  refused(Clock::virtual_time, "--counters");
  const CommandResult read = launch_test::run_command(
      "sh -c 'cat " + pipe + " >" + path("read") + " & " + tool("aprun") +
      " -q --limit 60s -n 2 -N 1 --profile " + pipe + " " + quick() + " && wait'");
  EXPECT_EQ(read.code, 0) << read.errors;
  EXPECT_EQ(this->read("read")["format"], "castor profile 1");
}

TEST_F(RunFilesTest, RefusesWhatCannotBe) {
  const auto refused = [](const std::string& arguments, int code, const std::string& line) {
    const CommandResult run = aprun(arguments);
    EXPECT_EQ(run.code, code) << arguments;
    EXPECT_EQ(run.errors, "aprun: " + line + "\n");
    EXPECT_EQ(run.output, "");
  };
  const std::string program = " " + benchmark();
  refused("--profile /no/p.json" + program, 1, "--profile /no/p.json: No such file or directory");
  refused("--report /no/p.html" + program, 1, "--report /no/p.html: No such file or directory");
  refused("--timeline /no/t.json" + program, 1, "--timeline /no/t.json: No such file or directory");
  refused("--timeline /no/t.otf2" + program, 1, "--timeline /no/t.otf2: No such file or directory");
  refused("--timeline-from 1ms" + program, 2,
          "--timeline-from, -to, -ranks: there is no --timeline or --report for them");
  refused("--timeline t --timeline-from 2ms --timeline-to 1ms" + program, 2,
          "--timeline-to: must be later than --timeline-from");
  refused("--timeline t --timeline-from soon" + program, 2,
          "--timeline-from 'soon': must be a time from 0 to 30 days, like 90, 1.5ms or 20us");
  refused("-n 2 --timeline t --timeline-ranks 0-2" + program, 2,
          "--timeline-ranks: there is no rank 2; the job has 2 (-n)");
  std::ofstream(path("no.json")) << "{}";
  refused("--compare " + path("no.json") + " " + path("no.json"), 2,
          path("no.json") + ": no \"castor profile 1\"; it must be a file of aprun --profile");
  refused("--compare /no/a.json /no/b.json", 2, "/no/a.json: No such file or directory");
}

}  // namespace
