// Jobs of workers on several hosts: how they end and what they say, beside the same job by one
// worker. The hosts are network namespaces, and Open MPI's mpirun starts aprun on each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <regex>
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
using launch_test::without_places;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing::UnorderedElementsAre;

/// Six ranks, each on a node of another block: of two hosts with two workers each the first host's
/// workers have ranks 0 and 1, and 2; the second host's 3 and 4, and 5.
const std::string spread = "-n 6 -N 1 -L 0,8,16,24,32,40 ";

constexpr int skipped = 77;

/// What mpirun says of processes that have failed, between lines of dashes.
std::string without_launchers_words(const std::string& text) {
  std::string own;
  bool is_own = true;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("-----")) {
      is_own = !is_own;
    } else if (is_own && !line.empty()) {
      own += line + "\n";
    }
  }
  return own;
}

/// `meanwhile`: what bash does in the meantime. $first, ${workers[@]}: the processes of each host's
/// first worker, and of the second host's other ones.
CommandResult on_hosts(int hosts, const std::string& arguments, const std::string& meanwhile = "") {
  std::string variables;
  if (!meanwhile.empty()) {
    variables =
        "HOSTS_MEANWHILE='is_aprun() { [ \"$(cat /proc/$1/comm 2>/dev/null)\" = aprun ]; }; "
        "find_workers() { first=(); workers=(); for host in 1 2; do "
        "for each in $(ip netns pids $tag-$host); do is_aprun $each || continue; "
        "if is_aprun $(ps -o ppid= -p $each); then workers+=($each); else first+=($each); fi; "
        "done; done; }; tag=$1; " +
        meanwhile + "' ";
  }
  // hosts.sh ends a job that hangs before run_command() ends hosts.sh, which then cleans up.
  CommandResult result =
      run_command("env HOSTS_PATIENCE=50 " + variables + HOSTS + " " + std::to_string(hosts) +
                  " 1 " + tool("aprun") + " " + arguments);
  if (result.code != skipped) result.errors = without_launchers_words(result.errors);
  return result;
}

#define SKIP_WITHOUT_HOSTS(result) \
  if ((result).code == skipped) GTEST_SKIP() << (result).errors

// ---- A rank that goes wrong

/// For each rank mpirun takes seconds to end the second host's processes.
struct Way {
  std::string name;  ///< of the program bad_rank
  std::vector<std::string> ranks{"3"};
  std::string options = "";
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name << " " << way.options; }

class ABadRank : public testing::TestWithParam<Way> {};

INSTANTIATE_TEST_SUITE_P(OnAHost, ABadRank,
                         testing::Values(Way{"not"}, Way{"abort"}, Way{"leave"}, Way{"status"},
                                         Way{"store", {"3", "5"}}, Way{"abort_c"},
                                         Way{"terminate", {"5"}}, Way{"work", {"5"}, "-t 5ms "},
                                         Way{"receive", {"0", "5"}}),
                         [](const auto& info) { return info.param.name; });

TEST_P(ABadRank, EndsTheJobAsOnOneHost) {
  if (GetParam().name == "store" && SANITIZED != 0) GTEST_SKIP() << "the sanitizer reports faults";
  for (const std::string& rank : GetParam().ranks) {
    const std::string job =
        spread + GetParam().options + sample("bad_rank") + " " + GetParam().name + " " + rank;
    const CommandResult first = aprun(job, "--default-signal");
    const CommandResult other = on_hosts(2, "--workers 2 " + job);
    SKIP_WITHOUT_HOSTS(other);
    EXPECT_EQ(other.code, first.code) << "rank " << rank;
    EXPECT_EQ(other.output, first.output) << "rank " << rank;
    EXPECT_EQ(other.errors, first.errors) << "rank " << rank;
  }
}

// ---- From outside

