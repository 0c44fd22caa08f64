// ARMCI: atomics, mutexes, notification, groups, messages.
#include <algorithm>
#include <numeric>
#include <set>

#include "tests/armci/job.h"

namespace castor_test {
namespace {

TEST(ReadModifyWrite, NumbersDrawnByAllAreDrawnOnce) {
  run_armci(small_job(6, 2), {}, [](int rank) {
    constexpr int draws = 25;
    Shared<long> counters(4);
    std::fill(counters.at(rank), counters.at(rank) + 4, 0);
    ARMCI_Barrier();
    // Counter 0 by longs, counter 1 by ints; rank 3 keeps them and draws, too.
    std::vector<long> own(2 * draws);
    for (int i = 0; i < draws; ++i) {
      long number = -1;
      ASSERT_EQ(0, ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, counters.at(3), 2, 3));
      own[static_cast<std::size_t>(i)] = number;
      int small = -1;
      ASSERT_EQ(0, ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &small, counters.at(3) + 1, 1, 3));
      own[static_cast<std::size_t>(draws + i)] = small;
    }
    std::vector<long> all(6 * own.size());
    MPI_Allgather(own.data(), 2 * draws, MPI_LONG, all.data(), 2 * draws, MPI_LONG, MPI_COMM_WORLD);
    std::set<long> even;
    std::set<long> plain;
    for (std::size_t i = 0; i < all.size(); ++i) {
      (i / draws % 2 == 0 ? even : plain).insert(all[i]);
    }
    EXPECT_EQ(6U * draws, even.size());
    EXPECT_EQ(2 * (6 * draws - 1), *even.rbegin());
    EXPECT_EQ(6U * draws, plain.size());
    EXPECT_EQ(6 * draws - 1, *plain.rbegin());
  });
}

TEST(ReadModifyWrite, SwapsExchange) {
  run_armci(small_job(3, 2), {}, [](int rank) {
    Shared<long> word(2);
    word.at(rank)[0] = 100 + rank;
    word.at(rank)[1] = -1;
    ARMCI_Barrier();
    if (rank == 0) {
      for (const int to : {0, 1, 2}) {
        long value = 7L << 40;
        EXPECT_EQ(0, ARMCI_Rmw(ARMCI_SWAP_LONG, &value, word.at(to), 0, to));
        EXPECT_EQ(100 + to, value);
        int small = 5;
        EXPECT_EQ(0, ARMCI_Rmw(ARMCI_SWAP, &small, word.at(to) + 1, 0, to));
        EXPECT_EQ(-1, small);
      }
    }
    ARMCI_Barrier();
    EXPECT_EQ(7L << 40, word.at(rank)[0]);
    EXPECT_EQ(0xFFFFFFFF00000005UL, static_cast<unsigned long>(word.at(rank)[1]));
  });
}

TEST(Mutexes, LetOneInAtATime) {
  run_armci(small_job(5, 2), {}, [](int rank) {
    ASSERT_EQ(0, ARMCI_Create_mutexes(rank == 1 ? 3 : 0));
    Shared<long> count(1);
    *count.at(rank) = 0;
    ARMCI_Barrier();
    for (int turn = 0; turn < 8; ++turn) {
      ARMCI_Lock(2, 1);
      long value = -1;
      ASSERT_EQ(0, ARMCI_Get(count.at(4), &value, 8, 4));
      ++value;
      ASSERT_EQ(0, ARMCI_Put(&value, count.at(4), 8, 4));
      ARMCI_Fence(4);
      ARMCI_Unlock(2, 1);
    }
    ARMCI_Barrier();
    if (rank == 4) {
      EXPECT_EQ(40, *count.at(4));
    }
    EXPECT_EQ(0, ARMCI_Destroy_mutexes());
    EXPECT_NE(0, ARMCI_Destroy_mutexes());
  });
}

