// ARMCI: several blocks of a rank in one call, what a call refuses before it moves anything, and
// what does not fit.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <limits>
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

// Everybody is told, and what the others had got is free again.
TEST(Memory, ThatOneRankHasNotIsGivenToNone) {
  run_armci(small_job(3, 2), {}, [](int rank) {
    constexpr armci_size_t all_there_is = std::numeric_limits<armci_size_t>::max();
    constexpr armci_size_t too_much = armci_size_t{200} << 40;  // no process has such addresses
    for (const armci_size_t bytes : {too_much, all_there_is}) {
      int own = 0;
      void* all[3] = {&own, &own, &own};
      EXPECT_EQ(-6, ARMCI_Malloc(all, rank == 1 ? bytes : 1000));
      for (const void* each : all) EXPECT_EQ(nullptr, each);
      EXPECT_EQ(nullptr, ARMCI_Malloc_local(bytes));
      armci_meminfo_t info;
      ARMCI_Memget(static_cast<std::size_t>(bytes), &info, 0);
      EXPECT_EQ(nullptr, info.addr);
      EXPECT_EQ(nullptr, ARMCI_Memat(&info, 0));
    }
    Shared<int> memory(1000);
    int value = rank;
    const int next = (rank + 1) % 3;
    EXPECT_EQ(0, ARMCI_Put(&value, memory.at(next) + 999, 4, next));
    ARMCI_Barrier();
    EXPECT_EQ((rank + 2) % 3, memory.at(rank)[999]);
  });
}

TEST(Groups, HaveEachRankOnce) {
  EXPECT_NE(std::string::npos, run_armci_to_error(small_job(2), {}, [](int) {
                                 int list[] = {0, 1, 0};
                                 ARMCI_Group group;
                                 ARMCI_Group_create(3, list, &group);
                               }).find("ARMCI_Group_create: a rank that is listed twice"));
}

// Ranks are MPI_COMM_WORLD's in every call.
TEST(Start, TakesCommunicatorsWithAllRanksInTheirOrder) {
  run_armci(small_job(3, 2), {}, [](int rank) {
    ASSERT_EQ(0, ARMCI_Finalize());
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    ASSERT_EQ(0, ARMCI_Init_mpi_comm(copy));
    Shared<int> memory(1);
    EXPECT_EQ(0, ARMCI_PutValueInt(rank, memory.at((rank + 1) % 3), (rank + 1) % 3));
    ARMCI_Barrier();
    EXPECT_EQ((rank + 2) % 3, memory.at(rank)[0]);
    MPI_Comm_free(&copy);
  });
  for (const bool reversed : {false, true}) {
    EXPECT_NE(std::string::npos,
              run_armci_to_error(small_job(2), {}, [reversed](int rank) {
                ARMCI_Finalize();
                MPI_Comm other = MPI_COMM_NULL;
                MPI_Comm_split(MPI_COMM_WORLD, reversed ? 0 : rank, -rank, &other);
                ARMCI_Init_mpi_comm(other);
              }).find("ARMCI_Init: the communicator has not the ranks of MPI_COMM_WORLD"));
  }
}

}  // namespace
}  // namespace castor_test
