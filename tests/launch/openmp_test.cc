// Programs with OpenMP: in virtual time a rank has one thread of it, and a library of its own; live
// they are the host's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/on_clock.h"
#include "tests/support/parameter_name.h"

namespace {

using launch_test::aprun;
using launch_test::aprun_on;
using launch_test::Clock;
using launch_test::CommandResult;
using launch_test::lines_of;
using launch_test::sample;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;

/// Each rank's line says that all is right.
void expect_right(const CommandResult& result, std::size_t ranks, const std::string& rest = "") {
  EXPECT_EQ(result.code, 0) << result.errors;
  std::vector<std::string> lines = lines_of(result.output);
  EXPECT_THAT(lines, AllOf(SizeIs(ranks), Each(MatchesRegex("rank [0-9]+: failures 0" + rest))));
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(std::unique(lines.begin(), lines.end()), lines.end());
}

std::vector<std::string> programs() {
  std::vector<std::string> names{"openmp", "openmp_private"};
  if (HAS_LLVM_OPENMP != 0) names.emplace_back("openmp_llvm");
  return names;
}

class OpenMp : public testing::TestWithParam<std::string> {};
std::string program_of(const testing::TestParamInfo<std::string>& info) { return info.param; }
INSTANTIATE_TEST_SUITE_P(Programs, OpenMp, testing::ValuesIn(programs()), program_of);

TEST_P(OpenMp, RanksMeetInsideOfRegions) {
  for (const int ranks : {1, 4, 5}) {
    const CommandResult result = aprun(
        "-q -n " + std::to_string(ranks) + " -N 2 " + sample(GetParam()), "OMP_NUM_THREADS=1");
    expect_right(result, static_cast<std::size_t>(ranks), " threads 1");
    EXPECT_EQ(result.errors, "");
  }
}

TEST_P(OpenMp, ManyRanksDo) {
  expect_right(aprun("-q -n 256 -N 8 " + sample(GetParam()), "OMP_NUM_THREADS=1"), 256,
               " threads 1");
}

TEST_P(OpenMp, MoreThreadsThanOneAreRefused) {
  for (const char* how : {"call", "clause"}) {
    const CommandResult result =
        aprun("-q -n 4 " + sample(GetParam()) + " " + how, "OMP_NUM_THREADS=1");
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(lines_of(result.errors),
                ElementsAre(MatchesRegex("\\[NID 00000\\] Apid [0-9]+: rank [0-3]: a parallel "
                                         "region of more than one OpenMP thread does not work in "
                                         "virtual time.*OMP_THREAD_LIMIT=1.*"),
                            HasSubstr("exit codes: 1")));
    // The process's number is in the job's.
    const int process = std::stoi(result.errors.substr(result.errors.find("Apid ") + 5)) - 1000000;
    const std::string left =
        "/dev/shm/__KMP_REGISTERED_LIB_" + std::to_string(process) + "_" + std::to_string(getuid());
    EXPECT_FALSE(std::filesystem::exists(left));
    expect_right(
        aprun("-q -n 4 " + sample(GetParam()) + " " + how, "OMP_NUM_THREADS=1 OMP_THREAD_LIMIT=1"),
        4, " threads 1");
  }
}

TEST_P(OpenMp, LiveThreadsAreTheHosts) {
  for (const char* threads : {"1", "2"}) {
    expect_right(aprun_on(Clock::live, "-n 3 -N 3 " + sample(GetParam()),
                          std::string("OMP_NUM_THREADS=") + threads),
                 3, std::string(" threads ") + threads);
  }
}

TEST(OpenMpInFortran, RanksMeetInsideOfRegions) {
  for (const Clock clock : {Clock::virtual_time, Clock::live}) {
    expect_right(aprun_on(clock, "-n 4 -N 2 " + sample("openmp_fortran"), "OMP_NUM_THREADS=1"), 4);
  }
  expect_right(aprun("-q -n 256 -N 8 " + sample("openmp_fortran"), "OMP_NUM_THREADS=1"), 256);
}

TEST(OpenMpThreads, AreOneUnlessSetAsOneLineSays) {
  const CommandResult result = aprun("-q -n 4 " + sample("openmp"), "-u OMP_NUM_THREADS");
  expect_right(result, 4, " threads 1");
  EXPECT_THAT(lines_of(result.errors),
              ElementsAre(AllOf(HasSubstr("aprun: OMP_NUM_THREADS is not set"),
                                HasSubstr("libgomp.so.1"), HasSubstr("1 thread"))));
  // Programs without it are told nothing.
  EXPECT_EQ(aprun("-q -n 2 " + sample("mpi_job"), "-u OMP_NUM_THREADS").errors, "");
}

TEST(OpenMpThreads, MoreAreRefusedAtTheStart) {
  for (const char* value : {"2", "1,2", "abc", "0", "''", "1,", "11", "-1"}) {
    const CommandResult result =
        aprun("-q -n 4 " + sample("openmp"), std::string("OMP_NUM_THREADS=") + value);
    EXPECT_EQ(result.code, 2) << value;
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(lines_of(result.errors), ElementsAre(AllOf(HasSubstr("aprun: OMP_NUM_THREADS '"),
                                                           HasSubstr("set it to 1"))));
  }
  for (const char* value : {"1,1", "' 1'", "01"}) {
    const CommandResult result =
        aprun("-q -n 2 " + sample("openmp"), std::string("OMP_NUM_THREADS=") + value);
    EXPECT_EQ(result.code, 0) << value << result.errors;
  }
  EXPECT_EQ(aprun("-q -n 2 -e OMP_NUM_THREADS=1 " + sample("openmp"), "OMP_NUM_THREADS=3").code, 0);
}

/// aprun asks glibc for room by a variable that ranks do not see.
TEST(OpenMpLibraries, LeaveTheTunablesToTheUser) {
  const auto tunables = [](const std::string& variables) {
    return aprun("-q -n 1 " + sample("openmp_opener_linked"), "OMP_NUM_THREADS=1 " + variables)
        .output;
  };
  EXPECT_EQ(tunables(""), "tunables unset\n");
  EXPECT_EQ(tunables("GLIBC_TUNABLES=glibc.malloc.check=0"), "tunables glibc.malloc.check=0\n");
  EXPECT_EQ(tunables("GLIBC_TUNABLES="), "tunables \n");
}

TEST(OpenMpLibraries, AreOpenedOnlyIfTheyAreThereFromTheStart) {
  const std::string library = " " + sample("libopenmp_library.so");
  const CommandResult linked =
      aprun("-q -n 2 " + sample("openmp_opener_linked") + library, "OMP_NUM_THREADS=1");
  EXPECT_THAT(lines_of(linked.output),
              testing::UnorderedElementsAre("tunables unset", "sum 45", "tunables unset", "sum 45"))
      << linked.errors;
  const CommandResult other = aprun("-q -n 1 " + sample("openmp_opener") + library);
  EXPECT_THAT(other.output, HasSubstr("needs libgomp.so.1, which has to be there from the start; "
                                      "link the program with it, too"));
}

TEST(OpenMpLibraries, AreNotForSharedImages) {
  const CommandResult result = aprun("-q -n 2 " + sample("openmp_shared"));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(lines_of(result.errors),
              ElementsAre(AllOf(HasSubstr("CORESPEC_SHARED_IMAGE"), HasSubstr("libgomp.so.1"))));
}

TEST(ThreadLocal, OfAFixedPlaceIsPrivateInManyRanks) {
  const CommandResult result = aprun("-q -n 300 " + sample("thread_local_fixed"));
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output), AllOf(SizeIs(300), Each("counter 6 zeroed 3")));
}

}  // namespace