/// A rank of either host goes on.
class FromOutside : public testing::TestWithParam<std::string> {
 protected:
  /// The job goes on until the file is there, or a limit ends it; `then` is done when the rank is
  /// there.
  CommandResult run(const std::string& way, const std::string& then,
                    const std::string& options = "") {
    const std::string file = folder_ / file_;
    const std::string job = "--workers 2 -q " + spread + options + sample("bad_rank") + " " + way +
                            " " + GetParam() + " " + file;
    return on_hosts(2, job,
                    "file=" + file +
                        "; until [ -e $file.there ]; do sleep 0.05; done; "
                        "find_workers; " +
                        then);
  }
  bool rank_was_there() const { return std::filesystem::exists(folder_ / (file_ + ".there")); }
  void expect_states(const std::string& errors, const std::string& first_line) {
    const std::string bad = GetParam();
    const std::string others = bad == "0"   ? "ranks 1-5"
                               : bad == "3" ? "ranks 0-2, 4, 5"
                                            : "ranks 0-4";
    EXPECT_THAT(
        lines_of(without_places(errors)),
        UnorderedElementsAre(StartsWith(first_line), StartsWith("aprun: rank " + bad + ": "),
                             "aprun: " + others + ": in MPI_Barrier on MPI_COMM_WORLD; rank " +
                                 bad + " has not called it"));
  }
  const std::string file_ = "go_on";
  castor_test::TestFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Rank, FromOutside, testing::Values("0", "5"),
                         [](const auto& info) { return info.param; });

TEST_P(FromOutside, SigquitSaysWhatAllRanksAreDoingAndTheRunGoesOn) {
  const CommandResult result = run("wait", "kill -QUIT ${first[0]}; sleep 2; touch $file;");
  SKIP_WITHOUT_HOSTS(result);
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(lines_of(result.output).back(), "the end");
  expect_states(result.errors, "aprun: SIGQUIT: what the ranks are doing at virtual time ");
}

TEST_P(FromOutside, SigintEndsARunInWhichARankIsBlocked) {
  const CommandResult result = run("block", "kill -INT ${first[0]};");
  SKIP_WITHOUT_HOSTS(result);
  EXPECT_EQ(result.code, 128 + 2);
  expect_states(result.errors, "aprun: SIGINT (Interrupt) has ended the run at virtual time ");
}

/// Rank 3 is with the second host's first worker, which the question comes to over the network.
class WhereARankComputes : public FromOutside {};
INSTANTIATE_TEST_SUITE_P(Rank, WhereARankComputes, testing::Values("0", "3", "5"),
                         [](const auto& info) { return info.param; });

TEST_P(WhereARankComputes, SigquitIsAnsweredAndSigintEndsTheRun) {
  const CommandResult result =
      run("compute", "kill -QUIT ${first[0]}; sleep 4; kill -INT ${first[0]};");
  SKIP_WITHOUT_HOSTS(result);
  EXPECT_EQ(result.code, 128 + 2);
  const std::size_t second = result.errors.find("aprun: SIGINT ");
  ASSERT_NE(second, std::string::npos) << result.errors;
  expect_states(result.errors.substr(0, second),
                "aprun: SIGQUIT: what the ranks are doing at virtual time ");
  expect_states(result.errors.substr(second),
                "aprun: SIGINT (Interrupt) has ended the run at virtual time ");
}

TEST_P(FromOutside, ALimitEndsTheRunWithWhatAllRanksAreDoing) {
  // On a busy host the rank may not be there when the limit has passed: it gets twice the time
  // then.
  std::string limit;
  CommandResult result;
  for (int seconds = 2; !rank_was_there(); seconds *= 2) {
    ASSERT_LE(seconds, 32);
    limit = std::to_string(seconds) + " s";
    result = run("wait", "", "--limit " + std::to_string(seconds) + "s ");
    SKIP_WITHOUT_HOSTS(result);
    ASSERT_EQ(result.code, 124) << result.errors;
  }
  expect_states(result.errors, "aprun: --limit: the run has taken " + limit +
                                   " on this host and has been ended at virtual time ");
}

TEST_P(FromOutside, TheEndOfAWorkerOfAnotherHostIsSaidAndEndsTheRun) {
  const CommandResult result = run("wait", "kill -KILL ${workers[1]};");
  SKIP_WITHOUT_HOSTS(result);
  EXPECT_EQ(result.code, 128 + 9);
  EXPECT_EQ(result.errors, "aprun: worker 3 was ended by SIGKILL (Killed)\n");
}

