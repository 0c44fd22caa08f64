// Handle tables, groups, datatype layouts and error texts, without any rank.
#include <gtest/gtest.h>

#include <vector>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/handles.h"
#include "netmod/mpi/datatypes/datatype_build.h"
#include "netmod/mpi/environment/rank_tables.h"
#include "netmod/mpi/groups/group.h"
#include "netmod/mpi/operations/op.h"

namespace netmod {
namespace {

TEST(HandleTable, HandlesNameTheirObjectsUntilRemoved) {
  HandleTable<int> table(HandleKind::request);
  std::vector<int> handles(1000);
  for (int i = 0; i < 1000; ++i) *table.add(handles[static_cast<std::size_t>(i)]) = i;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_NE(table.find(handles[static_cast<std::size_t>(i)]), nullptr);
    EXPECT_EQ(*table.find(handles[static_cast<std::size_t>(i)]), i);
  }
  EXPECT_EQ(static_cast<unsigned>(handles[0]) >> 26, 0x2bu);  // 10 1011: made by a call, request
  table.remove(handles[500]);
  EXPECT_EQ(table.find(handles[500]), nullptr);
  EXPECT_EQ(table.count(), 999u);
  int again = 0;
  ASSERT_NE(table.add(again), nullptr);
  EXPECT_NE(again, handles[500]) << "a stale handle must not name its successor";
  EXPECT_EQ(table.find(handles[500]), nullptr);
  EXPECT_EQ(*table.find(again), 0);
}

TEST(HandleTable, ForeignHandlesNameNothing) {
  HandleTable<int> table(HandleKind::datatype, 5);
  int handle = 0;
  table.add(handle);
  EXPECT_EQ(static_cast<unsigned>(handle), 0x8c000005u);
  for (const int foreign : {0, -1, MPI_INT, MPI_COMM_WORLD, handle + 1, handle - 1,
                            handle ^ 0x100000, handle ^ (1 << 26), MPI_FLOAT_INT}) {
    EXPECT_EQ(table.find(foreign), nullptr) << std::hex << foreign;
  }
}

struct TestRequest final : Request {
  using Request::end;
};

TEST(Condition, HoldsWhenTheLastOfItsRequestsIsComplete) {
  std::vector<TestRequest> requests(3);
  requests[1].end({});  // before anybody waits for it
  Condition all;
  EXPECT_TRUE(all.holds());
  for (TestRequest& request : requests) all.add(request);
  all.add(requests[0]);  // named twice: still one
  EXPECT_FALSE(all.holds());
  requests[2].end({});
  EXPECT_FALSE(all.holds());
  requests[0].end({});
  EXPECT_TRUE(all.holds());
}

TEST(Condition, IsWhateverItLooksAt) {
  int looks = 0;
  const auto third = [&looks] { return ++looks == 3; };
  const Condition condition(third);
  EXPECT_FALSE(condition.holds());
  EXPECT_FALSE(condition.holds());
  EXPECT_TRUE(condition.holds());
  EXPECT_EQ(looks, 3);
}

Group listed(std::vector<int> members) { return Group(std::move(members)); }

TEST(Group, RegularGroupsNeedNoTable) {
  EXPECT_FALSE(listed({3, 5, 7, 9}).has_table());
  EXPECT_FALSE(listed({9, 5, 1}).has_table());
  EXPECT_FALSE(listed({}).has_table());
  EXPECT_TRUE(listed({0, 1, 3}).has_table());
}

TEST(Group, MembersAndRanksAgree) {
  const std::vector<Group> groups{Group(0, 1, 10),      Group(4, 3, 5), listed({9, 5, 1}),
                                  listed({0, 1, 3, 2}), Group(),        listed({6})};
  for (const Group& group : groups) {
    for (int i = 0; i < group.size(); ++i) EXPECT_EQ(group.member(group.job_rank(i)), i);
    int found = 0;
    for (int rank = -5; rank < 40; ++rank) found += group.member(rank) >= 0 ? 1 : 0;
    EXPECT_EQ(found, group.size());
  }
  const std::vector<int> asked{3, 7, 0, -1};
  EXPECT_EQ(listed({0, 1, 3, 2}).members_of(asked), (std::vector<int>{2, -1, 0, -1}));
}

TEST(Group, Compare) {
  EXPECT_EQ(Group(0, 1, 3).compare(listed({0, 1, 2})), MPI_IDENT);
  EXPECT_EQ(Group(0, 1, 3).compare(listed({2, 1, 0})), MPI_SIMILAR);
  EXPECT_EQ(Group(0, 1, 3).compare(listed({0, 1, 3})), MPI_UNEQUAL);
  EXPECT_EQ(Group(0, 1, 3).compare(listed({0, 1})), MPI_UNEQUAL);
}

TypeView view_of(MPI_Datatype handle) {
  const BasicType* basic = find_simple(handle);
  return {handle, basic->size, basic->size, nullptr, basic};
}
TypeView view_of(const Datatype& type) { return {0, type.size, type.extent(), &type, type.basic}; }

TEST(Datatype, TableKnowsPredefinedTypesOnly) {
  for (const MPI_Datatype type : {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_C_BOOL, MPI_2INT, MPI_COUNT}) {
    ASSERT_NE(find_simple(type), nullptr);
    EXPECT_EQ(find_simple(type)->handle, type);
    EXPECT_EQ(find_simple(type)->size, (type >> 8) & 0xff);
  }
  for (const int other :
       {0, -1, 0xff, MPI_DATATYPE_NULL, MPI_INT + 0x100, 0x4c0000ff, MPI_COMM_WORLD}) {
    EXPECT_EQ(find_simple(other), nullptr) << std::hex << other;
  }
}

TEST(Datatype, NeighboursMerge) {
  const Part part{0, 3, view_of(MPI_INT)};
  const Datatype three = concatenate({&part, 1});
  EXPECT_EQ(three.map.footprint(), 1);
  EXPECT_TRUE(three.contiguous());
  EXPECT_EQ(three.extent(), 12);
  const Part nested{0, 4, view_of(three)};
  EXPECT_EQ(concatenate({&nested, 1}).map.footprint(), 1);
}

TEST(Datatype, GapsArePackedAway) {
  const std::vector<Part> parts{{4, 1, view_of(MPI_INT)}, {12, 2, view_of(MPI_SHORT)}};
  Datatype gaps = concatenate(parts);
  EXPECT_EQ(gaps.size, 8);
  EXPECT_EQ(gaps.lb, 4);
  EXPECT_EQ(gaps.extent(), 12);
  EXPECT_EQ(gaps.basic, nullptr);
  EXPECT_FALSE(gaps.contiguous());
  std::vector<std::uint8_t> memory(40);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i);
  std::vector<std::byte> packed(16);
  pack(view_of(gaps), memory.data(), 2, packed.data());
  const std::vector<int> expected{4, 5, 6, 7, 12, 13, 14, 15, 16, 17, 18, 19, 24, 25, 26, 27};
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(static_cast<int>(packed[i]), expected[i]);
  std::vector<std::uint8_t> back(40, 0xff);
  unpack(view_of(gaps), packed.data(), 11, back.data());
  for (std::size_t i = 0; i < 40; ++i) {
    const bool there = std::find(expected.begin(), expected.begin() + 11, static_cast<int>(i)) !=
                       expected.begin() + 11;
    EXPECT_EQ(back[i], there ? i : 0xff) << i;
  }
  EXPECT_EQ(count_elements(view_of(gaps), 16), 6);
  EXPECT_EQ(count_elements(view_of(gaps), 14), 5);
  EXPECT_EQ(count_elements(view_of(gaps), 13), -1);
}

