// A modelled run has one result, however far the engine takes a domain at a time, wherever the host
// puts memory, and however many workers run it: output, messages, exit code, virtual time,
// fingerprint, files.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/aprun_command.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::lines_of;
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
    {"Gpcd", 6, 1, modelled, sample("figure1_job")},
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

// What a message costs depends on its pages, if the NIC reads them itself: also where a library
// sends them for itself.
TEST(OneResultOfLibraries, WhateverTheLengthOfTheEnvironment) {
  const std::string job = "-n 6 -N 2 -e MPICH_GNI_MAX_EAGER_MSG_SIZE=0 " + tool("fault_workload") +
                          " --seed 1497 --rounds 4 --parts ";
  for (const std::string& parts : std::vector<std::string>{"armci", "mpi,windows,dmapp"}) {
    const CommandResult first = aprun(job + parts);
    EXPECT_EQ(first.code, 0) << first.errors;
    for (std::size_t length = 8; length < 200; length += 8) {
      const CommandResult other = aprun(job + parts, "LESSENED=" + std::string(length, 'x'));
      EXPECT_EQ(other.errors, first.errors) << parts << length;
    }
  }
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

/// Two network namespaces, a worker in each, which Open MPI's mpirun has started. That one warns
/// now and then of a race of its own with its child.
CommandResult on_two_hosts(const std::string& arguments) {
  CommandResult result = run_command(std::string(HOSTS) + " 2 1 " + BIN "/aprun " + arguments);
  std::string errors;
  for (const std::string& line : lines_of(result.errors)) {
    if (line.find("plm:rsh: Warning: setpgid") == std::string::npos) errors += line + "\n";
  }
  result.errors = errors;
  return result;
}

TEST_P(OneResult, WhateverTheNumberOfHosts) {
  const Job& job = GetParam();
  if (job.has_many_rounds) GTEST_SKIP() << "on a busy host hosts wait for minutes";
  const std::string& program = job.short_program.empty() ? job.program : job.short_program;
  const std::string arguments =
      job.size() + job.options + in_blocks_of_their_own(job) + " " + program;
  const CommandResult other = on_two_hosts("--workers 1 " + arguments);
  constexpr int skipped = 77;
  if (other.code == skipped) GTEST_SKIP() << other.errors;
  expect_the_same(aprun(arguments), other, "2 hosts");
}

// ---- What a run writes into files

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string with(std::string text, const std::string& what, const std::string& instead) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += instead.size()) {
    text.replace(at, what.size(), instead);
  }
  return text;
}

/// A run says in its files how it was made: what the compared ones differ in is taken out.
std::string without_differences(std::string text) {
  for (const std::string name : {"CASTOR_LONGEST_TURN", "CASTOR_WORKERS"}) {
    const std::size_t at = text.find(R"({"name":")" + name);
    if (at == std::string::npos) continue;
    const std::size_t end = text.find('}', at) + 1;
    text.erase(at, end - at + (text.compare(end, 1, ",") == 0 ? 1 : 0));
  }
  return with(text, ",]", "]");
}

struct Files {
  std::string name;
  std::string options;             ///< FILE stands for the folder's path and a slash
  std::vector<std::string> files;  ///< in that folder
  bool costs_time = false;         ///< of the job's, which is another one then
};
void PrintTo(const Files& files, std::ostream* out) { *out << files.options; }

const std::vector<Files> kinds_of_files = {
    {"Counters", "--counters FILEtext --counters FILEall.json", {"text", "all.json"}},
    {"CountersByTime",
     "--counters FILEtext --counters FILEall.json --counters-every 10us",
     {"text", "all.json"}},
    {"Profile", "--profile FILEprofile.json", {"profile.json"}},
    {"Timeline", "--timeline FILEtimeline.json", {"timeline.json"}},
    {"AWindow",
     "--timeline FILEtimeline.json --timeline-from 50us --timeline-to 120us --timeline-ranks 0,1",
     {"timeline.json"}},
    {"Archive", "--timeline FILErun.otf2", {"run.def", "run/0.evt", "run/1.evt", "run/5.evt"}},
    {"EverythingOnAPage",
     "--report FILEpage.html --telemetry 3 --telemetry-file FILEpaths.json --counters FILEtext",
     {"page.html", "paths.json", "text"},
     true},
    {"TelemetryAsText", "--telemetry all --telemetry-file FILEpaths.csv", {"paths.csv"}, true},
};

