// aprun's mistakes: one line that begins with "aprun: ", exit code 2, nothing started.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "tests/support/aprun_command.h"
#include "tests/support/parameter_name.h"

namespace {

using launch_test::aprun;
using launch_test::CommandResult;
using launch_test::sample;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Mistake {
  std::string arguments;  ///< JOB stands for a program that works
  std::string line;       ///< a part of the line that must name it
  std::string variables = "";
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.variables << " aprun " << mistake.arguments;
}

/// Says what is wrong, not where the samples were built.
std::string mistake_name(const testing::TestParamInfo<Mistake>& info) {
  std::string text = info.param.variables + " " + info.param.arguments;
  for (const std::string& folder : {sample(""), launch_test::tool("")}) {
    if (const auto at = text.find(folder); at != std::string::npos) text.erase(at, folder.size());
  }
  return castor_test::parameter_name(info.index, text);
}

class AprunRefuses : public testing::TestWithParam<Mistake> {};

TEST_P(AprunRefuses, InOneLine) {
  std::string arguments = GetParam().arguments;
  if (const auto at = arguments.find("JOB"); at != std::string::npos) {
    arguments.replace(at, 3, launch_test::sample("mpi_job"));
  }
  const CommandResult result = aprun(arguments, GetParam().variables);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.errors, AllOf(StartsWith("aprun: "), HasSubstr(GetParam().line)));
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  EXPECT_EQ(result.errors.back(), '\n');
}

INSTANTIATE_TEST_SUITE_P(
    Options, AprunRefuses,
    testing::Values(
        Mistake{"", "no program"}, Mistake{"-n 0 JOB", "-n '0'"}, Mistake{"-n two JOB", "-n 'two'"},
        Mistake{"-n", "-n: needs a value"}, Mistake{"-x JOB", "-x: unknown option"},
        Mistake{"-cc socket JOB", "-cc 'socket'"},
        Mistake{"-m 2g JOB", "-m: a rank's memory is not limited"},
        Mistake{"--system titan JOB", "--system, CASTOR_SYSTEM) 'titan'"},
        Mistake{"--system 129x1x1 JOB", "each side 1 to 128"},
        Mistake{"--seed -1 JOB", "--seed '-1'"}, Mistake{"--clock sun JOB", "--clock 'sun'"},
        Mistake{"--node /nonexistent.xml JOB", "/nonexistent.xml"},
        Mistake{"--node nonsense JOB", "nonsense"},
        Mistake{"--node no_such.xml JOB", "'no_such.xml': No such file or directory"},
        Mistake{"-n 2 --telemetry pair:0-2 JOB", "pair:0-2: the job's ranks are 0 to 1"},
        Mistake{"--system 2x2x2 --telemetry router:8 JOB",
                "CASTOR_TELEMETRY: router:8: 2x2x2 has routers 0 to 7"},
        Mistake{"--system 2x2x2 --telemetry nic:16 JOB", "2x2x2 has nics 0 to 15"},
        Mistake{"--node 'package:1000 pu:1000' JOB", "1 to 1024"}),
    mistake_name);

INSTANTIATE_TEST_SUITE_P(
    Placements, AprunRefuses,
    testing::Values(Mistake{"-n 33 -N 33 JOB", "33"}, Mistake{"-n 32 -N 32 -r 1 JOB", "31"},
                    Mistake{"-n 16 -N 16 -d 3 JOB", "48"}, Mistake{"-n 17 -N 17 -j 1 JOB", "17"},
                    Mistake{"-n 1 -r 32 JOB", "-r 32"}, Mistake{"-n 1 -d 33 JOB", "33"},
                    Mistake{"-n 2 -N 2 -cc 5 JOB", "-cc"}, Mistake{"-n 1 -cc 32 JOB", "32"},
                    Mistake{"-n 1 -r 1 -cc 31 JOB", "31"},
                    Mistake{
                        "-n 4 -S 9 JOB",
                        "-S 9 x -d 1: a NUMA node has 8 application CPUs; allowed is -S 1 to 8"},
                    Mistake{"-n 4 -S 3 -d 3 JOB", "allowed is -S 1 to 2"}),
    mistake_name);

INSTANTIATE_TEST_SUITE_P(
    Nodes, AprunRefuses,
    testing::Values(Mistake{"--system 1x1x1 -n 3 -N 1 JOB", "node 2 is not in"},
                    Mistake{"--system 2x1x1 -n 1 -L 4 JOB", "node 4 is not in"},
                    Mistake{"-n 1 -L 6528 JOB", "node 6528 is not in"},
                    Mistake{"-n 2 -N 1 -L 3,3 JOB", "3 is there twice"},
                    Mistake{"-n 2 -N 1 -L 1-3,2 JOB", "2 is there twice"},
                    Mistake{"-n 3 -N 1 -L 1,2 JOB", "-L"}, Mistake{"-n 1 -L x JOB", "-L 'x'"}),
    mistake_name);

