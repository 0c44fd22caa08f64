// ARMCI: return codes, errors, memory's edges, both dialects.
#include <algorithm>
#include <cstring>

#include "tests/armci/classic.h"
#include "tests/armci/job.h"

namespace castor_test {
namespace {

TEST(Errors, CodesSayWhatWasWrong) {
  run_armci(small_job(3, 2), {}, [](int rank) {
    Shared<char> memory(1000);
    std::fill(memory.at(rank), memory.at(rank) + 1000, 'x');
    ARMCI_Barrier();
    if (rank == 0) {
      char own[2000] = {};
      for (const int to : {0, 1, 2}) {
        char* there = memory.at(to);
        EXPECT_EQ(-1, ARMCI_Put(nullptr, there, 4, to));
        EXPECT_EQ(-1, ARMCI_Get(nullptr, own, 4, to));
        EXPECT_EQ(-3, ARMCI_Put(own, there, -1, to));
        EXPECT_EQ(0, ARMCI_Put(own, there, 0, to));
        // Outside the block: before, behind, across the end.
        EXPECT_EQ(-6, ARMCI_Put(own, there - 1, 4, to));
        EXPECT_EQ(-6, ARMCI_Put(own, there + 999, 2, to));
        EXPECT_EQ(-6, ARMCI_Get(there + 1001, own, 1, to));
        EXPECT_EQ(-6, ARMCI_Put(own, own, 4, to));
        EXPECT_EQ(-6, ARMCI_NbPut(own, there + 998, 4, to, nullptr));
        int count[] = {10, 11};
        int stride[] = {100};
        EXPECT_EQ(-6, ARMCI_PutS(own, stride, there, stride, count, 1, to));
        EXPECT_EQ(-4, ARMCI_PutS(own, stride, there, stride, count, 9, to));
        EXPECT_EQ(-4, ARMCI_PutS(own, stride, there, stride, count, -1, to));
        EXPECT_EQ(-2, ARMCI_PutS(own, nullptr, there, stride, count, 1, to));
        count[0] = -1;
        EXPECT_EQ(-3, ARMCI_GetS(there, stride, own, stride, count, 0, to));
        void* sources[] = {own};
        void* targets[] = {there + 999};
        armci_giov_t list{};
        EXPECT_EQ(-1, ARMCI_PutV(&list, 0, to));
        EXPECT_EQ(-2, ARMCI_PutV(&list, 1, to));
        list.src_ptr_array = sources;
        list.dst_ptr_array = targets;
        EXPECT_EQ(-3, ARMCI_PutV(&list, 1, to));
        list.bytes = 2;
        EXPECT_EQ(-4, ARMCI_PutV(&list, 1, to));
        list.ptr_array_len = 1;
        EXPECT_EQ(-6, ARMCI_PutV(&list, 1, to));
        double scale = 1;
        EXPECT_EQ(-3, ARMCI_Acc(ARMCI_ACC_DBL, &scale, own, there, 12, to));
        EXPECT_EQ(-3, ARMCI_Acc(77, &scale, own, there, 16, to));
        long value = 0;
        EXPECT_EQ(-2, ARMCI_Rmw(99, &value, there, 1, to));
        EXPECT_EQ(-3, ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &value, there + 4, 1, to));
        EXPECT_EQ(-6, ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &value, there + 1000, 1, to));
      }
      for (const int to : {-1, 3}) {
        EXPECT_EQ(-5, ARMCI_Put(own, memory.at(1), 4, to));
        EXPECT_EQ(-5, ARMCI_Get(memory.at(1), own, 4, to));
        EXPECT_EQ(-5, ARMCI_Rmw(ARMCI_FETCH_AND_ADD, own, memory.at(1), 1, to));
      }
    }
    ARMCI_Barrier();
    EXPECT_TRUE(std::all_of(memory.at(rank), memory.at(rank) + 1000,
                            [](char value) { return value == 'x'; }));
  });
}

TEST(Errors, EndTheJobWithOneLine) {
  EXPECT_NE(std::string::npos, run_armci_to_error(small_job(2), {}, [](int rank) {
                                 char text[] = "out of luck";
                                 if (rank == 1) ARMCI_Error(text, 7);
                               }).find("ARMCI_Error: out of luck (code 7)"));
  EXPECT_NE(std::string::npos,
            run_armci_to_error(small_job(2),
                               {"CASTOR_ARMCI_EAGER_LIMIT=4K", "CASTOR_ARMCI_CHT_BUFFER_SIZE=4K"},
                               [](int) {})
                .find("CASTOR_ARMCI_EAGER_LIMIT=4096: allowed is up to 4000"));
  EXPECT_NE(std::string::npos, run_armci_to_error(small_job(2), {}, [](int rank) {
                                 if (rank == 1) ARMCI_Fence(5);
                               }).find("ARMCI_Fence: no such proc"));
}