/// Nothing is left of the job: or this, which waits for all that hosts.sh has begun, would not end.
TEST_P(FromOutside, TheEndOfAHostsFirstWorkerEndsTheRun) {
  const CommandResult result = run("wait", "kill -KILL ${first[1]};");
  SKIP_WITHOUT_HOSTS(result);
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.output, HasSubstr("goes on"));
}

// ---- What hosts must agree on

const std::string well = sample("bad_rank") + " not";

TEST(Hosts, AreMoreThanTwo) {
  const CommandResult first = aprun(spread + well);
  const CommandResult other = on_hosts(3, "--workers 2 " + spread + well);
  SKIP_WITHOUT_HOSTS(other);
  EXPECT_EQ(other.output, first.output);
  EXPECT_EQ(other.errors, first.errors);
}

TEST(Hosts, ThatCannotAllRunAJobAreRefusedWithOneLine) {
  const auto refusal = [](const std::string& why) {
    return "aprun: --workers: the launcher has started 2 processes for this job, and 1 can run "
           "it: " +
           why + "\n";
  };
  const CommandResult small = on_hosts(2, "--workers 1 -n 4 -N 2 " + well);
  SKIP_WITHOUT_HOSTS(small);
  EXPECT_EQ(small.code, 2);
  EXPECT_EQ(small.output, "");
  EXPECT_EQ(small.errors, refusal("the job has 1 block of Geminis"));
  EXPECT_EQ(on_hosts(2, "--workers 1 --compute measured " + spread + well).errors,
            refusal("computing is measured"));
}

TEST(Hosts, SayOnceWhatIsWrong) {
  const CommandResult missing = on_hosts(2, "--workers 1 " + spread + "no_such_program");
  SKIP_WITHOUT_HOSTS(missing);
  EXPECT_NE(missing.code, 0);
  EXPECT_THAT(missing.errors, StartsWith("aprun: no_such_program: "));
  EXPECT_EQ(lines_of(missing.errors).size(), 1U) << missing.errors;
}

/// On this host alone, which takes less.
CommandResult by_mpirun(const std::string& before, const std::string& arguments) {
  CommandResult result = run_command(
      "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 " + before +
      " sh -c 'command -v mpirun.openmpi >/dev/null || { echo \"no mpirun.openmpi (package "
      "openmpi-bin)\" >&2; exit 77; }; exec mpirun.openmpi --bind-to none "
      "--oversubscribe " +
      arguments + "'");
  if (result.code != skipped) result.errors = without_launchers_words(result.errors);
  return result;
}

TEST(Hosts, TakeNoProviderThatDoesNotLeaveTheHost) {
  const std::string job = "-n 2 " + tool("aprun") + " --workers 1 " + spread + well;
  const CommandResult shm = by_mpirun("CASTOR_PROVIDER=shm", job);
  SKIP_WITHOUT_HOSTS(shm);
  EXPECT_EQ(shm.code, 2);
  EXPECT_EQ(shm.errors,
            "aprun: CASTOR_PROVIDER=shm reaches processes of one host only; --workers on several "
            "hosts takes auto, or a network's provider\n");
  EXPECT_THAT(by_mpirun("CASTOR_PROVIDER=pigeon", job).errors,
              StartsWith("aprun: CASTOR_PROVIDER: libfabric has no provider \"pigeon\""));
}

