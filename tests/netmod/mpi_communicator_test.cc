// Communicators and groups: splitting, duplicating, attributes, names, context agreement.
#include <algorithm>
#include <cstring>
#include <set>

#include "netmod/mpi/attributes/attribute_tables.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/groups/communicators.h"
#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

TEST(Communicator, SplitByColorAndKey) {
  run_mpi(7, [](int rank) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3, -rank, &part);
    int new_rank = -1, size = 0, result = -1;
    MPI_Comm_rank(part, &new_rank);
    MPI_Comm_size(part, &size);
    EXPECT_EQ(size, rank % 3 == 0 ? 3 : 2);
    EXPECT_EQ(new_rank, size - 1 - rank / 3);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
    EXPECT_EQ(sum, rank % 3 == 0 ? 9 : (rank % 3 == 1 ? 5 : 7));
    MPI_Comm_compare(part, MPI_COMM_WORLD, &result);
    EXPECT_EQ(result, MPI_UNEQUAL);
    MPI_Comm none;
    MPI_Comm_split(part, new_rank == 0 ? MPI_UNDEFINED : 0, 0, &none);
    EXPECT_EQ(none == MPI_COMM_NULL, new_rank == 0);
    if (none != MPI_COMM_NULL) MPI_Comm_free(&none);
    MPI_Comm_free(&part);
  });
}

/// Colors and keys in no order, keys with ties, some ranks without a color.
TEST(Communicator, SplitGivesEveryGroupItsOrder) {
  for (const int size : {1, 2, 5, 13, 16, 40}) {
    for (const int colors : {1, 3}) {
      const auto color_of = [&](int rank) {
        return rank % 11 == 7 ? MPI_UNDEFINED : rank * 5 % 7 % colors;
      };
      const auto key_of = [](int rank) { return rank * 7919 % 23 % 9 - 4; };
      run_mpi(size, [&](int rank) {
        std::vector<std::pair<int, int>> order;  // key, rank
        for (int other = 0; other < size; ++other) {
          if (color_of(other) == color_of(rank)) order.emplace_back(key_of(other), other);
        }
        std::sort(order.begin(), order.end());
        MPI_Comm part;
        MPI_Comm_split(MPI_COMM_WORLD, color_of(rank), key_of(rank), &part);
        ASSERT_EQ(part == MPI_COMM_NULL, color_of(rank) == MPI_UNDEFINED);
        if (part == MPI_COMM_NULL) return;
        int members = 0;
        MPI_Comm_size(part, &members);
        ASSERT_EQ(members, static_cast<int>(order.size()));
        MPI_Group world, group;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Comm_group(part, &group);
        for (int i = 0; i < members; ++i) {
          int found = -1;
          MPI_Group_translate_ranks(group, 1, &i, world, &found);
          EXPECT_EQ(found, order[static_cast<std::size_t>(i)].second) << size << " " << colors;
        }
        int sum = 0, expected = 0;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
        for (const auto& [key, other] : order) expected += other;
        EXPECT_EQ(sum, expected);
        MPI_Group_free(&world);
        MPI_Group_free(&group);
        MPI_Comm_free(&part);
      });
    }
  }
}

TEST(Communicator, SplitByNode) {
  run_mpi(3, [](int rank) {
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    int result = -1;
    MPI_Comm_compare(node, MPI_COMM_WORLD, &result);
    EXPECT_EQ(result, MPI_CONGRUENT);
    MPI_Comm_free(&node);
  });
}

TEST(Communicator, ContextsOfOverlappingCommunicatorsDiffer) {
  run_mpi(6, [](int rank) {
    std::set<std::uint32_t> contexts;
    std::vector<MPI_Comm> made;
    const auto note = [&](MPI_Comm comm) {
      if (comm == MPI_COMM_NULL) return;
      made.push_back(comm);
      EXPECT_TRUE(contexts.insert(this_rank_or_null()->communicators().named(comm).context).second);
    };
    MPI_Comm comm, half;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? MPI_UNDEFINED : rank % 2, 0, &half);
    note(half);
    for (int i = 0; i < rank % 2 + 1 && half != MPI_COMM_NULL; ++i) {
      MPI_Comm_dup(half, &comm);
      note(comm);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    note(comm);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    note(comm);
    for (MPI_Comm& each : made) MPI_Comm_free(&each);
  });
}

