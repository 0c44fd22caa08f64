// Jobs on a dragonfly: what they print, what they count, and what has no meaning there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/aprun_command.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::fingerprint;
using launch_test::lines_of;
using launch_test::run_command;
using launch_test::sample;
using launch_test::tool;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(DragonflyJobs, RunAndRepeat) {
  for (const char* job :
       {"--system edison -n 96 -N 24 ", "--system dragonfly:3x2x4x4 -n 96 -N 1 "}) {
    for (const char* program : {"allreduce_scale", "halo_scale"}) {
      const CommandResult first = aprun(job + tool(program));
      EXPECT_EQ(first.code, 0) << first.errors;
      EXPECT_EQ(fingerprint(first).size(), 16U) << first.errors;
      const CommandResult again = aprun(job + tool(program));
      EXPECT_EQ(again.output, first.output);
      EXPECT_EQ(fingerprint(again), fingerprint(first));
    }
  }
}

TEST(DragonflyJobs, GiveRightResults) {
  const CommandResult result =
      aprun("-q --system edison --node edison -j 1 -n 96 -N 24 " + sample("mpi_job"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output), Contains("rank 95 of 96, sum 4560"));
}

TEST(DragonflyJobs, SayWhatTheMachineIs) {
  const CommandResult result = aprun("-v --system edison --node edison -j 1 -n 4 -N 1 " +
                                     tool("smb_overhead") + " -m 8 --csv");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(
      lines_of(result.errors),
      AllOf(Contains("castor: network: 15x6x16 dragonfly (edison), 1440 routers, 5586 nodes with "
                     "Gemini NICs, fidelity message, minimal routing"),
            Contains(StartsWith("castor: network: hop 100 ns, ")),
            Contains("castor: network: links green 5.25, black 15.75, blue 9.50, host 64.00 GB/s "
                     "each way"),
            Contains(HasSubstr("node edison (48 CPUs)"))));
}

TEST(DragonflyJobs, ParametersOfTheUserComeBeforeTheSystems) {
  const CommandResult result = aprun(
      "-v --system dragonfly:2x1x2x4 -n 2 -N 1 -e CASTOR_HOP_LATENCY=250 "
      "-e CASTOR_TILE_OPTICAL=3 " +
      tool("smb_overhead") + " -m 8 --csv");
  EXPECT_THAT(lines_of(result.errors), AllOf(Contains(StartsWith("castor: network: hop 250 ns, ")),
                                             Contains(HasSubstr("blue 6.00"))));
}

TEST(DragonflyJobs, RefuseNodesThatAreNotThere) {
  EXPECT_THAT(lines_of(aprun("--system edison -n 1 -L 5586 " + sample("mpi_job")).errors),
              Contains(HasSubstr("node 5586 is not in edison; allowed is 0 to 5585")));
  const CommandResult bad = aprun("--system dragonfly:3x7x4x4 -n 1 " + sample("mpi_job"));
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(lines_of(bad.errors),
              ElementsAre(HasSubstr("'dragonfly:3x7x4x4': a dragonfly must be edison or ")));
}

class DragonflyCounters : public testing::Test {
 protected:
  const castor_test::TestFolder folder_;
};

TEST_F(DragonflyCounters, NameLinksByTheirColours) {
  const std::string text = folder_ / "run.txt", json = folder_ / "run.json";
  // Routers 0 (0,0,0) and 13 (1,1,1) of groups of eight: link (0 + 5 + 0) % 8 = 5 of eight.
  const CommandResult result =
      aprun("--system dragonfly:3x2x4x4 -n 2 -N 1 -L 0,52 --counters " + text + " --counters " +
            json + " " + tool("allreduce_scale") + " -i 1");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("hops a byte"));
  std::ifstream stream(text);
  const std::string written((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_THAT(written, AllOf(HasSubstr("\n\t(0, 0, 0)\ngreen1\t(0, 0, 1)\t5.25\t"),
                             HasSubstr("\nblack1\t(0, 1, 0)\t15.75\t"), HasSubstr("\nHH\t")));
  std::ifstream json_stream(json);
  const auto report = nlohmann::json::parse(json_stream);
  EXPECT_EQ(report["topology"], "3x2x4 dragonfly");
  std::int64_t blue = 0, host = 0;
  for (const auto& router : report["samples"][0]["geminis"]) {
    for (const auto& link : router["links"]) {
      const std::string direction = link["direction"];
      const std::int64_t packets = link["vc0_packets"].get<std::int64_t>();
      if (direction.starts_with("blue")) blue += packets;
      if (direction == "HH") host += packets;
    }
  }
  EXPECT_GT(host, 0);
  EXPECT_EQ(blue, host) << "every request crosses one blue link";
  const CommandResult map = run_command(tool("link_map") + " " + json);
  EXPECT_EQ(map.code, 2);
  EXPECT_THAT(lines_of(map.errors),
              ElementsAre(HasSubstr("link_map draws the links of a torus only")));
}

}  // namespace
