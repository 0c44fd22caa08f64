// ARMCI: return codes, errors, memory's edges, both dialects.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/armci/classic.h"
#include "tests/armci/job.h"
#include "tests/support/unmapped_memory.h"

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
        void* one_missing[] = {own, nullptr};
        void* both[] = {there, there + 8};
        list = {one_missing, both, 2, 2};
        EXPECT_EQ(-1, ARMCI_PutV(&list, 1, to));
        std::swap(list.src_ptr_array, list.dst_ptr_array);
        EXPECT_EQ(-1, ARMCI_GetV(&list, 1, to));
        EXPECT_EQ(-1, ARMCI_PutV(&list, 1, to));
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

TEST(Errors, EveryFormKnowsTheRanks) {
  run_armci(small_job(2), {}, [](int rank) {
    Shared<double> memory(10);
    double own[10] = {};
    double one = 1;
    int count[] = {8, 2};
    int stride[] = {16};
    void* here[] = {own};
    void* there[] = {memory.at(0)};
    armci_giov_t list{};
    list.src_ptr_array = here;
    list.dst_ptr_array = there;
    list.bytes = 8;
    list.ptr_array_len = 1;
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    for (const int to : {-1, 2, 1 << 30}) {
      double* at = memory.at(rank);
      EXPECT_EQ(-5, ARMCI_PutS(own, stride, at, stride, count, 1, to));
      EXPECT_EQ(-5, ARMCI_GetS(at, stride, own, stride, count, 1, to));
      EXPECT_EQ(-5, ARMCI_AccS(ARMCI_ACC_DBL, &one, own, stride, at, stride, count, 1, to));
      EXPECT_EQ(-5, ARMCI_PutV(&list, 1, to));
      EXPECT_EQ(-5, ARMCI_GetV(&list, 1, to));
      EXPECT_EQ(-5, ARMCI_AccV(ARMCI_ACC_DBL, &one, &list, 1, to));
      EXPECT_EQ(-5, ARMCI_Acc(ARMCI_ACC_DBL, &one, own, at, 8, to));
      EXPECT_EQ(-5, ARMCI_NbPut(own, at, 8, to, &handle));
      EXPECT_EQ(-5, ARMCI_NbGet(at, own, 8, to, &handle));
      EXPECT_EQ(-5, ARMCI_NbAcc(ARMCI_ACC_DBL, &one, own, at, 8, to, nullptr));
      EXPECT_EQ(-5, ARMCI_PutValueInt(1, at, to));
      EXPECT_EQ(-5, ARMCI_WaitProc(to));
    }
    EXPECT_EQ(0, ARMCI_Wait(&handle));
    EXPECT_EQ(0, ARMCI_WaitAll());
  });
}

// A patch of no bytes is none, however many runs it has; one of more than can be is refused.
TEST(Errors, CountsAreLookedAtBeforeTheyAreMultiplied) {
  run_armci(small_job(3, 2), {}, [](int rank) {
    Shared<char> memory(1000);
    char own[1000] = {};
    constexpr int most = 0x7fffffff;
    int stride[] = {0, 0, 0};
    if (rank == 0) {
      for (const int to : {0, 1, 2}) {
        int many[] = {most, most, most, most};
        EXPECT_EQ(-3, ARMCI_PutS(own, stride, memory.at(to), stride, many, 3, to));
        EXPECT_EQ(-3, ARMCI_GetS(memory.at(to), stride, own, stride, many, 3, to));
        for (const std::size_t at : {0, 1, 2, 3}) {
          int none[] = {most, most, most, most};
          none[at] = 0;
          EXPECT_EQ(0, ARMCI_PutS(own, stride, memory.at(to), stride, none, 3, to));
          EXPECT_EQ(0, ARMCI_GetS(memory.at(to), stride, own, stride, none, 3, to));
        }
        // Steps that lead out of the block, on either side, and back.
        int twice[] = {8, 2};
        for (int step : {most, -most, 996, -8}) {
          EXPECT_EQ(-6, ARMCI_PutS(own, stride, memory.at(to), &step, twice, 1, to)) << step;
        }
      }
    }
    ARMCI_Barrier();
    EXPECT_TRUE(std::all_of(memory.at(rank), memory.at(rank) + 1000,
                            [](char value) { return value == 0; }));
  });
}