TEST(Communicator, WorldAndDupsHoldNoTable) {
  run_mpi(4, [](int rank) {
    MPI_Comm dup, reversed, odd;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    EXPECT_FALSE(this_rank_or_null()->communicators().named(dup).group.has_table());
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    EXPECT_FALSE(this_rank_or_null()->communicators().named(reversed).group.has_table());
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank == 1 ? 9 : rank, &odd);
    EXPECT_TRUE(this_rank_or_null()->communicators().named(odd).group.has_table());
    int result = -1;
    MPI_Comm_compare(reversed, odd, &result);
    EXPECT_EQ(result, MPI_SIMILAR);
    for (MPI_Comm comm : {dup, reversed, odd}) MPI_Comm_free(&comm);
  });
}

TEST(Communicator, CreateFromGroup) {
  run_mpi(5, [](int rank) {
    MPI_Group world, some;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int chosen[] = {4, 0, 3};
    MPI_Group_incl(world, 3, chosen, &some);
    MPI_Comm comm;
    MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
    EXPECT_EQ(comm == MPI_COMM_NULL, rank == 1 || rank == 2);
    if (comm != MPI_COMM_NULL) {
      int new_rank = -1;
      MPI_Comm_rank(comm, &new_rank);
      EXPECT_EQ(chosen[new_rank], rank);
      int from_first = rank;
      MPI_Bcast(&from_first, 1, MPI_INT, 0, comm);
      EXPECT_EQ(from_first, 4);
      MPI_Comm_free(&comm);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&some);
    EXPECT_EQ(some, MPI_GROUP_NULL);
  });
}

TEST(Communicator, GroupArithmetic) {
  run_mpi(6, [](int rank) {
    MPI_Group world, low, high, result;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int low_ranks[] = {0, 1, 2, 3}, high_ranks[] = {5, 3, 2};
    MPI_Group_incl(world, 4, low_ranks, &low);
    MPI_Group_incl(world, 3, high_ranks, &high);
    const auto expect = [&](std::vector<int> ranks) {
      int size = -1, mine = -1;
      MPI_Group_size(result, &size);
      ASSERT_EQ(size, static_cast<int>(ranks.size()));
      std::vector<int> all{0, 1, 2, 3, 4, 5}, translated(6);
      MPI_Group_translate_ranks(world, 6, all.data(), result, translated.data());
      for (int i = 0; i < 6; ++i) {
        const auto found = std::find(ranks.begin(), ranks.end(), i);
        EXPECT_EQ(translated[static_cast<std::size_t>(i)],
                  found == ranks.end() ? MPI_UNDEFINED : static_cast<int>(found - ranks.begin()));
      }
      MPI_Group_rank(result, &mine);
      EXPECT_EQ(mine, translated[static_cast<std::size_t>(rank)]);
      MPI_Group_free(&result);
    };
    MPI_Group_union(low, high, &result);
    expect({0, 1, 2, 3, 5});
    MPI_Group_intersection(high, low, &result);
    expect({3, 2});
    MPI_Group_difference(low, high, &result);
    expect({0, 1});
    MPI_Group_excl(world, 3, high_ranks, &result);
    expect({0, 1, 4});
    MPI_Group_difference(low, low, &result);
    EXPECT_EQ(result, MPI_GROUP_EMPTY);
    MPI_Group_free(&world);
    MPI_Group_free(&low);
    MPI_Group_free(&high);
  });
}

int copies(MPI_Comm, int, void* extra, void* value, void* copy, int* flag) {
  ++*static_cast<int*>(extra);
  *static_cast<void**>(copy) = static_cast<char*>(value) + 1;
  *flag = 1;
  return MPI_SUCCESS;
}
int deletions(MPI_Comm, int, void*, void* extra) {
  *static_cast<int*>(extra) += 100;
  return MPI_SUCCESS;
}