// The holder need not fence what it has put to the owner of the mutex.
TEST(Mutexes, UnlockMakesPutsToTheOwnerVisible) {
  run_armci(small_job(4), {"CASTOR_ARMCI_DIRECT=1"}, [](int rank) {
    ASSERT_EQ(0, ARMCI_Create_mutexes(1));
    Shared<long> count(1);
    *count.at(rank) = 0;
    ARMCI_Barrier();
    for (int turn = 0; turn < 8; ++turn) {
      ARMCI_Lock(0, 2);
      long value = -1;
      ASSERT_EQ(0, ARMCI_Get(count.at(2), &value, 8, 2));
      ++value;
      ASSERT_EQ(0, ARMCI_Put(&value, count.at(2), 8, 2));
      ARMCI_Unlock(0, 2);
    }
    ARMCI_Barrier();
    if (rank == 2) {
      EXPECT_EQ(32, *count.at(2));
    }
    ARMCI_Destroy_mutexes();
  });
}

TEST(Mutexes, MistakesEndTheJobWithOneLine) {
  EXPECT_NE(std::string::npos, run_armci_to_error(small_job(2), {}, [](int rank) {
                                 ARMCI_Create_mutexes(1);
                                 if (rank == 0) ARMCI_Unlock(0, 1);
                               }).find("ARMCI_Unlock: mutex 0 of proc 1 is not this rank's"));
  EXPECT_NE(std::string::npos, run_armci_to_error(small_job(2), {}, [](int rank) {
                                 ARMCI_Create_mutexes(1);
                                 if (rank == 1) ARMCI_Lock(1, 0);
                               }).find("ARMCI_Lock: mutex 1 of proc 0: allowed is 0 to 0"));
  // Twice; by another than who has it.
  EXPECT_NE(std::string::npos, run_armci_to_error(small_job(2), {}, [](int rank) {
                                 ARMCI_Create_mutexes(1);
                                 if (rank != 0) return;
                                 ARMCI_Lock(0, 1);
                                 ARMCI_Unlock(0, 1);
                                 ARMCI_Unlock(0, 1);
                               }).find("ARMCI_Unlock: mutex 0 of proc 1 is not this rank's"));
  EXPECT_NE(std::string::npos, run_armci_to_error(small_job(3, 2), {}, [](int rank) {
                                 ARMCI_Create_mutexes(1);
                                 if (rank == 0) ARMCI_Lock(0, 1);
                                 ARMCI_Barrier();
                                 if (rank == 2) ARMCI_Unlock(0, 1);
                                 ARMCI_Barrier();
                               }).find("rank 2: ARMCI_Unlock: mutex 0 of proc 1 is not"));
  EXPECT_NE(std::string::npos, run_armci_to_error(small_job(2), {}, [](int rank) {
                                 ARMCI_Create_mutexes(2);
                                 if (rank == 1) ARMCI_Lock(0, 2);
                               }).find("ARMCI_Lock: no such proc"));
}

TEST(Mutexes, AMutexHeldWhenItsSetGoesIsFreeInTheNext) {
  run_armci(small_job(4, 2), {}, [](int rank) {
    ASSERT_EQ(0, ARMCI_Create_mutexes(2));
    if (rank == 3) ARMCI_Lock(1, 0);
    ASSERT_EQ(0, ARMCI_Destroy_mutexes());
    ASSERT_EQ(0, ARMCI_Create_mutexes(2));
    if (rank == 2) {
      ARMCI_Lock(1, 0);
      ARMCI_Unlock(1, 0);
    }
    ASSERT_EQ(0, ARMCI_Destroy_mutexes());
  });
}

TEST(Mutexes, AMistakeOfOneRankIsToldToAll) {
  run_armci(small_job(3, 2), {}, [](int rank) {
    EXPECT_EQ(rank == 1 ? -3 : -6, ARMCI_Create_mutexes(rank == 1 ? -1 : 2));
    EXPECT_EQ(-1, ARMCI_Destroy_mutexes());
    ASSERT_EQ(0, ARMCI_Create_mutexes(1));
    ARMCI_Lock(0, 1);
    ARMCI_Unlock(0, 1);
    EXPECT_EQ(0, ARMCI_Destroy_mutexes());
  });
}

