// aprun --telemetry on whole jobs: marks, paths, and the source lines at both ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/support/aprun_command.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::sample;
using launch_test::tool;
using nlohmann::json;
using testing::HasSubstr;

/// "marked.c:17" of the line that is marked so in the sample's source.
std::string line(const std::string& mark) {
  std::ifstream source(std::string(SOURCES) + "/marked.c");
  int number = 0;
  for (std::string text; std::getline(source, text);) {
    ++number;
    if (text.find("here: " + mark) != std::string::npos)
      return "marked.c:" + std::to_string(number);
  }
  ADD_FAILURE() << "marked.c has no line marked " << mark;
  return "?";
}

class TelemetryTest : public testing::Test {
 protected:
  std::string path(const std::string& name = "paths.json") const { return folder_ / name; }

  json paths_of(const std::string& options, const std::string& program) {
    result_ = aprun(options + " --telemetry-file " + path() + " " + program);
    EXPECT_EQ(result_.code, 0) << result_.errors;
    std::ifstream stream(path());
    return json::parse(stream);
  }

  CommandResult result_;

 private:
  castor_test::TestFolder folder_;
};

std::string fingerprint(const std::string& errors) {
  std::smatch found;
  return std::regex_search(errors, found, std::regex("fingerprint ([0-9a-f]+)")) ? found[1].str()
                                                                                 : "none";
}

std::string frame(const json& telemetry, const json& number) {
  const json& frames = telemetry["sites"][number.get<std::size_t>()];
  return frames.empty() ? "not known" : frames[0].get<std::string>();
}

/// The paths of commands of this kind and so many bytes or more.
std::vector<json> chosen(const json& telemetry, const std::string& kind, std::uint64_t least) {
  std::vector<json> found;
  for (const json& path : telemetry["paths"]) {
    if (path["kind"] == kind && path["bytes"] >= least) found.push_back(path);
  }
  return found;
}

/// Stays of the way on which the command's data travels, from its issue to its end.
double sum_of_stays(const json& path) {
  const bool back = path["kind"] == "get" || path["kind"] == "atomic";
  double sum = 0;
  for (const json& stay : path["stays"]) {
    if (back || stay[2] == 0) sum += stay[4].get<double>();
  }
  return sum;
}

