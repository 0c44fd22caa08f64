// ARMCI where transactions fail and queues lose events: what is done again, and how a job ends.
#include <mpi.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/armci/job.h"
#include "tests/support/test_clock.h"

namespace castor_test {
namespace {

/// By the helper, asleep or not, and past it.
const std::vector<Settings> ways{{"CASTOR_ARMCI_CHT_WAIT=blocked"},
                                 {"CASTOR_ARMCI_CHT_WAIT=polling"},
                                 {"CASTOR_ARMCI_DIRECT=1"}};

Settings with(Settings settings, const std::string& plan, const std::string& tries = "10") {
  settings.push_back("CASTOR_FAULTS=" + plan);
  settings.push_back("CASTOR_POST_TRIES=" + tries);
  return settings;
}

TEST(Faults, DataAreRightAllTheSame) {
  const std::string plan =
      "post-fails kind=put,get,amo p=.2; post-refused p=.1 for=3us; cq-overrun p=.2; "
      "completion-late by=9us p=.1";
  for (const Settings& way : ways) {
    run_armci(small_job(4, 2), with(way, plan), [](int rank) {
      constexpr std::size_t most = 60'000;
      const auto size = static_cast<std::size_t>(ranks());
      Shared<double> block(most);
      Shared<std::int64_t> counter(1);
      std::fill_n(block.at(rank), most, 0.0);
      *counter.at(rank) = 0;
      ARMCI_Barrier();
      std::mt19937 random(static_cast<unsigned>(rank) + 17);
      double one = 1;
      const std::size_t part = most / size;
      std::int64_t drawn = 0;
      for (const std::size_t count : {1UL, 40UL, 700UL, part}) {
        const int to = (rank + 2) % ranks();
        double* const there = block.at(to) + static_cast<std::size_t>(rank) * part;
        const int bytes = static_cast<int>(count * sizeof(double));
        std::vector<double> own(count), back(count);
        for (int turn = 0; turn < 4; ++turn) {
          for (double& value : own) value = static_cast<double>(random() % 1000);
          ASSERT_EQ(0, ARMCI_Put(own.data(), there, bytes, to));
          const std::vector<double> sent = own;
          std::fill(own.begin(), own.end(), -1.0);  // it may be used again
          ARMCI_Fence(to);
          own = sent;
          ASSERT_EQ(0, ARMCI_Acc(ARMCI_ACC_DBL, &one, own.data(), there, bytes, to));
          ARMCI_Fence(to);
          ASSERT_EQ(0, ARMCI_Get(there, back.data(), bytes, to));
          for (double& value : own) value *= 2;
          ASSERT_EQ(own, back) << count << " values";
          ASSERT_EQ(0, ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &drawn, counter.at(0), 1, 0));
        }
      }
      ARMCI_Barrier();
      if (rank == 0) {
        EXPECT_EQ(16 * static_cast<std::int64_t>(size), *counter.at(0));
      }
    });
  }
}

/// What a job says in which rank 1 puts and gets, and one of these fails for good.
std::string said(const Settings& settings) {
  return run_armci_to_error(small_job(2), settings, [](int rank) {
    Shared<double> block(1000);
    std::vector<double> own(1000, 3.0);
    if (rank == 1) {
      ARMCI_Put(own.data(), block.at(0), 800, 0);
      ARMCI_Fence(0);
    }
    ARMCI_Barrier();
  });
}

void expect_one_line(const std::string& output, const std::string& begin, const std::string& end) {
  const std::size_t at = output.find("rank 1: " + begin);
  ASSERT_NE(std::string::npos, at) << output;
  EXPECT_EQ(output.find('\n', at), output.find(end + "\n", at) + end.size()) << output;
  EXPECT_EQ(1, std::count(output.begin(), output.end(), '\n')) << output;
}

TEST(Faults, OneLineSaysWhatHasFailedForGood) {
  if (live_clock()) GTEST_SKIP() << "how a job ends live is another test's";
  for (const Settings& way : ways) {
    const std::string kind = "post-fails kind=put node=1 nth=1";
    expect_one_line(said(with(way, kind + " times=1", "0")), "ARMCI: FMA PUT of ",
                    " bytes at rank 0 (nid00000) failed: transaction error: lost on the network; "
                    "the same again does no harm");
    expect_one_line(said(with(way, kind + " times=3", "2")), "ARMCI: FMA PUT of ",
                    "does no harm (posted 3 times)");
    expect_one_line(said(with(way, kind + " error=fatal")), "ARMCI: FMA PUT of ",
                    "transaction error: no way to the node, or no response from it");
  }
  expect_one_line(said(with(ways[0], "cq-overrun node=0 peer=1", "0")), "ARMCI: FMA PUT of ",
                  "failed: the target's completion queue was full");
}

}  // namespace
}  // namespace castor_test