TEST(Mutexes, SetsComeAndGo) {
  run_armci(small_job(2), {}, [](int) {
    EXPECT_EQ(-1, ARMCI_Destroy_mutexes());
    EXPECT_EQ(-3, ARMCI_Create_mutexes(-1));
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(0, ARMCI_Create_mutexes(round));
      EXPECT_EQ(-1, ARMCI_Create_mutexes(1));
      EXPECT_EQ(0, ARMCI_Destroy_mutexes());
    }
  });
}

TEST(Notify, DataComeBeforeTheWord) {
  run_armci(small_job(3, 2), {}, [](int rank) {
    Shared<int> memory(5000);
    memory.at(rank)[4999] = 0;
    ARMCI_Barrier();
    const int next = (rank + 1) % 3;
    const int before = (rank + 2) % 3;
    for (int turn = 1; turn <= 3; ++turn) {
      std::vector<int> data(5000, turn * 10 + rank);
      ASSERT_EQ(0, ARMCI_NbPut(data.data(), memory.at(next), 20000, next, nullptr));
      EXPECT_EQ(turn, armci_notify(next));
      int waited = -1;
      EXPECT_GE(armci_notify_wait(before, &waited), turn);
      EXPECT_EQ(turn, waited);
      EXPECT_EQ(turn * 10 + before, memory.at(rank)[4999]);
      ARMCI_Barrier();
    }
  });
}

/// As MPI_Comm_create allows: each row of ranks is a group, and all are made by one call.
TEST(Groups, WithoutACommonRankAreMadeByOneCall) {
  run_armci(small_job(6, 2), {}, [](int rank) {
    const int row = rank % 3;
    int members[] = {row + 3, row};
    ARMCI_Group group;
    ARMCI_Group_create(2, members, &group);
    EXPECT_EQ(2, group.size);
    EXPECT_EQ(rank < 3 ? 1 : 0, group.rank);
    int size = 0;
    MPI_Comm_size(armci_group_comm(&group), &size);
    EXPECT_EQ(2, size);
    int sum = rank;
    char plus[] = "+";
    armci_msg_group_igop(&sum, 1, plus, &group);
    EXPECT_EQ(2 * row + 3, sum);
    void* all[3] = {nullptr, nullptr, &sum};
    ASSERT_EQ(0, ARMCI_Malloc_group(all, 64, &group));
    EXPECT_EQ(&sum, all[2]);
    EXPECT_EQ(0, ARMCI_Free_group(all[group.rank], &group));
    // Of a group's ranks, too; the others of it name a group that they are not in.
    int first[] = {0};
    int second[] = {1};
    ARMCI_Group alone;
    ARMCI_Group_create_child(1, group.rank == 0 ? first : second, &alone, &group);
    EXPECT_EQ(1, alone.size);
    EXPECT_EQ(rank, ARMCI_Absolute_id(&alone, 0));
    ARMCI_Group_free(&alone);
    ARMCI_Group_free(&group);
    ARMCI_Barrier();
  });
}

TEST(Groups, WhoseRanksDisagreeAreRefused) {
  const std::string said = run_armci_to_error(small_job(3, 1), {}, [](int rank) {
    int members[] = {0, rank == 1 ? 2 : 1};
    ARMCI_Group group;
    ARMCI_Group_create(2, members, &group);
  });
  EXPECT_NE(std::string::npos,
            said.find("ARMCI_Group_create: the ranks of a list have given different lists"));
}

TEST(Messages, TakeAnOperatorByItsFirstCharacters) {
  run_armci(small_job(3, 1), {}, [](int rank) {
    // Without an end, as Fortran passes them.
    char plus[] = {'+', '\'', ' '};
    char most[] = {'m', 'a', 'x', 'x'};
    char farthest[] = {'a', 'b', 's', 'm', 'a', 'x', ' '};
    int sum = rank + 1;
    armci_msg_igop(&sum, 1, plus);
    EXPECT_EQ(6, sum);
    double highest = rank;
    armci_msg_dgop(&highest, 1, most);
    EXPECT_EQ(2, highest);
    long absolute = rank == 1 ? -7 : rank;
    armci_msg_lgop(&absolute, 1, farthest);
    EXPECT_EQ(7, absolute);
  });
  const std::string said = run_armci_to_error(small_job(2, 1), {}, [](int) {
    char unknown[] = "\tmaximum of all";
    int value = 0;
    armci_msg_igop(&value, 1, unknown);
  });
  EXPECT_NE(std::string::npos, said.find("unknown operation ''"));
}

