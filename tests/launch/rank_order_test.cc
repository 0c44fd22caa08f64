// MPICH_RANK_REORDER_METHOD: which rank is where, and what a file of it must be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "launch/description/rank_order.h"
#include "tests/support/on_clock.h"
#include "tests/support/test_folder.h"

namespace {

using launch::RankOrder;
using launch_test::aprun_on;
using launch_test::CommandResult;
using launch_test::lines_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::UnorderedElementsAre;

std::vector<int> ranks_of(const RankOrder& order, int ranks) {
  std::vector<int> found;
  for (int place = 0; place < ranks; ++place) {
    found.push_back(order.rank_at(place));
    EXPECT_EQ(order.place_of(found.back()), place);
  }
  return found;
}

std::vector<int> by_method(unsigned method, int ranks, int per_node) {
  corespec::Parameters parameters;
  parameters.rank_reorder_method = method;
  return ranks_of(launch::rank_order(parameters, ranks, per_node), ranks);
}

TEST(RankOrder, RoundRobin) {
  EXPECT_THAT(by_method(0, 8, 4), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(by_method(0, 7, 3), ElementsAre(0, 3, 5, 1, 4, 6, 2));
}
TEST(RankOrder, SmpStyleIsTheDefault) {
  EXPECT_THAT(by_method(1, 5, 2), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(corespec::Parameters().rank_reorder_method, 1U);
}
TEST(RankOrder, Folded) {
  EXPECT_THAT(by_method(2, 8, 2), ElementsAre(0, 7, 1, 6, 2, 5, 3, 4));
  EXPECT_THAT(by_method(2, 8, 4), ElementsAre(0, 3, 4, 7, 1, 2, 5, 6));
  EXPECT_THAT(by_method(2, 7, 3), ElementsAre(0, 4, 5, 1, 3, 6, 2));
}

std::vector<int> parsed(const std::string& text, int ranks) {
  return ranks_of(launch::parse_rank_order("F", text, ranks), ranks);
}

TEST(RankOrder, Files) {
  EXPECT_THAT(parsed("0-3", 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(parsed("3-0\n", 4), ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(parsed("# all\n\n0,4, 1,5 # half\r\n2-3,\n7-6\n", 8),
              ElementsAre(0, 4, 1, 5, 2, 3, 7, 6));
  EXPECT_FALSE(launch::parse_rank_order("F", "0,1,2", 3).reordered());
}

std::string complaint(const std::string& text) {
  try {
    launch::parse_rank_order("F", text, 4);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RankOrder, FilesThatAreRefused) {
  const std::string once = "; each rank, 0 to 3, is named once";
  EXPECT_EQ(complaint("0,1\n3-1"), "F:2: rank 1 has been named in line 1" + once);
  EXPECT_EQ(complaint("0\n#1\n3"), "F:3: the file ends without rank 1 and 1 more" + once);
  EXPECT_EQ(complaint("0-2\n"), "F:1: the file ends without rank 3" + once);
  EXPECT_EQ(complaint(""), "F:1: the file ends without rank 0 and 3 more" + once);
  const std::string inside = " is not in the job; allowed is 0 to 3";
  EXPECT_EQ(complaint("0-4"), "F:1: rank 4" + inside);
  EXPECT_EQ(complaint("\n99999999999999999999"), "F:2: rank 99999999999999999999" + inside);
  for (const char* text : {"-1", "1-", "-", "a", "1.5", "1-2-3", "0x1", "+1", "1;2"}) {
    EXPECT_EQ(complaint(text), "F:1: \"" + std::string(text) +
                                   "\" is no rank; allowed are ranks and ranges, as 0,4-7,3-1, "
                                   "and # before a comment");
  }
}

// ---- Under aprun

/// A folder of its own, in which aprun is started.
class RankOrderOf : public launch_test::OnEachClock {
 protected:
  void SetUp() override { std::filesystem::current_path(folder_.path()); }
  void TearDown() override { std::filesystem::current_path(before_); }

  static CommandResult run(const std::string& options, const std::string& variables) {
    return aprun_on(GetParam(), options + " " + launch_test::sample("rank_order"), variables);
  }
  static void write(const std::string& text, const std::string& name = "MPICH_RANK_ORDER") {
    std::ofstream(name) << text;
  }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
  castor_test::TestFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(, RankOrderOf, launch_test::each_clock(), launch_test::clock_name);

TEST_P(RankOrderOf, Nodes) {
  const CommandResult result = run("-n 5 -N 2 -L 3,6,8", "MPICH_RANK_REORDER_METHOD=0");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output),
              UnorderedElementsAre("rank 0: node 3, PE 0, 0 wrong", "rank 1: node 6, PE 2, 0 wrong",
                                   "rank 2: node 8, PE 4, 0 wrong", "rank 3: node 3, PE 1, 0 wrong",
                                   "rank 4: node 6, PE 3, 0 wrong"));
}

TEST_P(RankOrderOf, AFile) {
  const std::vector<std::string> expected = {
      "rank 0: node 1, PE 3, 0 wrong", "rank 1: node 1, PE 2, 0 wrong",
      "rank 2: node 0, PE 1, 0 wrong", "rank 3: node 0, PE 0, 0 wrong"};
  write("3-0");
  const CommandResult result = run("-n 4 -N 2", "MPICH_RANK_REORDER_METHOD=3");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output), testing::UnorderedElementsAreArray(expected));
  write("junk");
  write("3,2 1 0", "other");
  const CommandResult named =
      run("-n 4 -N 2 -e MPICH_RANK_REORDER_METHOD=3 -e MPICH_RANK_REORDER_FILE=other", "");
  EXPECT_THAT(lines_of(named.output), testing::UnorderedElementsAreArray(expected));
  // Without method 3 the file is not looked at.
  EXPECT_THAT(lines_of(run("-n 1", "").output), ElementsAre("rank 0: node 0, PE 0, 0 wrong"));
}

TEST_P(RankOrderOf, AFileThatIsWrong) {
  const std::string method = "MPICH_RANK_REORDER_METHOD=3";
  CommandResult result = run("-n 4 -N 2", method);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.errors,
            "aprun: MPICH_RANK_ORDER: No such file or directory (MPICH_RANK_REORDER_METHOD=3 reads "
            "the order of ranks there)\n");
  write("0,1\n1,2");
  result = run("-n 4 -N 2", method);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.errors,
            "aprun: MPICH_RANK_ORDER:2: rank 1 has been named in line 1; each rank, 0 to 3, is "
            "named once\n");
  EXPECT_EQ(result.output, "");
  std::filesystem::create_directory("inner");
  result = run("-n 4 -N 2", method + " MPICH_RANK_REORDER_FILE=inner");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.errors, StartsWith("aprun: inner: a folder"));
  result = run("-n 4 -N 2", "MPICH_RANK_REORDER_METHOD=4");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.errors, HasSubstr("MPICH_RANK_REORDER_METHOD"));
}