/// A script of bash that starts its arguments by mpirun, twice, and prints the addresses (as
/// /proc/net/tcp has them) on which these processes listen when the file $1 is there.
const char* const listening = R"(there=$1; shift
command -v mpirun.openmpi >/dev/null || exit 77
mpirun.openmpi --bind-to none --oversubscribe -n 2 "$@" >/dev/null & launcher=$!
until [ -e "$there" ]; do sleep 0.05; done
for process in $(pgrep -P $launcher); do
  for file in /proc/$process/fd/*; do
    name=$(readlink $file) || continue
    [[ $name == socket:* ]] || continue
    awk -v inode="${name//[^0-9]/}" '$4 == "0A" && $10 == inode { print substr($2, 1, 8) }' \
      /proc/$process/net/tcp
  done
done
kill -INT $launcher
wait $launcher
exit 0
)";

/// No other host can have to do with it.
TEST(Hosts, ThatAreOneListenToThatOneOnly) {
  const castor_test::TestFolder folder;
  std::ofstream(folder / "listening") << listening;
  const std::string there = folder / "there";
  const CommandResult result =
      run_command("env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 bash " +
                  (folder / "listening") + " " + there + " " + tool("aprun") +
                  " -q --workers 1 -n 32 -N 1 --compute modelled " + sample("mpi_prints_and_ends") +
                  " poll " + there);
  SKIP_WITHOUT_HOSTS(result);
  EXPECT_EQ(result.code, 0) << result.errors;
  const std::vector<std::string> addresses = lines_of(result.output);
  EXPECT_GE(addresses.size(), 2U) << result.errors;
  for (const std::string& address : addresses) EXPECT_EQ(address, "0100007F");
}

TEST(Hosts, HaveOneCommandLine) {
  const std::string begin = "-n 1 " + tool("aprun") + " --workers 1 -q " + spread;
  const CommandResult result =
      by_mpirun("", begin + well + " : " + begin + sample("bad_rank") + " abort 3");
  SKIP_WITHOUT_HOSTS(result);
  EXPECT_NE(result.code, 0);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors,
            "aprun: --workers: the launcher's processes run one job together, so all must have the "
            "same command line; number 1 has another one than number 0\n");
}

/// Copies a program with another build ID, as the linker notes it: false if it has none.
bool copy_as_another_build(const std::string& from, const std::string& to) {
  std::ifstream stream(from, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  using namespace std::string_literals;
  const std::string note = "\4\0\0\0\24\0\0\0\3\0\0\0GNU\0"s;
  const std::size_t at = bytes.find(note);
  if (at == std::string::npos) return false;
  bytes[at + note.size()] = static_cast<char>(bytes[at + note.size()] ^ 1);
  std::ofstream(to, std::ios::binary) << bytes;
  std::filesystem::permissions(to, std::filesystem::perms::owner_all);
  return true;
}

TEST(Hosts, HaveOneBuild) {
  const castor_test::TestFolder folder;
  std::filesystem::create_directory(folder / "bin");
  std::filesystem::create_symlink(BIN "/../lib", folder / "lib");
  const std::string other = folder / "bin/aprun";
  if (!copy_as_another_build(tool("aprun"), other)) GTEST_SKIP() << "builds have no ID";
  const std::string job = " --workers 1 -q " + spread + well;
  const CommandResult result =
      by_mpirun("", "-n 1 " + tool("aprun") + job + " : -n 1 " + other + job);
  SKIP_WITHOUT_HOSTS(result);
  EXPECT_NE(result.code, 0);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors,
            "aprun: --workers: the launcher's processes run one job together, so all hosts must "
            "have the same build of Castor; number 1 has another one than number 0\n");
}

TEST(Hosts, ObeyTheFirstOnesEnvironment) {
  const std::string job = tool("aprun") + " --workers 1 " + spread + well;
  const CommandResult first = aprun(spread + well, "CASTOR_NOISE=1");
  const CommandResult other =
      by_mpirun("", "-n 1 -x CASTOR_NOISE=1 " + job + " : -n 1 -x CASTOR_HOP_LATENCY=5us " + job);
  SKIP_WITHOUT_HOSTS(other);
  EXPECT_EQ(other.code, 0);
  EXPECT_EQ(other.output, first.output);
  EXPECT_EQ(other.errors, first.errors);
}

TEST(Hosts, ThatCannotMeetAreRefused) {
  const CommandResult result = aprun("--workers 1 " + spread + well, "PMI_SIZE=2 PMI_RANK=0");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors,
            "aprun: --workers: a launcher without PMIx has started 2 processes, which cannot meet; "
            "Open MPI's mpirun or srun --mpi=pmix can start them\n");
}

/// Without the option each process has a job of its own, as before.
TEST(Hosts, RunAJobEachWithoutTheOption) {
  const CommandResult result = by_mpirun("", "-n 2 " + tool("aprun") + " -q " + spread + well);
  SKIP_WITHOUT_HOSTS(result);
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.errors, IsEmpty());
  std::size_t ends = 0;
  for (const std::string& line : lines_of(result.output)) ends += line == "the end" ? 1 : 0;
  EXPECT_EQ(ends, 2U);
}

}  // namespace