TEST(Memory, MayDifferAndBeNothing) {
  run_armci(small_job(4, 2), {}, [](int rank) {
    void* all[4];
    void* none[4];
    ASSERT_EQ(0, ARMCI_Malloc(none, 0));
    ASSERT_EQ(0, ARMCI_Malloc(all, rank * 1000));
    EXPECT_EQ(nullptr, all[0]);
    EXPECT_EQ(nullptr, none[rank]);
    char value = static_cast<char>(rank);
    if (rank != 3) {
      ASSERT_EQ(0, ARMCI_Put(&value, static_cast<char*>(all[3]) + 2997 + rank, 1, 3));
    }
    ARMCI_Barrier();
    for (char i = 0; i < 3 && rank == 3; ++i) EXPECT_EQ(i, static_cast<char*>(all[3])[2997 + i]);
    ARMCI_Barrier();
    EXPECT_EQ(0, ARMCI_Free(all[rank]));
    EXPECT_EQ(0, ARMCI_Free(none[rank]));
    // What is free is nobody's.
    if (rank == 0) {
      EXPECT_EQ(-6, ARMCI_Put(&value, all[3], 1, 3));
    }
    ARMCI_Barrier();
    void* local = ARMCI_Malloc_local(5000);
    ASSERT_NE(nullptr, local);
    std::memset(local, 1, 5000);
    EXPECT_EQ(0, ARMCI_Free_local(local));
    EXPECT_NE(0, ARMCI_Free_local(local));
  });
}

TEST(Memory, ManyBlocksComeAndGo) {
  run_armci(small_job(3), {}, [](int rank) {
    std::vector<Shared<int>> blocks;
    for (int round = 0; round < 30; ++round) {
      blocks.emplace_back(static_cast<std::size_t>(1000 + 60000 * (round % 5)));
      int value = round;
      ASSERT_EQ(0, ARMCI_Put(&value, blocks.back().at((rank + 1) % 3) + 999, 4, (rank + 1) % 3));
      ARMCI_Barrier();
      if (round % 3 == 2) {
        EXPECT_EQ(round - 1, blocks[blocks.size() - 2].at(rank)[999]);
        blocks[blocks.size() - 2].free(rank);
        blocks.erase(blocks.end() - 2);
      }
    }
    EXPECT_EQ(29, blocks.back().at(rank)[999]);
    for (auto& block : blocks) block.free(rank);
  });
}

TEST(Memory, IsGivenOutWithoutTheOthers) {
  run_armci(small_job(2), {}, [](int rank) {
    armci_meminfo_t info;
    if (rank == 1) {
      ARMCI_Memget(1000, &info, 0);
      std::memset(info.addr, 7, 1000);
    }
    MPI_Bcast(&info, sizeof info, MPI_BYTE, 1, MPI_COMM_WORLD);
    if (rank == 0) {
      char* there = static_cast<char*>(ARMCI_Memat(&info, 10));
      char value[4] = {1, 2, 3, 4};
      EXPECT_EQ(0, ARMCI_Put(value, there, 4, 1));
      ARMCI_Fence(1);
      EXPECT_EQ(0, ARMCI_Get(there - 1, value, 4, 1));
      EXPECT_EQ(7, value[0]);
      EXPECT_EQ(3, value[3]);
      ARMCI_Memdt(&info, 0);
      EXPECT_EQ(-6, ARMCI_Put(value, there, 4, 1));
    }
    ARMCI_Barrier();
    if (rank == 1) ARMCI_Memctl(&info);
  });
}

TEST(Start, MayBeRepeated) {
  EXPECT_EQ(0, ARMCI_Initialized());
  run_armci(small_job(2), {}, [](int) {
    EXPECT_NE(0, ARMCI_Initialized());
    EXPECT_EQ(0, ARMCI_Init());
    EXPECT_EQ(0, ARMCI_Finalize());
    EXPECT_NE(0, ARMCI_Initialized());
    ARMCI_Barrier();
  });
}

TEST(Dialects, TheClassicOneDoesTheSame) {
  run_armci(small_job(3, 2), {}, [](int rank) { EXPECT_EQ(nullptr, classic_dialect_check(rank)); });
}

}  // namespace
}  // namespace castor_test