TEST(Groups, HaveMemoryAndCollectivesOfTheirOwn) {
  run_armci(small_job(5, 2), {}, [](int rank) {
    int members[] = {4, 0, 2};
    ARMCI_Group group;
    ARMCI_Group_create(3, members, &group);
    int place = -2;
    int size = -1;
    ARMCI_Group_size(&group, &size);
    if (rank % 2 != 0) {
      EXPECT_NE(0, ARMCI_Group_rank(&group, &place));
      EXPECT_EQ(-1, place);
      EXPECT_EQ(0, size);
      EXPECT_EQ(-1, group.rank);
    } else {
      EXPECT_EQ(0, ARMCI_Group_rank(&group, &place));
      EXPECT_EQ(3, size);
      EXPECT_EQ(rank, ARMCI_Absolute_id(&group, place));
      EXPECT_EQ(4, ARMCI_Absolute_id(&group, 0));
      EXPECT_EQ(group.comm, armci_group_comm(&group));
      void* all[3];
      ASSERT_EQ(0, ARMCI_Malloc_group(all, 100, &group));
      int value = rank;
      const int next = (place + 1) % 3;
      ASSERT_EQ(0, ARMCI_Put(&value, all[next], 4, ARMCI_Absolute_id(&group, next)));
      ARMCI_AllFence();
      armci_msg_group_barrier(&group);
      EXPECT_EQ(ARMCI_Absolute_id(&group, (place + 2) % 3), *static_cast<int*>(all[place]));
      int sum = rank;
      char plus[] = "+";
      armci_msg_group_igop(&sum, 1, plus, &group);
      EXPECT_EQ(6, sum);
      int told = rank == 2 ? 99 : 0;
      armci_msg_group_bcast_scope(SCOPE_ALL, &told, 4, 2, &group);
      EXPECT_EQ(99, told);
      EXPECT_EQ(0, ARMCI_Free_group(all[place], &group));
      ARMCI_Group_set_default(&group);
      ARMCI_Group now;
      ARMCI_Group_get_default(&now);
      EXPECT_EQ(group.comm, now.comm);
      // A part of the group, by its ranks.
      int two[] = {0, 1};
      ARMCI_Group child;
      ARMCI_Group_create_child(2, two, &child, &group);
      EXPECT_EQ(place < 2 ? 2 : 0, child.size);
      if (place < 2) ARMCI_Group_free(&child);
      ARMCI_Group_free(&group);
    }
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    EXPECT_EQ(rank, world.rank);
    EXPECT_EQ(5, world.size);
    ARMCI_Barrier();
  });
}

TEST(Nodes, AreTheDomains) {
  run_armci(small_job(5, 2), {}, [](int rank) {
    EXPECT_EQ(3, armci_domain_count(ARMCI_DOMAIN_SMP));
    EXPECT_EQ(rank / 2, armci_domain_my_id(ARMCI_DOMAIN_SMP));
    EXPECT_EQ(2, armci_domain_id(ARMCI_DOMAIN_SMP, 4));
    EXPECT_EQ(2, armci_domain_nprocs(ARMCI_DOMAIN_SMP, 1));
    EXPECT_EQ(1, armci_domain_nprocs(ARMCI_DOMAIN_SMP, 2));
    EXPECT_EQ(rank == 4 ? 1 : 2, armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1));
    EXPECT_EQ(3, armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, 1, 1));
    EXPECT_EQ(rank / 2 == 1, ARMCI_Same_node(2) != 0);
  });
}