INSTANTIATE_TEST_SUITE_P(
    Variables, AprunRefuses,
    testing::Values(
        Mistake{"JOB", "CASTOR_NO_SUCH", "CASTOR_NO_SUCH=1"},
        Mistake{"JOB", "MPICH_GNI_RDMA_THRESHOLD", "MPICH_GNI_RDMA_THRESHOLD=abc"},
        Mistake{"JOB", "0 to 65536", "MPICH_GNI_RDMA_THRESHOLD=65537"},
        Mistake{"JOB", "MPICH_GNI_RDMA_THRESHOLD", "MPICH_GNI_RDMA_THRESHOLD=-1"},
        Mistake{"JOB", "MPICH_GNI_RDMA_THRESHOLD", "MPICH_GNI_RDMA_THRESHOLD="},
        Mistake{"JOB", "MPICH_NEMESIS_ASYNC_PROGRESS", "MPICH_NEMESIS_ASYNC_PROGRESS=7"},
        Mistake{"JOB", "MPICH_MAX_THREAD_SAFETY", "MPICH_MAX_THREAD_SAFETY=some"},
        Mistake{"JOB", "CASTOR_HOP_LATENCY", "CASTOR_HOP_LATENCY=5parsec"},
        Mistake{"JOB", "CASTOR_HOP_LATENCY", "CASTOR_HOP_LATENCY=nan"},
        Mistake{"JOB", "CASTOR_SEED", "CASTOR_SEED=1e30"},
        Mistake{"JOB", "CASTOR_COLLECTIVES: rule", "CASTOR_COLLECTIVES='bcast ring'"},
        Mistake{"JOB", "CASTOR_SYSTEM) 'titan'", "CASTOR_SYSTEM=titan"},
        Mistake{"JOB", "CASTOR_NODE_LIST '1,a'", "CASTOR_NODE_LIST=1,a"},
        Mistake{"JOB", "CASTOR_CPU_BINDING 'sun': must be cpu", "CASTOR_CPU_BINDING=sun"},
        Mistake{"-e MPICH_GNI_NUM_BUFS=0 JOB", "MPICH_GNI_NUM_BUFS"},
        Mistake{"-e CASTOR_NO_SUCH=1 JOB", "CASTOR_NO_SUCH"}),
    mistake_name);

// Which is looked for first.
constexpr const char* launchers_are_refused =
    SANITIZED != 0 ? "built with a sanitizer" : "a machine of its own";

INSTANTIATE_TEST_SUITE_P(
    Programs, AprunRefuses,
    testing::Values(Mistake{"-n 2 /nonexistent", "/nonexistent"},
                    Mistake{"-n 2 no_such_program_anywhere", "no_such_program_anywhere"},
                    Mistake{"/tmp", "/tmp"}, Mistake{"/etc/passwd", "/etc/passwd"},
                    Mistake{sample("fixed"), "-pie"}, Mistake{sample("static"), "static"},
                    Mistake{sample("thread_local"), "-castor-tls"},
                    Mistake{sample("library_lost"), "liblibrary.so"},
                    Mistake{"--clock live " + sample("library_lost"), "needs liblibrary.so"},
                    Mistake{launch_test::tool("aprun") + " -n 2 JOB", launchers_are_refused},
                    Mistake{launch_test::tool("castor-live") + " JOB", launchers_are_refused}),
    mistake_name);

/// The kernel's limit of mappings is looked at before thousands of copies are loaded.
TEST(AprunErrors, TooManyCopiesAreRefusedBeforehand) {
  std::size_t limit = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> limit;
  if (limit == 0 || limit > 200000) GTEST_SKIP() << "the kernel allows " << limit << " mappings";
  const CommandResult result =
      aprun("-n " + std::to_string(limit / 2) + " " + launch_test::sample("mpi_job"));
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("no room for " + std::to_string(limit / 2) + " copies"),
                    HasSubstr("vm.max_map_count (" + std::to_string(limit) + ")")));
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
}

/// aprun after a shell's `limit`.
CommandResult limited_aprun(const std::string& limit, const std::string& arguments) {
  return launch_test::run_command("bash -c '" + limit + "; exec " + launch_test::tool("aprun") +
                                  " " + arguments + "'");
}

/// No name can move the terminal's cursor or look like a line of aprun's.
TEST(AprunErrors, ControlCharactersAreShownAsSuch) {
  const std::string name = "/no/such\n\x1b[2Japrun: all is well";
  for (const char* clock : {"virtual", "live"}) {
    const CommandResult result = aprun("--clock " + std::string(clock) + " -n 2 '" + name + "'");
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.errors, HasSubstr("/no/such\\n\\x1b[2Japrun: all is well"));
    EXPECT_EQ(result.errors.find('\x1b'), std::string::npos);
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }
}

TEST(AprunErrors, TooLittleMemoryIsSaid) {
  if (SANITIZED != 0) GTEST_SKIP() << "sanitizers need far more addresses";
  const CommandResult result = limited_aprun("ulimit -v 60000", "-n 4 " + sample("mpi_job"));
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.errors, HasSubstr("no memory: ulimit -v allows 60000 KB"));
}

/// The launcher raises what is too small for itself.
TEST(AprunErrors, SmallStacksAreRaised) {
  const CommandResult result = limited_aprun("ulimit -S -s 64", "-q -n 2 " + sample("mpi_job"));
  EXPECT_EQ(result.code, 0) << result.errors;
}

}  // namespace