/// Nodes of eleven blocks, in which routers of other parts lie between those of a part.
const std::string far_apart = "-L 0,1,9,32,48,49,50,100,1000,2000,2001,3000,3001,4000,5001,6000 ";
struct JobWithFiles {
  std::string words;
  int code = 0;
};
const std::vector<JobWithFiles> jobs_with_files = {
    {"-n 16 -N 1 " + far_apart + tool("halo_scale") + " -i 3"},
    {"-n 32 -N 2 -r 1 " + threads + "SC " + far_apart + tool("halo_scale") + " -i 2"},
    {"-n 12 -N 1 -e CASTOR_NOISE=1 --system edison "
     "-L 0,1,8,50,51,99,1000,1001,2000,3000,4000,5000 " +
     tool("collective_scale") + " -c alltoall -m 9000 -i 1"},
    {"-n 2 -N 1 -e CASTOR_ARMCI_CHT_WAIT=blocked -L 0,8 " + tool("armci_overhead") +
     " --sizes 8,16K -i 1"},
    // Ends while routers have something to do.
    {"-t 1ms -n 6 -N 1 -L 0,8,16,1000,3000,5000 " + tool("halo_scale") + " -i 200", 152},
    {"-n 6 -N 1 -L 0,8,16,1000,3000,5000 --compute modelled " + sample("turns") + " aborts", 11},
};

class OneResultOf : public testing::TestWithParam<Files> {
 protected:
  struct Result {
    CommandResult run;
    std::vector<std::string> texts;
  };
  Result run(const std::string& job, const std::string& variables) {
    return run_by([&](const std::string& arguments) { return aprun(arguments, variables); }, job);
  }
  using Run = std::function<CommandResult(const std::string& arguments)>;
  static Result run_by(const Run& launcher, const std::string& job) {
    const castor_test::TestFolder folder;
    const std::string path = folder / "";
    Result result{launcher(with(GetParam().options, "FILE", path) + " " + job), {}};
    for (std::string* const said : {&result.run.output, &result.run.errors}) {
      *said = with(*said, path, "FILE");
    }
    for (const std::string& name : GetParam().files) {
      result.texts.push_back(without_differences(with(text_of(path + name), path, "FILE")));
    }
    return result;
  }
  static void expect_the_same(const Result& first, const Result& other, const std::string& how) {
    EXPECT_EQ(other.run.code, first.run.code) << how;
    EXPECT_EQ(other.run.output, first.run.output) << how;
    EXPECT_EQ(other.run.errors, first.run.errors) << how;
    for (std::size_t i = 0; i < first.texts.size(); ++i) {
      EXPECT_TRUE(other.texts[i] == first.texts[i]) << GetParam().files[i] << ", " << how;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Files, OneResultOf, testing::ValuesIn(kinds_of_files),
                         [](const auto& info) { return info.param.name; });

TEST_P(OneResultOf, WhateverTurnsAndWorkers) {
  for (const auto& [job, code] : jobs_with_files) {
    const Result first = run(job, "");
    EXPECT_EQ(first.run.code, code) << first.run.errors;
    if (!GetParam().costs_time) {
      EXPECT_EQ(lines_of(first.run.errors).back(), lines_of(aprun(job).errors).back())
          << "with files and without";
    }
    for (const std::string& text : first.texts) EXPECT_NE(text, "");
    for (const std::string how : {"CASTOR_LONGEST_TURN=100", "CASTOR_WORKERS=2", "CASTOR_WORKERS=3",
                                  "CASTOR_WORKERS=3 CASTOR_LONGEST_TURN=100"}) {
      expect_the_same(first, run(job, how), how + " of " + job);
    }
  }
}

TEST_P(OneResultOf, WhateverTheNumberOfHosts) {
  const std::string job = "--workers 2 " + jobs_with_files.front().words;
  const Result other = run_by(on_two_hosts, job);
  constexpr int skipped = 77;
  if (other.run.code == skipped) GTEST_SKIP() << other.run.errors;
  expect_the_same(run(job, ""), other, "2 hosts");
}

}  // namespace
