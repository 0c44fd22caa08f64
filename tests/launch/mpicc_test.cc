// The compiler wrappers: what they show, and that what they compile runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/run_command.h"
#include "tests/support/test_folder.h"

namespace {

using launch_test::run_command;
using testing::HasSubstr;
using testing::Not;

const std::string mpicc = std::string(WRAPPERS) + "/mpicc";
const std::string mpicxx = std::string(WRAPPERS) + "/mpicxx";
const std::string mpifort = std::string(WRAPPERS) + "/mpifort";

TEST(Wrappers, ShowTheCommand) {
  const auto link = run_command(mpicc + " -show -O2 'a b.c' -o prog");
  EXPECT_EQ(link.code, 0);
  EXPECT_THAT(link.output, HasSubstr("/include "));
  EXPECT_THAT(link.output, HasSubstr("-O2 'a b.c' -o prog"));
  EXPECT_THAT(link.output, HasSubstr("-lmpi"));
  EXPECT_THAT(link.output, HasSubstr(std::string("-Wl,-rpath,") + LIBRARIES));
  EXPECT_THAT(link.output, Not(HasSubstr("-show")));
  EXPECT_THAT(run_command(mpicxx + " -show -c a.cc").output, Not(HasSubstr("-lmpi")));
  EXPECT_THAT(run_command(mpicc + " -castor-version").output, HasSubstr("Castor"));
}

TEST(Wrappers, ShowFortransCommand) {
  for (const char* name : {"mpifort", "mpif77", "mpif90"}) {
    const auto link = run_command(std::string(WRAPPERS) + "/" + name + " -show a.f90 -o prog");
    EXPECT_EQ(link.code, 0);
    EXPECT_THAT(link.output, HasSubstr("gfortran "));
    EXPECT_THAT(link.output, HasSubstr("a.f90 -o prog"));
    EXPECT_THAT(link.output, HasSubstr("-lmpifort -lmpi"));
  }
  EXPECT_THAT(run_command(mpifort + " -show -c a.f90").output, Not(HasSubstr("-lmpi")));
  EXPECT_THAT(run_command(mpifort + " -show -castor-static a.f90").output,
              HasSubstr("-Wl,-Bstatic -lmpifort -Wl,-Bdynamic -lmpi"));
  EXPECT_THAT(run_command("env MPICH_FC=other " + mpifort + " -show a.f").output,
              testing::StartsWith("other "));
}

TEST(Wrappers, AnotherCompilerOnRequest) {
  EXPECT_THAT(run_command("env MPICH_CC=other " + mpicc + " -show a.c").output,
              testing::StartsWith("other "));
}

TEST(Wrappers, WorkThroughLinks) {
  const castor_test::TestFolder folder;
  const std::string link = folder / "mpicc";
  std::filesystem::create_symlink(mpicc, link);
  EXPECT_THAT(run_command(link + " -show a.c").output, HasSubstr(std::string("-L") + LIBRARIES));
}

TEST(Wrappers, CompileCAndCxx) {
  const castor_test::TestFolder folder;
  const std::string object = folder / "program.o";
  EXPECT_EQ(run_command(mpicc + " -c " + SAMPLES + "/globals.c -o " + object).errors, "");
  EXPECT_EQ(run_command(mpicxx + " -castor-tls -c " + SAMPLES + "/streams.cc -o " + object).code,
            0);
}

/// The libraries of ours that `program`, built of `source` by the XE's wrapper `wrapper`, is linked
/// to.
std::string linked_by(const std::string& wrapper, const std::string& source) {
  const castor_test::TestFolder folder;
  const std::string program = folder / "program";
  const auto built = run_command(std::string(CRAYPE) + "/" + wrapper + " -dynamic " + SAMPLES +
                                 "/" + source + " -o " + program);
  EXPECT_EQ(built.errors, "");
  return run_command("readelf -d " + program).output;
}

TEST(Wrappers, OfAnXeLinkWhatAProgramUses) {
  const std::string pmi = linked_by("cc", "pmi2_job.c"), cxx = linked_by("CC", "job.cc"),
                    fortran = linked_by("ftn", "pieces.f90");
  EXPECT_THAT(pmi, HasSubstr("[libpmi.so.0]"));
  EXPECT_THAT(pmi, Not(HasSubstr("[libmpi.so.12]")));
  EXPECT_THAT(pmi, Not(HasSubstr("[libugni.so.0]")));
  EXPECT_THAT(cxx, HasSubstr("[libmpi.so.12]"));
  EXPECT_THAT(fortran, HasSubstr("[libmpifort.so.12]"));
}

TEST(Wrappers, OfAnXeLinkHugePagesWithTheirModule) {
  const std::string show = std::string(CRAYPE) + "/cc -show a.c";
  EXPECT_THAT(run_command("env HUGETLB_DEFAULT_PAGE_SIZE=2M " + show).output,
              HasSubstr("-lhugetlbfs"));
  EXPECT_THAT(run_command("env -u HUGETLB_DEFAULT_PAGE_SIZE " + show).output,
              Not(HasSubstr("-lhugetlbfs")));
}

TEST(Wrappers, PassFailureOn) {
  EXPECT_NE(run_command(mpicc + " -c /nonexistent.c -o /dev/null").code, 0);
}

}  // namespace