TEST(Communicator, AttributesAreCopiedAndDeleted) {
  run_mpi(1, [](int) {
    int calls = 0, key = MPI_KEYVAL_INVALID, flag = -1, shared = MPI_KEYVAL_INVALID;
    char value[4] = {};
    MPI_Comm_create_keyval(copies, deletions, &key, &calls);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &shared, nullptr);
    MPI_Comm first, second;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_set_attr(first, key, value);
    MPI_Comm_set_attr(first, shared, &value[3]);
    MPI_Comm_dup(first, &second);
    void* got = nullptr;
    MPI_Comm_get_attr(second, key, &got, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(got, value + 1);
    MPI_Attr_get(second, shared, &got, &flag);
    EXPECT_EQ(got, &value[3]);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &got, &flag);
    EXPECT_EQ(flag, 0);
    MPI_Comm_delete_attr(first, key);
    EXPECT_EQ(calls, 101);
    EXPECT_EQ(MPI_Comm_delete_attr(first, key), MPI_SUCCESS);
    EXPECT_EQ(calls, 101);
    MPI_Comm_free_keyval(&key);
    EXPECT_EQ(key, MPI_KEYVAL_INVALID);
    MPI_Comm_free(&second);
    EXPECT_EQ(calls, 201);
    MPI_Comm_free(&first);
    EXPECT_EQ(this_rank_or_null()->attributes().keys.count(), 1u);
    MPI_Keyval_free(&shared);
  });
}

int deletes_another(MPI_Comm comm, int, void*, void* other) {
  return MPI_Comm_delete_attr(comm, *static_cast<int*>(other));
}

TEST(Communicator, ADeleteFunctionMayDeleteAnotherAttribute) {
  run_mpi(1, [](int) {
    int keys[3], calls = 0;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deletions, &keys[0], &calls);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deletes_another, &keys[1], &keys[0]);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deletions, &keys[2], &calls);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (const int key : keys) MPI_Comm_set_attr(comm, key, &calls);
    EXPECT_EQ(MPI_Comm_delete_attr(comm, keys[1]), MPI_SUCCESS);
    EXPECT_EQ(calls, 100);
    for (int i = 0; i < 3; ++i) {
      void* got = nullptr;
      int flag = -1;
      MPI_Comm_get_attr(comm, keys[i], &got, &flag);
      EXPECT_EQ(flag, i == 2 ? 1 : 0) << i;
    }
    EXPECT_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    EXPECT_EQ(calls, 200);
    for (int& key : keys) MPI_Comm_free_keyval(&key);
    EXPECT_EQ(this_rank_or_null()->attributes().keys.count(), 0u);
  });
}

int frees_its_key(MPI_Comm, int key, void*, void*) { return MPI_Comm_free_keyval(&key); }

TEST(Communicator, AKeyMayBeFreedAgainWhileAttributesHaveIt) {
  run_mpi(1, [](int) {
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, frees_its_key, &key, nullptr);
    MPI_Comm first, second;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    MPI_Comm_set_attr(first, key, nullptr);
    MPI_Comm_set_attr(second, key, nullptr);
    MPI_Comm_free(&first);  // frees the key, too
    int copy = key;
    EXPECT_EQ(MPI_Comm_free_keyval(&key), MPI_SUCCESS);
    EXPECT_EQ(MPI_Keyval_free(&copy), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_free(&second), MPI_SUCCESS);
    EXPECT_EQ(this_rank_or_null()->attributes().keys.count(), 0u);
  });
}

TEST(Communicator, PredefinedAttributesAndNames) {
  run_mpi(3, [](int) {
    int* value = nullptr;
    int flag = 0, length = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    ASSERT_EQ(flag, 1);
    EXPECT_GE(*value, 32767);
    MPI_Attr_get(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
    EXPECT_EQ(*value, 3);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
    EXPECT_EQ(*value, 1);
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    EXPECT_STREQ(name, "MPI_COMM_WORLD");
    EXPECT_EQ(length, 14);
    MPI_Comm_set_name(MPI_COMM_WORLD, std::string(200, 'x').c_str());
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    EXPECT_EQ(length, MPI_MAX_OBJECT_NAME - 1);
    char node[MPI_MAX_PROCESSOR_NAME];
    MPI_Get_processor_name(node, &length);
    EXPECT_STREQ(node, "nid00007");
  });
}

}  // namespace
}  // namespace netmod::testing
