// ARMCI: several blocks of a rank in one call, what a call refuses before it moves anything.
#include <algorithm>
#include <array>
#include <numeric>

#include "tests/armci/job.h"

namespace castor_test {
namespace {

class Blocks : public testing::TestWithParam<Way> {};

// Runs in turn in one block, in another, and in the first again.
TEST_P(Blocks, OneListMayReachSeveral) {
  run_armci(small_job(3, 2), GetParam().settings, [](int rank) {
    constexpr int runs = 400;
    const Shared<double> first(runs);
    const Shared<double> second(runs);
    for (const Shared<double>* block : {&first, &second}) {
      std::fill(block->at(rank), block->at(rank) + runs, 0);
    }
    ARMCI_Barrier();
    if (rank == 0) {
      for (const int to : {1, 2}) {
        std::array<double, runs> own{};
        std::iota(own.begin(), own.end(), 1);
        std::array<void*, runs> here{};
        std::array<void*, runs> there{};
        for (std::size_t i = 0; i < runs; ++i) {
          here[i] = &own[i];
          there[i] = (i / 3 % 2 == 0 ? first : second).at(to) + i;
        }
        armci_giov_t list{};
        list.src_ptr_array = here.data();
        list.dst_ptr_array = there.data();
        list.bytes = 8;
        list.ptr_array_len = runs;
        double twice = 2;
        EXPECT_EQ(0, ARMCI_PutV(&list, 1, to));
        EXPECT_EQ(0, ARMCI_AccV(ARMCI_ACC_DBL, &twice, &list, 1, to));
        std::array<double, runs> back{};
        for (std::size_t i = 0; i < runs; ++i) here[i] = &back[i];
        std::swap(list.src_ptr_array, list.dst_ptr_array);
        EXPECT_EQ(0, ARMCI_GetV(&list, 1, to));
        for (std::size_t i = 0; i < runs; ++i) ASSERT_EQ(3 * own[i], back[i]) << i;
        // With one run outside nothing moves.
        there[runs - 1] = second.at(to) + runs;
        here[0] = &twice;
        EXPECT_EQ(-6, ARMCI_GetV(&list, 1, to));
        EXPECT_EQ(2, twice);
      }
    }
    ARMCI_Barrier();
    for (int i = 0; i < runs && rank != 0; ++i) {
      ASSERT_EQ(i / 3 % 2 == 0 ? 3 * (i + 1) : 0, first.at(rank)[i]) << i;
      ASSERT_EQ(i / 3 % 2 == 0 ? 0 : 3 * (i + 1), second.at(rank)[i]) << i;
    }
  });
}

TEST_P(Blocks, AnAggregateMayReachSeveral) {
  run_armci(small_job(3, 2), GetParam().settings, [](int rank) {
    const Shared<int> first(100);
    const Shared<int> second(100);
    for (const Shared<int>* block : {&first, &second}) {
      std::fill(block->at(rank), block->at(rank) + 100, -1);
    }
    ARMCI_Barrier();
    if (rank == 0) {
      std::array<int, 100> own{};
      std::iota(own.begin(), own.end(), 0);
      for (const int to : {1, 2}) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_SET_AGGREGATE_HANDLE(&handle);
        for (std::size_t i = 0; i < own.size(); ++i) {
          EXPECT_EQ(0,
                    ARMCI_NbPut(&own[i], (i % 2 == 0 ? first : second).at(to) + i, 4, to, &handle));
        }
        EXPECT_EQ(-6, ARMCI_NbPut(own.data(), second.at(to) + 100, 4, to, &handle));
        EXPECT_EQ(0, ARMCI_Wait(&handle));
      }
    }
    ARMCI_Barrier();
    for (int i = 0; i < 100 && rank != 0; ++i) {
      ASSERT_EQ(i % 2 == 0 ? i : -1, first.at(rank)[i]);
      ASSERT_EQ(i % 2 == 0 ? -1 : i, second.at(rank)[i]);
    }
  });
}

TEST_P(Blocks, FencesCompleteImplicitGets) {
  run_armci(small_job(2), GetParam().settings, [](int rank) {
    for (const std::size_t count : {std::size_t{1000}, std::size_t{1} << 20}) {
      Shared<int> memory(count);
      std::fill(memory.at(rank), memory.at(rank) + count, rank + 1);
      std::vector<int> own(count);
      const int other = 1 - rank;
      const auto bytes = static_cast<int>(count * sizeof(int));
      for (const bool all : {false, true}) {
        std::fill(own.begin(), own.end(), 0);
        ARMCI_Barrier();
        EXPECT_EQ(0, ARMCI_NbGet(memory.at(other), own.data(), bytes, other, nullptr));
        if (all) {
          ARMCI_AllFence();
        } else {
          ARMCI_Fence(other);
        }
        EXPECT_EQ(other + 1, own.front());
        EXPECT_EQ(other + 1, own.back());
        EXPECT_EQ(0, ARMCI_WaitAll());
      }
      ARMCI_Barrier();
      memory.free(rank);
    }
  });
}

TEST_P(Blocks, AFlagThatCannotBePutKeepsTheDataBack) {
  run_armci(small_job(3, 2), GetParam().settings, [](int rank) {
    Shared<int> memory(100);
    std::fill(memory.at(rank), memory.at(rank) + 100, 0);
    ARMCI_Barrier();
    if (rank == 0) {
      int own[2] = {5, 6};
      int count[] = {8};
      for (const int to : {0, 1, 2}) {
        int* there = memory.at(to);
        EXPECT_EQ(-1, ARMCI_Put_flag(own, there, 8, nullptr, 1, to));
        EXPECT_EQ(-6, ARMCI_Put_flag(own, there, 8, there + 100, 1, to));
        EXPECT_EQ(-6, ARMCI_PutS_flag(own, nullptr, there, nullptr, count, 0, own, 1, to));
      }
      EXPECT_EQ(-5, ARMCI_Put_flag(own, memory.at(1), 8, memory.at(1) + 2, 1, 3));
    }
    ARMCI_Barrier();
    EXPECT_TRUE(std::all_of(memory.at(rank), memory.at(rank) + 100, [](int i) { return i == 0; }));
  });
}

INSTANTIATE_TEST_SUITE_P(All, Blocks, testing::ValuesIn(all_ways), way_name);

}  // namespace
}  // namespace castor_test
