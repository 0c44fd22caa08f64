// A modelled run has one result, however far the engine takes a domain at a time, and wherever the
// host puts memory: output, messages, exit code, virtual time, fingerprint, files.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/aprun_command.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::sample;
using launch_test::tool;

struct Job {
  std::string name;
  std::string options;
  std::string program;
};
void PrintTo(const Job& job, std::ostream* out) { *out << job.options << " " << job.program; }

/// Progress threads.
const std::string threads = "-e MPICH_MAX_THREAD_SAFETY=multiple -e MPICH_NEMESIS_ASYNC_PROGRESS=";
const std::string modelled = "--compute modelled ";

const std::vector<Job> jobs = {
    {"Transpose", "-n 32 -N 4 ", tool("transpose")},
    {"FockMatrix", "-n 8 -N 2 ", tool("dft_scf") + " -i 1"},
    {"Allreduce", "-n 256 -N 4 ", tool("allreduce_scale") + " -i 3"},
    {"Halo", "-n 256 -N 4 ", tool("halo_scale") + " -i 3"},
    {"HaloOnADragonfly", "--system edison -n 256 -N 4 ", tool("halo_scale") + " -i 3"},
    {"Collectives", "-n 48 -N 12 ", tool("collective_scale") + " -c alltoall -m 4096 -i 2"},
    {"Overhead", "-n 2 -N 1 ", tool("smb_overhead") + " --sizes 8,1K,16K,1M"},
    {"OverheadOfPhaseOne", "-n 2 -N 1 -r 1 " + threads + "SC ",
     tool("smb_overhead") + " --sizes 8,1K,16K,1M"},
    {"OverheadOfPhaseTwo", "-n 2 -N 1 -r 1 " + threads + "MC ",
     tool("smb_overhead") + " --sizes 8,1K,16K,1M"},
    {"Noise", "-n 16 -N 8 -e CASTOR_NOISE=1 " + threads + "SC ", tool("halo_scale") + " -i 20"},
    {"MilcWithThreads", "-n 32 -N 8 " + threads + "SC ",
     tool("milc") + " -i 2 --space 16 --time 32"},
    {"S3d", "-n 4 -N 2 -d 2 " + threads + "MC ", tool("s3d") + " -t 2 --points 16"},
    {"MiniGhost", "-n 32 -N 16 ", tool("minighost") + " --size 20x20x20"},
    {"ArmciHelper", "-n 8 -N 2 ", tool("armci_perf") + " -i 2 --sizes 1K,64K"},
    {"ArmciOverhead", "-n 2 -N 1 -e CASTOR_ARMCI_CHT_WAIT=blocked ",
     tool("armci_overhead") + " --sizes 8,16K -i 5"},
    {"Ugni", "-n 4 -N 1 ", tool("ugni_perf") + " --sizes 8,64K -i 4"},
    {"GaTranspose", "-n 16 -N 4 ", tool("ga_transpose") + " -s 400"},
    {"Mpi", "-n 16 -N 4 " + modelled, sample("mpi_job")},
    {"MpiWithThreads", "-n 16 -N 4 " + modelled + threads + "SC ", sample("mpi_job")},
    {"MpiCxx", "-n 16 -N 4 " + modelled, sample("mpi_job_cxx")},
    {"CollectiveEngine", "-n 6 -N 2 -e CASTOR_NIC=aries " + modelled, sample("collective_engine")},
    {"MessageQueues", "-n 4 -N 2 " + modelled, sample("message_queues")},
    {"OpenMp", "-n 4 -N 2 -d 4 " + modelled, sample("openmp")},
};

class OneResult : public testing::TestWithParam<Job> {
 protected:
  /// All that a run gives.
  CommandResult run(const std::string& more = "", const std::string& variables = "") {
    return aprun(GetParam().options + more + GetParam().program, variables);
  }
  void expect_the_same(const CommandResult& first, const CommandResult& other,
                       const std::string& where) {
    EXPECT_EQ(other.code, first.code) << where;
    EXPECT_EQ(other.output, first.output) << where;
    EXPECT_EQ(other.errors, first.errors) << where;
  }
};
INSTANTIATE_TEST_SUITE_P(, OneResult, testing::ValuesIn(jobs),
                         [](const auto& info) { return info.param.name; });

TEST_P(OneResult, WhateverTheLengthOfTurns) {
  const CommandResult first = run();
  EXPECT_EQ(first.code, 0) << first.errors;
  for (const std::string turn : {"559", "100", "20"}) {
    expect_the_same(first, run("-e CASTOR_LONGEST_TURN=" + turn + " "), turn + " ns");
  }
}

TEST_P(OneResult, WhereverTheHostPutsMemory) {
  const CommandResult first = run();
  // Another malloc of the host's, another environment, addresses that are not drawn.
  expect_the_same(first, run("", "GLIBC_TUNABLES=glibc.malloc.tcache_count=0"), "malloc");
  expect_the_same(first, run("", "LESSENED=" + std::string(20000, 'x')), "environment");
}

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What a run writes into files. The profile says how it was started: that is taken out.
TEST(OneResultOf, Files) {
  const castor_test::TestFolder folder;
  const std::vector<std::string> names = {"counters.txt", "profile.json", "timeline.json",
                                          "paths.json"};
  std::vector<std::string> first;
  for (const std::string turn : {"559", "100", "200"}) {
    const CommandResult result =
        aprun("-q -n 16 -N 4 -e CASTOR_LONGEST_TURN=" + turn + " " + threads + "SC --counters " +
              (folder / names[0]) + " --profile " + (folder / names[1]) + " --timeline " +
              (folder / names[2]) + " --telemetry 3 --telemetry-file " + (folder / names[3]) + " " +
              tool("halo_scale") + " -i 5");
    ASSERT_EQ(result.code, 0) << result.errors;
    std::vector<std::string> found;
    for (const std::string& name : names) {
      std::string text = text_of(folder / name);
      EXPECT_NE(text, "") << name;
      for (std::size_t at = 0; (at = text.find(turn, at)) != std::string::npos; ++at) {
        if (text.compare(at - 1, 1, "\"") == 0 || text.compare(at - 1, 1, "=") == 0)
          text.replace(at, turn.size(), "T");
      }
      found.push_back(text);
    }
    if (first.empty()) first = found;
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_TRUE(found[i] == first[i]) << names[i] << " with turns of " << turn << " ns";
    }
  }
}

}  // namespace
