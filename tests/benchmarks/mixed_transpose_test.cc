// Transposes in which contiguous parts go directly and strided ones through the helper thread: a
// fence that waits for the one kind only leaves the other's data missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/benchmarks/program_runs.h"

namespace benchmarks {
namespace {

using ::testing::SizeIs;

/// A matrix of which some owners have one row, the others two. What goes to or comes from the
/// former is contiguous.
struct Mixture {
  const char* name;
  const char* program;
  friend std::ostream& operator<<(std::ostream& out, const Mixture& one) {
    return out << one.program;
  }
};

constexpr std::array mixtures{
    Mixture{"SmallPut", "transpose --size 11 --form put"},
    Mixture{"SmallGet", "transpose --size 11 --form get"},
    Mixture{"RotatedPut", "transpose --size 13 --form put --order rotated"},
#ifdef CASTOR_GLOBAL_ARRAYS
    Mixture{"ToolkitSmallPut", "ga_transpose --size 11 --form put"},
    Mixture{"ToolkitLargePut", "ga_transpose --size 20000 --columns 11 --form put"},
    Mixture{"ToolkitLargeGet", "ga_transpose --size 11 --columns 20000 --form get"},
#endif
};

/// Each rank of a program with Global Arrays fills tables of 28 MB when it starts, page by page:
/// with large pages a job takes a third of the time.
constexpr const char* huge_pages = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 ";

class MixedTranspose : public ::testing::TestWithParam<Mixture> {
 protected:
  /// Least, largest and mean seconds of a run whose answer is right.
  static std::vector<std::string> run(const std::string& options, const std::string& variables,
                                      const std::string& more = "") {
    const Outcome outcome =
        aprun(options, std::string(GetParam().program) + " --csv" + more, huge_pages + variables);
    const auto rows = rows_of(outcome, std::string("form,size,ranks,min,max,avg,ok") +
                                           (toolkit() ? "" : ",get") + ",until");
    EXPECT_THAT(rows, SizeIs(1)) << options << ' ' << variables << outcome.err;
    if (rows.size() != 1) return {};
    EXPECT_EQ(rows[0][6], "yes") << options << ' ' << variables << more;
    return {rows[0][3], rows[0][4], rows[0][5]};
  }
  static bool toolkit() { return std::string(GetParam().program).rfind("ga_", 0) == 0; }
};

TEST_P(MixedTranspose, TakesBothWays) {
  const auto direct = run("-n 8 -N 2", "CASTOR_ARMCI_DIRECT=1");
  EXPECT_NE(direct, run("-n 8 -N 2", "CASTOR_ARMCI_DIRECT=0"));
  EXPECT_NE(direct, run("-n 8 -N 2", "CASTOR_ARMCI_DIRECT=1 CASTOR_ARMCI_CHT_WAIT=blocked"));
}

TEST_P(MixedTranspose, IsRightInEverySchedule) {
  // A job with Global Arrays takes long to start.
  const auto seeds = toolkit() ? std::vector{"1"} : std::vector{"1", "2"};
  for (const char* where : {"-n 5 -N 1", "-n 8 -N 2", "-n 8 -N 4 --node 'numa:1 core:4 pu:1'"}) {
    for (const char* limit : {"0", "2K", "200K"}) {
      for (const char* seed : seeds) {
        const std::string more = toolkit() ? std::string(" --stagger-us 50 --seed ") + seed : "";
        run(std::string(where) + " --seed " + seed,
            std::string("CASTOR_ARMCI_DIRECT=1 CASTOR_NOISE=1 CASTOR_ARMCI_EAGER_LIMIT=") + limit,
            more);
      }
    }
  }
}

TEST_P(MixedTranspose, IsRightOnTheHostsClock) {
  run("--clock live -n 4 -N 2", "CASTOR_ARMCI_DIRECT=1", " --repeat 20");
}

std::string name_of(const ::testing::TestParamInfo<Mixture>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, MixedTranspose, ::testing::ValuesIn(mixtures), name_of);

}  // namespace
}  // namespace benchmarks
