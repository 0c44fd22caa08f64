// Jobs in fidelity packet: what they print, what they count, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/aprun_command.h"
#include "tests/support/test_folder.h"

namespace {

using castor_test::TestFolder;
using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::fingerprint;
using launch_test::lines_of;
using launch_test::sample;
using launch_test::tool;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(PacketJobs, RepeatWhateverTheTurns) {
  for (const char* system : {"hopper", "edison"}) {
    const std::string job = "--fidelity packet --system " + std::string(system) + " -n 64 -N 4 " +
                            tool("halo_scale") + " -i 3";
    const CommandResult first = aprun(job);
    EXPECT_EQ(first.code, 0) << first.errors;
    EXPECT_EQ(fingerprint(first).size(), 16U) << first.errors;
    for (const char* variables : {"CASTOR_LONGEST_TURN=0.2us", "MALLOC_PERTURB_=171", ""}) {
      const CommandResult again = aprun(job, variables);
      EXPECT_EQ(again.output, first.output) << variables;
      EXPECT_EQ(fingerprint(again), fingerprint(first)) << variables;
    }
  }
}

TEST(PacketJobs, GiveTheResultsOfFidelityMessage) {
  for (const char* program : {"mpi_job", "mpi_pieces", "message_queues"}) {
    const CommandResult message = aprun("-q -n 16 -N 2 " + sample(program));
    const CommandResult packet = aprun("-q --fidelity packet -n 16 -N 2 " + sample(program));
    EXPECT_EQ(message.code, 0) << message.errors;
    EXPECT_EQ(packet.code, 0) << packet.errors;
    auto expected = lines_of(message.output), given = lines_of(packet.output);
    std::sort(expected.begin(), expected.end());
    std::sort(given.begin(), given.end());
    EXPECT_EQ(given, expected) << program;
  }
}

/// Packets and phits of each Gemini's links, and stalls in all.
struct Counted {
  std::map<std::string, std::vector<std::uint64_t>> links;
  std::uint64_t input_stalls = 0, output_stalls = 0;
};

Counted counted(const std::string& options) {
  const TestFolder folder;
  const std::string file = folder / "counters.json";
  const CommandResult run = aprun("-q -n 64 -N 8 --system 4x2x2 --counters " + file + " " +
                                  options + " " + tool("halo_scale") + " -i 2 -m 20000");
  EXPECT_EQ(run.code, 0) << run.errors;
  std::ifstream stream(file);
  const nlohmann::json report = nlohmann::json::parse(stream);
  Counted all;
  for (const auto& gemini : report["samples"][0]["geminis"]) {
    for (const auto& link : gemini["links"]) {
      const std::string name = gemini["coordinates"].dump() + link["direction"].get<std::string>();
      for (const char* what : {"vc0_phits", "vc1_phits", "vc0_packets", "vc1_packets"}) {
        all.links[name].push_back(link[what]);
      }
      all.input_stalls += link["inq_stalls"].get<std::uint64_t>();
      all.output_stalls += link["outq_stalls"].get<std::uint64_t>();
    }
  }
  return all;
}

TEST(PacketJobs, CountWhatFidelityMessageCountsAndStallsBesides) {
  const Counted message = counted("");
  const Counted packet = counted("--fidelity packet");
  EXPECT_FALSE(message.links.empty());
  EXPECT_EQ(packet.links, message.links);
  EXPECT_EQ(message.input_stalls + message.output_stalls, 0U);
  EXPECT_GT(packet.input_stalls, 0U);
  EXPECT_GT(packet.output_stalls, 0U);
}

TEST(PacketJobs, SayWhatTheNetworkIs) {
  const CommandResult run =
      aprun("-v --fidelity packet -n 2 -N 1 " + tool("smb_overhead") + " -m 8 --csv");
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_THAT(run.errors, HasSubstr("fidelity packet, dimension-order routing"));
  EXPECT_THAT(lines_of(run.errors),
              Contains("castor: network: buffers of 256 phits in, 128 out, 2048 at a NIC; tiles as "
                       "delivery modes say"));
  const CommandResult counts = aprun("-n 2 -N 1 " + tool("smb_overhead") + " -m 8 --csv",
                                     "CASTOR_FIDELITY=packet CASTOR_COUNTERS=on");
  EXPECT_THAT(lines_of(counts.errors), Contains("castor: Geminis count"));
}

TEST(PacketJobs, AreRefusedInOneLineWhereTheyMakeNoSense) {
  const std::string program = tool("smb_overhead");
  const auto refusal = [&](const std::string& options, const std::string& variables) {
    const CommandResult run = aprun(options + " -n 2 -N 1 " + program, variables);
    EXPECT_NE(run.code, 0) << options << variables;
    return lines_of(run.errors);
  };
  EXPECT_THAT(refusal("--fidelity phit", ""),
              Contains(HasSubstr("CASTOR_FIDELITY=phit: allowed is one of message|packet")));
  EXPECT_THAT(refusal("", "CASTOR_FIDELITY=phit"),
              Contains(HasSubstr("CASTOR_FIDELITY=phit: allowed is one of message|packet")));
  EXPECT_THAT(refusal("--fidelity packet --clock live", ""),
              Contains(HasSubstr("--fidelity: live, messages take the host's network")));
  EXPECT_THAT(
      refusal("--fidelity packet --telemetry all", ""),
      Contains(HasSubstr("CASTOR_TELEMETRY: components write records in fidelity message")));
  EXPECT_THAT(refusal("--fidelity packet", "CASTOR_PACKET_PAYLOAD=1024"),
              Contains(HasSubstr("CASTOR_TILE_INPUT_PHITS: a buffer of 256 phits does not hold the "
                                 "largest packet, 352 phits")));
  EXPECT_THAT(refusal("--fidelity packet", "CASTOR_NIC_TO_ROUTER_LATENCY=30"),
              Contains(HasSubstr("CASTOR_NIC_TO_ROUTER_LATENCY: 30 ns; fidelity packet needs more "
                                 "than half of")));
}

/// What -v says of the longest queue in fidelity message.
std::string backlog_line(const std::string& job) {
  const CommandResult run = aprun("-v " + job);
  EXPECT_EQ(run.code, 0) << run.errors;
  for (const std::string& line : lines_of(run.errors)) {
    if (line.find("good to 2 %") != std::string::npos) return line;
  }
  return {};
}

TEST(Backlog, SaysWhetherFidelityMessageIsGoodForTheRun) {
  const std::string pair = "-n 2 -N 1 -L 0,2 " + tool("smb_overhead");
  EXPECT_THAT(backlog_line(pair + " -m 2K"),
              testing::EndsWith(": fidelity message is good to 2 %"));
  const std::string job = "-n 64 -N 4 " + tool("halo_scale") + " -i 1 -m 8K";
  const std::string line = backlog_line(job);
  EXPECT_THAT(line, HasSubstr("fidelity message is not known to be good to 2 % ("));
  EXPECT_EQ(backlog_line("--workers 2 " + job), line);
  EXPECT_EQ(backlog_line("--fidelity packet " + job), "");
}

TEST(PacketJobs, RunWithOneWorker) {
  const CommandResult run =
      aprun("--fidelity packet --workers 2 -n 64 -N 1 " + tool("halo_scale") + " -i 1");
  EXPECT_EQ(run.code, 0) << run.errors;
  EXPECT_THAT(run.errors, HasSubstr("fidelity packet runs in one"));
}

}  // namespace