TEST(Messages, CollectivesOfEveryScopeAndOperation) {
  run_armci(small_job(5, 2), {}, [](int rank) {
    const auto combined = [&](const char* name, int scope) {
      std::vector<double> x{rank + 1.0, -2.0 * rank};
      std::string op = name;
      armci_msg_gop_scope(scope, x.data(), 2, op.data(), ARMCI_DOUBLE);
      return x;
    };
    EXPECT_EQ((std::vector<double>{15, -20}), combined("+", SCOPE_ALL));
    EXPECT_EQ(120, combined("*", SCOPE_ALL)[0]);
    EXPECT_EQ((std::vector<double>{5, 0}), combined("max", SCOPE_ALL));
    EXPECT_EQ((std::vector<double>{1, -8}), combined("min", SCOPE_ALL));
    EXPECT_EQ((std::vector<double>{5, 8}), combined("absmax", SCOPE_ALL));
    const int first = rank / 2 * 2;
    const double node = rank == 4 ? 5 : 2 * first + 3;
    EXPECT_EQ(node, combined("+", SCOPE_NODE)[0]);
    EXPECT_EQ(rank % 2 == 0 ? 9 : rank + 1.0, combined("+", SCOPE_MASTERS)[0]);
    int bits = 1 << rank;
    char band[] = "or";
    armci_msg_igop(&bits, 1, band);
    EXPECT_EQ(31, bits);
    for (const int root : {0, 3}) {
      int word = rank == root ? 1234 + root : -1;
      armci_msg_bcast(&word, 4, root);
      EXPECT_EQ(1234 + root, word);
    }
    int word = rank;
    armci_msg_clus_brdcst(&word, 4);
    EXPECT_EQ(first, word);
    long long sum = rank;
    char plus[] = "+";
    armci_msg_reduce(&sum, 1, plus, ARMCI_LONG_LONG);
    EXPECT_EQ(rank == 0 ? 10 : rank, sum);
    // The record with the largest key among those that contribute.
    struct {
      double key;
      char text[8];
    } record{rank == 3 ? 50.0 : rank * 1.0, {}};
    record.text[0] = static_cast<char>('a' + rank);
    char max[] = "max";
    auto chosen = record;
    armci_msg_sel(&chosen, sizeof chosen, max, ARMCI_DOUBLE, rank != 3 ? 1 : 0);
    EXPECT_EQ('e', chosen.text[0]);
    char min[] = "min";
    chosen = record;
    armci_msg_sel(&chosen, sizeof chosen, min, ARMCI_DOUBLE, rank >= 2 ? 1 : 0);
    EXPECT_EQ('c', chosen.text[0]);
  });
}

TEST(Messages, GoFromRankToRank) {
  run_armci(small_job(4, 2), {}, [](int rank) {
    std::vector<int> data(3000, rank);
    if (rank != 0) {
      armci_msg_snd(5, data.data(), 4 * rank * 500, 0);
    } else {
      int bytes = 0;
      armci_msg_rcv(5, data.data(), 12000, &bytes, 2);
      EXPECT_EQ(4000, bytes);
      EXPECT_EQ(2, data[999]);
      std::set<int> others;
      for (int i = 0; i < 2; ++i) {
        const int from = armci_msg_rcvany(5, data.data(), 12000, &bytes);
        others.insert(from);
        EXPECT_EQ(2000 * from, bytes);
        EXPECT_EQ(from, data[0]);
      }
      EXPECT_EQ((std::set<int>{1, 3}), others);
    }
    int root = -2;
    int up = -2;
    int left = -2;
    int right = -2;
    armci_msg_bintree(SCOPE_ALL, &root, &up, &left, &right);
    EXPECT_EQ(0, root);
    EXPECT_EQ(rank == 0 ? -1 : (rank - 1) / 2, up);
    EXPECT_EQ(2 * rank + 1 < 4 ? 2 * rank + 1 : -1, left);
    void* table[4] = {};
    table[rank] = reinterpret_cast<void*>(std::uintptr_t{100} + static_cast<unsigned>(rank));
    armci_exchange_address(table, 4);
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(reinterpret_cast<void*>(std::uintptr_t{100} + i), table[i]);
  });
}

}  // namespace
}  // namespace castor_test