TEST(Errors, OfSeveralListsNoneIsMovedIfOneCannotBe) {
  run_armci(small_job(3, 2), {}, [](int rank) {
    Shared<double> memory(10);
    std::fill(memory.at(rank), memory.at(rank) + 10, 3);
    ARMCI_Barrier();
    if (rank == 0) {
      for (const int to : {1, 2}) {
        double own[2] = {1, 2};
        double one = 1;
        void* first[] = {&own[0]};
        void* second[] = {&own[1]};
        void* inside[] = {memory.at(to)};
        void* outside[] = {memory.at(to) + 10};
        armci_giov_t lists[2]{};
        for (armci_giov_t& list : lists) list.bytes = 8;
        for (armci_giov_t& list : lists) list.ptr_array_len = 1;
        lists[0].src_ptr_array = first;
        lists[0].dst_ptr_array = inside;
        lists[1].src_ptr_array = second;
        lists[1].dst_ptr_array = outside;
        EXPECT_EQ(-6, ARMCI_PutV(lists, 2, to));
        EXPECT_EQ(-6, ARMCI_NbPutV(lists, 2, to, nullptr));
        EXPECT_EQ(-6, ARMCI_AccV(ARMCI_ACC_DBL, &one, lists, 2, to));
        lists[1].dst_ptr_array = inside;
        lists[1].bytes = 4;
        EXPECT_EQ(-3, ARMCI_AccV(ARMCI_ACC_DBL, &one, lists, 2, to));
      }
    }
    ARMCI_Barrier();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(3, memory.at(rank)[i]);
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
  EXPECT_NE(std::string::npos, run_armci_to_error(small_job(2), {}, [](int rank) {
                                 int own = 0;
                                 if (rank == 1) ARMCI_GetValueInt(&own, 0);
                               }).find("ARMCI_GetValueInt: no such remote value"));
  EXPECT_NE(std::string::npos, run_armci_to_error(small_job(2), {}, [](int rank) {
                                 if (rank == 1) ARMCI_Lock(0, 0);
                               }).find("ARMCI_Lock: there are no mutexes"));
}

/// What a job says of a transfer by `call` whose own memory is so protected, or not there (-1).
std::string with_memory(const Settings& settings, int protection,
                        const std::function<void(void* own, char* there, int bytes)>& call) {
  return run_armci_to_error(small_job(2), settings, [&](int rank) {
    constexpr int bytes = 65536;
    Shared<char> memory(bytes);
    void* own = unmapped_memory();
    if (protection >= 0) own = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (rank == 1) call(own, memory.at(0), bytes);
    ARMCI_Barrier();
  });
}

// By the helper and past it.
TEST(Errors, OwnMemoryThatCannotBeUsedEndsTheJobWithOneLine) {
  const auto get = [](void* own, char* there, int bytes) { ARMCI_Get(there, own, bytes, 0); };
  const auto put = [](void* own, char* there, int bytes) { ARMCI_Put(own, there, bytes, 0); };
  for (const Settings& settings : {Settings{}, Settings{"CASTOR_ARMCI_DIRECT=1"}}) {
    const auto expect = [&](int protection, const auto& call, const std::string& begin,
                            const std::string& end) {
      const std::string output = with_memory(settings, protection, call);
      const std::size_t at = output.find("rank 1: " + begin + ": the data are in memory at 0x");
      ASSERT_NE(std::string::npos, at) << output;
      EXPECT_EQ(output.find('\n', at), output.find(end + "\n", at) + end.size()) << output;
    };
    expect(PROT_READ, get, "ARMCI_Get", ", which must not be written");
    expect(-1, get, "ARMCI_Get", ", which is not there");
    expect(-1, put, "ARMCI_Put", ", which is not there");
  }
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

TEST(Memory, WhatIsNotABlockIsNotFreed) {
  run_armci(small_job(2, 2), {}, [](int rank) {
    Shared<char> memory(1000);
    std::vector<char> foreign(100);
    for (void* wrong :
         {static_cast<void*>(foreign.data()), static_cast<void*>(memory.at(rank) + 16),
          static_cast<void*>(memory.at(1 - rank))}) {
      EXPECT_EQ(-1, ARMCI_Free(wrong));
      EXPECT_EQ(-1, ARMCI_Free_local(wrong));
    }
    char value = 5;
    EXPECT_EQ(0, ARMCI_Put(&value, memory.at(1 - rank) + 999, 1, 1 - rank));
    ARMCI_Barrier();
    EXPECT_EQ(5, memory.at(rank)[999]);
    ARMCI_Barrier();
    EXPECT_EQ(0, ARMCI_Free(memory.at(rank)));
    EXPECT_EQ(-1, ARMCI_Free(memory.at(rank)));
    EXPECT_EQ(0, ARMCI_Free(nullptr));
    void* all[2];
    EXPECT_EQ(-3, ARMCI_Malloc(all, -1));
    EXPECT_EQ(-1, ARMCI_Malloc(nullptr, 10));
    EXPECT_EQ(nullptr, ARMCI_Malloc_local(-1));
  });
}

// The others would wait for a rank that returns at once; and none has a block of that call.
TEST(Memory, AMistakeOfOneRankIsToldToAll) {
  constexpr armci_size_t too_much = armci_size_t{1} << 60;
  run_armci(small_job(4, 2), {}, [](int rank) {
    const auto expect = [rank](const auto& allocate) {
      int somewhere = 0;
      void* all[] = {&somewhere, &somewhere, &somewhere, &somewhere};
      EXPECT_EQ(rank == 1 ? -3 : -6, allocate(all, rank == 1 ? -1 : 100));
      EXPECT_EQ(std::count(all, all + 4, nullptr), 4);
      EXPECT_EQ(rank == 2 ? -1 : -6, allocate(rank == 2 ? nullptr : all, 100));
      EXPECT_EQ(-6, allocate(all, rank == 0 ? too_much : 100));
      EXPECT_EQ(std::count(all, all + 4, nullptr), 4);
      // What was to be given out is free: all of it is there for the next one.
      for (int round = 0; round < 3; ++round) {
        ASSERT_EQ(0, allocate(all, 4'000'000));
        int value = rank;
        ASSERT_EQ(0, ARMCI_Put(&value, all[(rank + 1) % 4], sizeof value, (rank + 1) % 4));
        ARMCI_Barrier();
        EXPECT_EQ((rank + 3) % 4, *static_cast<int*>(all[rank]));
        ASSERT_EQ(0, ARMCI_Free(all[rank]));
      }
    };
    expect([](void** all, armci_size_t bytes) { return ARMCI_Malloc(all, bytes); });
    int members[] = {0, 1, 2, 3};
    ARMCI_Group group;
    ARMCI_Group_create(4, members, &group);
    expect([&group](void** all, armci_size_t bytes) {
      return ARMCI_Malloc_group(all, bytes, &group);
    });
    ARMCI_Group_free(&group);
  });
}

// Of a group that nobody knows it is not known who waits.
TEST(Memory, OfAnUnknownGroupEndsTheJobWithOneLine) {
  const auto lost_group = [](const auto& call) {
    return run_armci_to_error(small_job(3, 2), {}, [&](int rank) {
      int members[] = {0, 1, 2};
      ARMCI_Group group;
      void* all[3];
      ARMCI_Group_create(3, members, &group);
      ASSERT_EQ(0, ARMCI_Malloc_group(all, 8, &group));
      if (rank == 2) ARMCI_Group_free(&group);
      if (rank == 2) *reinterpret_cast<MPI_Comm*>(&group) = 12345;
      call(all, &group, rank);
    });
  };
  EXPECT_NE(std::string::npos, lost_group([](void** all, ARMCI_Group* group, int) {
                                 ARMCI_Malloc_group(all, 8, group);
                               }).find("rank 2: ARMCI_Malloc_group: no such group\n"));
  EXPECT_NE(std::string::npos, lost_group([](void** all, ARMCI_Group* group, int rank) {
                                 ARMCI_Free_group(all[rank], group);
                               }).find("rank 2: ARMCI_Free_group: no such group\n"));
}

TEST(Memory, OfAGroupWithoutTheRankIsRefused) {
  run_armci(small_job(3, 2), {}, [](int rank) {
    int members[] = {0, 1};
    ARMCI_Group group;
    ARMCI_Group_create(2, members, &group);
    void* all[2];
    ASSERT_EQ(rank == 2 ? -1 : 0, ARMCI_Malloc_group(all, 8, &group));
    EXPECT_EQ(rank == 2 ? -1 : 0, ARMCI_Free_group(rank == 2 ? nullptr : all[rank], &group));
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
