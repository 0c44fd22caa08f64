// sonar, and aprun --counters: what a transfer is on the wire, to the unit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/benchmarks/program_runs.h"
#include "tests/support/test_folder.h"

namespace benchmarks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* header =
    "operation,content,msgsize,x,y,z,link,vc0_phits,vc1_phits,vc0_packets,vc1_packets,inq_stalls,"
    "outq_stalls";

/// interconnect.txt of a torus, and files that runs write.
class Sonar : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_ / name; }
  static std::string text_of(const std::string& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  std::string map(const std::string& system) const {
    const std::string name = file("interconnect.txt");
    const Outcome outcome = run_command(std::string(CASTOR_BIN_DIR "/rtr --system ") + system +
                                        " --interconnect >" + name);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return name;
  }

 private:
  castor_test::TestFolder folder_;
};

/// Each row without its first two columns and stalls, as "size x,y,z LINK phits phits packets
/// packets".
std::vector<std::string> links_of(const Outcome& outcome) {
  std::vector<std::string> links;
  for (const auto& row : rows_of(outcome, header)) {
    links.push_back(row[2] + " " + row[3] + "," + row[4] + "," + row[5] + " " + row[6] + " " +
                    row[7] + " " + row[8] + " " + row[9] + " " + row[10]);
    EXPECT_EQ(row[11] + row[12], "00");
  }
  return links;
}

TEST_F(Sonar, PutAndGetOfAMegabyteAreS0sPhits) {
  const std::string torus = "--system 3x2x2 -n 12 -N 1 -L 0,2,4,6,8,10,12,14,16,18,20,22";
  const std::string program = "sonar --csv --to 7 --map " + map("3x2x2");  // (1,1,1)
  EXPECT_THAT(links_of(aprun(torus, program)),
              ElementsAre("1048576 0,0,0 Z- 0 49152 0 16384", "1048576 0,0,0 HH 524288 0 16384 0",
                          "1048576 0,0,1 Y- 0 49152 0 16384", "1048576 0,1,1 X+ 0 49152 0 16384",
                          "1048576 1,0,0 X- 524288 0 16384 0", "1048576 1,1,0 Y- 524288 0 16384 0",
                          "1048576 1,1,1 Z- 524288 0 16384 0", "1048576 1,1,1 HH 0 49152 0 16384"));
  EXPECT_THAT(links_of(aprun(torus, program + " -o get -s 100")),
              ElementsAre("100 0,0,0 Z- 0 44 0 2", "100 0,0,0 HH 16 0 2 0", "100 0,0,1 Y- 0 44 0 2",
                          "100 0,1,1 X+ 0 44 0 2", "100 1,0,0 X- 16 0 2 0", "100 1,1,0 Y- 16 0 2 0",
                          "100 1,1,1 Z- 16 0 2 0", "100 1,1,1 HH 0 44 0 2"));
}

TEST_F(Sonar, CompressionIsASwitch) {
  const std::string pair = "--system 2x1x1 -n 2 -N 1 -L 0,2";
  const std::string program = "sonar --csv --content zero --sizes 64K --map " + map("2x1x1");
  EXPECT_THAT(links_of(aprun(pair, program)), testing::Contains("65536 0,0,0 HH 32768 0 1024 0"));
  EXPECT_THAT(links_of(aprun(pair + " -e CASTOR_COMPRESSION=runs", program)),
              testing::Contains("65536 0,0,0 HH 11264 0 1024 0"));
}

TEST_F(Sonar, TheTwoNodesOfAGeminiUseNoTile) {
  const std::string program = "sonar --csv --map " + map("2x1x1");
  EXPECT_THAT(links_of(aprun("--system 2x1x1 -n 2 -N 1 -L 0,1", program)), ElementsAre());
}

TEST_F(Sonar, RefusesAMapThatIsNotThere) {
  const Outcome outcome = aprun("-n 2 -N 1", "sonar --map /nonexistent/map");
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("sonar: /nonexistent/map: No such file or directory\n"));
  expect_refusal(aprun("-n 2 -N 1", "sonar --to 2"),
                 "sonar: --from and --to must be two of the job's ranks");
}

TEST_F(Sonar, RefusesADragonfly) {
  const Outcome outcome = aprun("--system edison -n 2 -N 1", "sonar --map " + map("edison"));
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.err,
              HasSubstr("sonar: the job's system is a dragonfly: allowed is a torus\n"));
}

