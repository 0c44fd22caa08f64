// A modelled run has one result, however far the engine takes a domain at a time, wherever the host
// puts memory, and however many workers run it: output, messages, exit code, virtual time,
// fingerprint, files.
#include <gtest/gtest.h>

#include <algorithm>
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
using launch_test::run_command;
using launch_test::sample;
using launch_test::tool;

struct Job {
  std::string name;
  int ranks;
  int ranks_per_node;
  std::string options;
  std::string program;
  /// For several workers, where that takes long: such parts often have to wait for each other, on a
  /// busy host for milliseconds. Empty: the same.
  std::string short_program = "";
  int most_workers = 4;
  /// Thousands of rounds, for each of which hosts wait for a network.
  bool has_many_rounds = false;

  int nodes() const { return (ranks + ranks_per_node - 1) / ranks_per_node; }
  std::string size() const {
    return "-n " + std::to_string(ranks) + " -N " + std::to_string(ranks_per_node) + " ";
  }
};
void PrintTo(const Job& job, std::ostream* out) {
  *out << job.size() << job.options << " " << job.program;
}

/// Progress threads.
const std::string threads = "-e MPICH_MAX_THREAD_SAFETY=multiple -e MPICH_NEMESIS_ASYNC_PROGRESS=";
const std::string modelled = "--compute modelled ";

const std::string overhead = tool("smb_overhead") + " --sizes 8,1K,16K,1M";
const std::string short_overhead = tool("smb_overhead") + " --sizes 8,1K,16K,256K -i 2";

const std::vector<Job> jobs = {
    {"Transpose", 32, 4, "", tool("transpose"), tool("transpose") + " -s 800"},
    {"FockMatrix", 8, 2, "", tool("dft_scf") + " -i 1",
     tool("dft_scf") + " -i 1 --task-us 30 --point-us 20 --update-us 50", 2, true},
    {"Allreduce", 256, 4, "", tool("allreduce_scale") + " -i 3"},
    {"Halo", 256, 4, "", tool("halo_scale") + " -i 3"},
    {"HaloOnADragonfly", 256, 4, "--system edison ", tool("halo_scale") + " -i 3"},
    {"Collectives", 48, 12, "", tool("collective_scale") + " -c alltoall -m 4096 -i 2"},
    {"Overhead", 2, 1, "", overhead, short_overhead},
    {"OverheadOfPhaseOne", 2, 1, "-r 1 " + threads + "SC ", overhead, short_overhead},
    {"OverheadOfPhaseTwo", 2, 1, "-r 1 " + threads + "MC ", overhead, short_overhead},
    {"Noise", 16, 8, "-e CASTOR_NOISE=1 " + threads + "SC ", tool("halo_scale") + " -i 20"},
    {"MilcWithThreads", 32, 8, threads + "SC ", tool("milc") + " -i 2 --space 16 --time 32"},
    {"S3d", 4, 2, "-d 2 " + threads + "MC ", tool("s3d") + " -t 2 --points 16",
     tool("s3d") + " -t 1 --points 8"},
    {"MiniGhost", 32, 16, "", tool("minighost") + " --size 20x20x20"},
    {"ArmciHelper", 8, 2, "", tool("armci_perf") + " -i 2 --sizes 1K,64K",
     tool("armci_perf") + " -i 1 --sizes 1K,16K", 4, true},
    {"ArmciOverhead", 2, 1, "-e CASTOR_ARMCI_CHT_WAIT=blocked ",
     tool("armci_overhead") + " --sizes 8,16K -i 5", tool("armci_overhead") + " --sizes 8,16K -i 1",
     4, true},
    {"Ugni", 4, 1, "", tool("ugni_perf") + " --sizes 8,64K -i 4"},
#ifdef CASTOR_GLOBAL_ARRAYS
    {"GaTranspose", 16, 4, "", tool("ga_transpose") + " -s 400", tool("ga_transpose") + " -s 100"},
#endif
    {"Mpi", 16, 4, modelled, sample("mpi_job")},
    {"MpiWithThreads", 16, 4, modelled + threads + "SC ", sample("mpi_job")},
    {"MpiCxx", 16, 4, modelled, sample("mpi_job_cxx")},
    {"CollectiveEngine", 6, 2, "-e CASTOR_NIC=aries " + modelled, sample("collective_engine")},
    {"MessageQueues", 4, 2, modelled, sample("message_queues")},
    {"OpenMp", 4, 2, "-d 4 " + modelled, sample("openmp")},
};

/// Parts consist of blocks of eight nodes: the job gets a node of each.
std::string in_blocks_of_their_own(const Job& job) {
  std::string nodes;
  for (int node = 0; node < job.nodes(); ++node) {
    nodes += (node == 0 ? "-L " : ",") + std::to_string(8 * node);
  }
  return nodes + " ";
}

class OneResult : public testing::TestWithParam<Job> {
 protected:
  /// All that a run gives.
  CommandResult run(const std::string& more = "", const std::string& variables = "") {
    const Job& job = GetParam();
    return aprun(job.size() + job.options + more + job.program, variables);
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

TEST_P(OneResult, WhateverTheNumberOfWorkers) {
  const Job& job = GetParam();
  const std::string& program = job.short_program.empty() ? job.program : job.short_program;
  const std::string spread = job.size() + job.options + in_blocks_of_their_own(job);
  const auto run_by = [&](int workers, const std::string& more = "") {
    return aprun(spread + more + "-e CASTOR_WORKERS=" + std::to_string(workers) + " " + program);
  };
  const CommandResult first = run_by(1);
  EXPECT_EQ(first.code, 0) << first.errors;
  for (int workers = 2; workers <= std::min(job.most_workers, job.nodes()); ++workers) {
    expect_the_same(first, run_by(workers), std::to_string(workers) + " workers");
  }
  if (job.most_workers == 2) return;
  expect_the_same(first, run_by(2, "-e CASTOR_LONGEST_TURN=100 "), "2 workers, turns of 100 ns");
}

/// Two network namespaces, a worker in each, which Open MPI's mpirun has started.
TEST_P(OneResult, WhateverTheNumberOfHosts) {
  const Job& job = GetParam();
  if (job.has_many_rounds) GTEST_SKIP() << "on a busy host hosts wait for minutes";
  const std::string& program = job.short_program.empty() ? job.program : job.short_program;
  const std::string arguments =
      job.size() + job.options + in_blocks_of_their_own(job) + " " + program;
  const CommandResult other =
      run_command(std::string(HOSTS) + " 2 1 " + BIN "/aprun --workers 1 " + arguments);
  constexpr int skipped = 77;
  if (other.code == skipped) GTEST_SKIP() << other.errors;
  expect_the_same(aprun(arguments), other, "2 hosts");
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