TEST_F(TelemetryTest, EveryProtocolHasTheLinesOfBothEnds) {
  const json telemetry = paths_of("-n 2 -N 1 --telemetry all,size:64-100M", sample("marked"));
  EXPECT_EQ(telemetry["format"], "castor telemetry 1");
  const std::string send = line("send"), receive = line("receive");
  // E0: a mailbox message with the data in it.
  const auto e0 = chosen(telemetry, "message", 64);
  ASSERT_FALSE(e0.empty());
  int from_send = 0;
  for (const json& path : e0) {
    if (frame(telemetry, path["site"]).find(send) == std::string::npos) continue;
    ++from_send;
    EXPECT_EQ(path["rank"], 0);
    EXPECT_EQ(path["peer"], 1);
    EXPECT_THAT(frame(telemetry, path["far_site"]), HasSubstr(receive));
  }
  EXPECT_GE(from_send, 1);
  // R0: the receiver reads; the sender's line came with the RTS.
  const auto r0 = chosen(telemetry, "get", 90'000);
  ASSERT_EQ(r0.size(), 1U);
  EXPECT_EQ(r0[0]["rank"], 1);
  EXPECT_THAT(frame(telemetry, r0[0]["site"]), HasSubstr(receive));
  EXPECT_THAT(frame(telemetry, r0[0]["far_site"]), HasSubstr(send));
  EXPECT_THAT(frame(telemetry, r0[0]["wait_site"]), HasSubstr(line("wait")));
  EXPECT_EQ(r0[0]["wait_call"], "MPI_Wait");
  // R1: the sender writes what it was granted; the receiver's line came with the CTS.
  const auto r1 = chosen(telemetry, "put", 400'000);
  ASSERT_GE(r1.size(), 3U);
  for (const json& path : r1) {
    EXPECT_EQ(path["rank"], 0);
    EXPECT_THAT(frame(telemetry, path["site"]), HasSubstr(send));
    EXPECT_THAT(frame(telemetry, path["far_site"]), HasSubstr(receive));
  }
}

TEST_F(TelemetryTest, StaysAddUpToTheDelay) {
  const json telemetry = paths_of("-n 8 -N 2 --telemetry 3", tool("halo_scale"));
  ASSERT_GT(telemetry["paths"].size(), 20U);
  for (const json& path : telemetry["paths"]) {
    EXPECT_TRUE(path["whole"].get<bool>());
    EXPECT_NEAR(sum_of_stays(path), path["total_us"].get<double>(), 1e-6) << path;
    EXPECT_TRUE(path["missing"].empty());
  }
}

TEST_F(TelemetryTest, RunsRepeatAndDrawAsTheyDoWithout) {
  const std::string job = "-n 16 -N 4 --telemetry 20";
  const json first = paths_of(job, tool("halo_scale"));
  const std::string errors = result_.errors;
  EXPECT_EQ(first, paths_of(job, tool("halo_scale")));
  EXPECT_EQ(errors, result_.errors);
  // Without costs of its own the marked run is the run without.
  const CommandResult without = aprun("-n 16 -N 4 " + tool("halo_scale"));
  const CommandResult free = aprun(
      "-n 16 -N 4 --telemetry all -e CASTOR_TELEMETRY_DECISION=0 -e CASTOR_TELEMETRY_CONTEXT=0 " +
      tool("halo_scale"));
  EXPECT_EQ(fingerprint(without.errors), fingerprint(free.errors));
  EXPECT_EQ(without.output, free.output);
}

TEST_F(TelemetryTest, PairsSizesAndSites) {
  const json pair = paths_of("-n 2 -N 1 --telemetry pair:0-1", sample("marked"));
  for (const json& path : pair["paths"]) EXPECT_EQ(path["rank"], 0);
  EXPECT_GT(pair["paths"].size(), 3U);
  const json size = paths_of("-n 2 -N 1 --telemetry size:90K-110K", sample("marked"));
  ASSERT_EQ(size["paths"].size(), 1U);
  EXPECT_EQ(size["paths"][0]["kind"], "get");
  const json site = paths_of("-n 2 -N 1 --telemetry site:receives", sample("marked"));
  EXPECT_GT(site["paths"].size(), 1U);
  for (const json& path : site["paths"]) {
    EXPECT_THAT(frame(site, path["site"]), HasSubstr("(receives)"));
  }
}

TEST_F(TelemetryTest, AProgressThreadActsForTheCallThatBeganTheTransfer) {
  const json telemetry = paths_of(
      "-n 2 -N 1 -e MPICH_NEMESIS_ASYNC_PROGRESS=SC -e MPICH_MAX_THREAD_SAFETY=multiple "
      "--telemetry size:90K-110K",
      sample("marked"));
  ASSERT_EQ(telemetry["paths"].size(), 1U);
  const json& path = telemetry["paths"][0];
  EXPECT_THAT(frame(telemetry, path["site"]), HasSubstr(line("receive")));
  EXPECT_THAT(frame(telemetry, path["far_site"]), HasSubstr(line("send")));
  EXPECT_EQ(path["call"], "");
}

TEST_F(TelemetryTest, SmallBuffersLoseRecordsAndPathsSayWhere) {
  const json telemetry =
      paths_of("-n 16 -N 4 --telemetry all -e CASTOR_TELEMETRY_BUFFER=64", tool("halo_scale"));
  EXPECT_GT(telemetry["lost"], 100);
  int broken = 0;
  for (const json& path : telemetry["paths"]) broken += path["missing"].empty() ? 0 : 1;
  EXPECT_GT(broken, 10);
  EXPECT_THAT(result_.errors, HasSubstr("with gaps"));
}

TEST_F(TelemetryTest, SkewedClocksStillGivePaths) {
  const json telemetry =
      paths_of("-n 8 -N 2 --telemetry 3 -e CASTOR_TELEMETRY_CLOCK_SKEW=2000", tool("halo_scale"));
  ASSERT_GT(telemetry["paths"].size(), 20U);
  for (const json& path : telemetry["paths"]) EXPECT_TRUE(path["missing"].empty()) << path;
}

TEST_F(TelemetryTest, AComponentMarks) {
  const json telemetry = paths_of("-n 8 -N 1 --telemetry router:1,every:5", tool("halo_scale"));
  EXPECT_EQ(telemetry["marked"], 0);
  ASSERT_GT(telemetry["paths"].size(), 3U);
  for (const json& path : telemetry["paths"]) EXPECT_EQ(path["rank"], -1);
}

TEST_F(TelemetryTest, NoMarksIsNoError) {
  const json telemetry = paths_of("-n 2 -N 1 --telemetry site:no_such_line", sample("marked"));
  EXPECT_TRUE(telemetry["paths"].empty());
  EXPECT_THAT(result_.errors, HasSubstr("Telemetry (site:no_such_line): 0 of"));
  EXPECT_THAT(result_.errors,
              HasSubstr("castor: warning: --telemetry site:no_such_line: no command "
                        "was marked\n"));
}

TEST_F(TelemetryTest, RefusalsAreOneLine) {
  const auto refused = [](const std::string& options) {
    const CommandResult result = aprun(options + " " + sample("marked"));
    EXPECT_NE(result.code, 0);
    return result.errors;
  };
  EXPECT_THAT(refused("-n 2 --telemetry 0"),
              HasSubstr("aprun: CASTOR_TELEMETRY: 0: the number must be 1 or more\n"));
  EXPECT_THAT(refused("-n 2 --telemetry-file /no/such/folder/x --telemetry 5"),
              HasSubstr("--telemetry-file /no/such/folder/x: No such file or directory\n"));
  EXPECT_THAT(refused("-n 2 --telemetry-file x"),
              HasSubstr("aprun: --telemetry-file: without --telemetry nothing is marked; give a "
                        "choice like --telemetry 100\n"));
  EXPECT_THAT(refused("-n 2 --clock live --telemetry 100"),
              HasSubstr("--telemetry: live, packets take the host's network"));
}

}  // namespace