TEST_F(Sonar, CountingChangesNoTime) {
  const std::string pair = "--system 2x1x1 -n 2 -N 1 -L 0,2";
  const auto last_line = [](const Outcome& outcome) { return lines_of(outcome.err).back(); };
  const Outcome off = aprun(pair, "mpi_latency --sizes 1K,64K");
  const Outcome on = aprun(pair + " -e CASTOR_COUNTERS=on", "mpi_latency --sizes 1K,64K");
  EXPECT_THAT(last_line(off), HasSubstr("fingerprint"));
  EXPECT_EQ(last_line(off), last_line(on));
}

// aprun --counters.

TEST_F(Sonar, AprunWritesFigureFour) {
  const std::string text = file("run.txt");
  const Outcome outcome =
      aprun("--system 2x1x2 -n 2 -N 1 -L 0,4 --counters " + text, "mpi_latency --sizes 4 -i 1");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(text_of(text));
  ASSERT_EQ(lines.size(), 14U) << text_of(text);
  EXPECT_EQ(lines[0], "#\tDEST_COORD");
  EXPECT_EQ(
      lines[1],
      "#\tSRC_COORD\tGB/s\tVC0_PHITS\tVC1_PHITS\tVC0_PKTS\tVC1_PKTS\tINQ_STALLS\tOUTQ_STALLS");
  EXPECT_EQ(lines[2], "\t(0, 0, 0)");
  EXPECT_THAT(lines[3], StartsWith("X+\t(1, 0, 0)\t9.38\t"));
  EXPECT_EQ(lines[5], "Z+\t(0, 0, 1)\t15.00\t0\t0\t0\t0\t0\t0");
  EXPECT_EQ(lines[6], "Z-\t(0, 0, 1)\t9.38\t0\t0\t0\t0\t0\t0");
  EXPECT_THAT(lines[7], StartsWith("HH\t(0, 0, 0)\t10.40\t"));
  EXPECT_EQ(lines[8], "\t(1, 0, 0)");
  // A ring of two: nothing of these two comes by the other way round.
  EXPECT_THAT(lines[4], StartsWith("X-\t(1, 0, 0)\t9.38\t"));
}

TEST_F(Sonar, IntervalsAddUpToTheWholeRun) {
  const std::string whole = file("whole.json"), parts = file("parts.json");
  const std::string run = "--system 3x2x2 -n 8 -N 2 -L 0,3,8,17 --counters ";
  ASSERT_EQ(aprun(run + whole, "mpi_bandwidth --sizes 32K").code, 0);
  ASSERT_EQ(aprun(run + parts + " --counters-every 40us", "mpi_bandwidth --sizes 32K").code, 0);
  const auto in_all = [](const nlohmann::json& report) {
    std::map<std::string, std::uint64_t> sums;
    double last = 0;
    for (const auto& sample : report["samples"]) {
      EXPECT_GE(sample["from"], last);
      EXPECT_GT(sample["to"], sample["from"]);
      last = sample["to"];
      for (const auto& gemini : sample["geminis"]) {
        for (const auto& link : gemini["links"]) {
          for (const char* name : {"vc0_phits", "vc1_phits", "vc0_packets", "vc1_packets"}) {
            const std::uint64_t counted = link[name];
            sums[gemini["coordinates"].dump() + std::string(link["direction"]) + name] += counted;
          }
        }
      }
    }
    return sums;
  };
  const auto one = nlohmann::json::parse(text_of(whole));
  const auto many = nlohmann::json::parse(text_of(parts));
  EXPECT_EQ(one["format"], "castor counters 1");
  EXPECT_EQ(one["topology"], "3x2x2 torus");
  EXPECT_EQ(one["samples"].size(), 1U);
  EXPECT_GT(many["samples"].size(), 10U);
  EXPECT_EQ(in_all(one), in_all(many));
  EXPECT_LE(many["samples"].back()["to"], one["samples"][0]["to"]);
}

TEST_F(Sonar, AprunRefusesWhatItCannotWrite) {
  const Outcome nowhere = aprun("-n 1 --counters /nonexistent/file", "mpi_latency");
  EXPECT_NE(nowhere.code, 0);
  EXPECT_EQ(nowhere.err, "aprun: --counters /nonexistent/file: No such file or directory\n");
  expect_refusal(aprun("-n 1 -e CASTOR_COUNTERS=off --counters " + file("run.txt"), "mpi_latency"),
                 "aprun: --counters: CASTOR_COUNTERS is off; it must be auto or on");
  expect_refusal(aprun("-n 1 --clock live --counters " + file("run.txt"), "mpi_latency"),
                 "aprun: --counters: live, Geminis do not count; leave it out");
}

}  // namespace
}  // namespace benchmarks