TEST(Op, DefinedWhereTheStandardSays) {
  const auto defined = [](MPI_Op op, MPI_Datatype type) {
    return find_kernel(op, *find_simple(type)) != nullptr;
  };
  for (MPI_Op op = MPI_MAX; op <= MPI_BXOR; ++op) EXPECT_TRUE(defined(op, MPI_INT)) << op;
  EXPECT_TRUE(defined(MPI_SUM, MPI_DOUBLE));
  EXPECT_FALSE(defined(MPI_BAND, MPI_DOUBLE));
  EXPECT_TRUE(defined(MPI_PROD, MPI_C_DOUBLE_COMPLEX));
  EXPECT_FALSE(defined(MPI_MAX, MPI_C_DOUBLE_COMPLEX));
  EXPECT_TRUE(defined(MPI_LAND, MPI_C_BOOL));
  EXPECT_FALSE(defined(MPI_SUM, MPI_C_BOOL));
  EXPECT_TRUE(defined(MPI_BOR, MPI_BYTE));
  EXPECT_FALSE(defined(MPI_SUM, MPI_BYTE));
  EXPECT_TRUE(defined(MPI_MAXLOC, MPI_2INT));
  EXPECT_FALSE(defined(MPI_MAXLOC, MPI_INT));
  EXPECT_FALSE(defined(MPI_SUM, MPI_2INT));
  EXPECT_FALSE(defined(MPI_REPLACE, MPI_INT));
  EXPECT_FALSE(defined(MPI_SUM, MPI_WCHAR));
}

TEST(Errors, ClassesHaveNamesAndTexts) {
  for (int code = MPI_SUCCESS; code <= MPI_ERR_RMA_FLAVOR; ++code) {
    if (code == 54) continue;  // not a class of the ABI
    EXPECT_TRUE(error_class_name(code).starts_with("MPI_")) << code;
    EXPECT_FALSE(error_class_text(code).empty()) << code;
  }
  EXPECT_EQ(error_class_name(54), "");
  EXPECT_EQ(error_class_name(-1), "");
}

TEST(RankTables, AreSmall) { EXPECT_LT(sizeof(RankTables), 2048u); }

}  // namespace
}  // namespace netmod