/// Without what is said of a host that has too few CPUs.
std::vector<std::string> order_in(const CommandResult& result) {
  std::vector<std::string> lines = lines_of(result.errors);
  std::erase_if(lines, [](const std::string& line) { return !line.starts_with("[PE_0]: "); });
  return lines;
}

TEST_P(RankOrderOf, IsShown) {
  const CommandResult result =
      run("-n 4 -N 2 -L 5,7", "MPICH_RANK_REORDER_METHOD=2 MPICH_RANK_REORDER_DISPLAY=1");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(order_in(result),
              ElementsAre("[PE_0]: MPI rank order: Using folded rank ordering.",
                          "[PE_0]: rank 0 is on nid00005; originally was on nid00005",
                          "[PE_0]: rank 1 is on nid00007; originally was on nid00005",
                          "[PE_0]: rank 2 is on nid00007; originally was on nid00007",
                          "[PE_0]: rank 3 is on nid00005; originally was on nid00007"));
  EXPECT_THAT(order_in(run("-n 1 -L 5", "MPICH_RANK_REORDER_DISPLAY=true")),
              ElementsAre("[PE_0]: MPI rank order: Using default aprun rank ordering.",
                          "[PE_0]: rank 0 is on nid00005"));
}

// What other tests run in the order of places holds in any.
TEST_P(RankOrderOf, HoldsForTheLibrariesBesideMpi) {
  const auto right = [](const std::string& program, std::size_t ranks) {
    const CommandResult result = aprun_on(GetParam(), program, "MPICH_RANK_REORDER_METHOD=2");
    EXPECT_EQ(result.code, 0) << result.errors;
    EXPECT_THAT(lines_of(result.output),
                testing::AllOf(testing::SizeIs(ranks), testing::Each(HasSubstr(" 0 wrong"))));
  };
  const std::string pmi_job = launch_test::sample("pmi_job");
  right("-n 7 -N 3 " + pmi_job + " exchange", 7);
  right("-n 5 -N 2 " + pmi_job + " key_values", 5);
  right("-n 6 -N 2 " + pmi_job + " put", 6);
  right("-n 4 -N 2 " + launch_test::sample("message_queues"), 4);
}

TEST_P(RankOrderOf, IsInPmisMapping) {
  const CommandResult result = aprun_on(GetParam(), "-n 5 -N 2 " + launch_test::sample("pmi2_job"),
                                        "MPICH_RANK_REORDER_METHOD=0");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output),
              testing::Contains("mapping (vector,(0,3,1),(0,2,1))").Times(5));
}

// A live rank reads the file again, wherever it is by then.
TEST_P(RankOrderOf, RanksMayChangeTheirFolder) {
  if (GetParam() != launch_test::Clock::live) GTEST_SKIP() << "virtual ranks are no shell scripts";
  write("1,0");
  const CommandResult result = aprun_on(
      GetParam(), "-n 2 -N 1 sh -c 'cd / && exec " + launch_test::sample("rank_order") + "'",
      "MPICH_RANK_REORDER_METHOD=3");
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_THAT(lines_of(result.output), UnorderedElementsAre("rank 0: node 1, PE 1, 0 wrong",
                                                            "rank 1: node 0, PE 0, 0 wrong"));
}

}  // namespace
