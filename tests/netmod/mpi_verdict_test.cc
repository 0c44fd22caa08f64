// Calls that make communicators: a mistake of one rank is an error at all of them, and nothing of
// the call stays.
#include <functional>
#include <string>

#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

/// `make(wrong, made)` is called by all ranks of a job, at one of them with something wrong.
void expect_told(const std::string& call, int error_class,
                 const std::function<int(bool wrong, MPI_Comm* made)>& make, int size = 4) {
  SCOPED_TRACE(call);
  for (int mistaken = 0; mistaken < size; ++mistaken) {
    run_returning(size, [&](int rank) {
      MPI_Comm made = MPI_COMM_WORLD;
      EXPECT_EQ(make(rank == mistaken, &made), error_class);
      EXPECT_EQ(made, MPI_COMM_NULL);
      // All are in step: the next one is made, and carries messages.
      ASSERT_EQ(make(false, &made), MPI_SUCCESS);
      int members = 0;
      int sum = 0;
      const int one = 1;
      MPI_Comm_size(made, &members);
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
      EXPECT_EQ(sum, members);
      MPI_Comm_free(&made);
    });
  }
}

constexpr MPI_Info no_info = 0x12345;
constexpr MPI_Group no_group = 0x12345;

TEST(Verdict, OfDuplicates) {
  expect_told("MPI_Comm_dup_with_info", MPI_ERR_INFO, [](bool wrong, MPI_Comm* made) {
    return MPI_Comm_dup_with_info(MPI_COMM_WORLD, wrong ? no_info : MPI_INFO_NULL, made);
  });
}

TEST(Verdict, OfSplits) {
  expect_told("MPI_Comm_split", MPI_ERR_ARG, [](bool wrong, MPI_Comm* made) {
    return MPI_Comm_split(MPI_COMM_WORLD, wrong ? -5 : 1, 0, made);
  });
  expect_told("MPI_Comm_split_type", MPI_ERR_ARG, [](bool wrong, MPI_Comm* made) {
    return MPI_Comm_split_type(MPI_COMM_WORLD, wrong ? 99 : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                               made);
  });
}

TEST(Verdict, OfGroups) {
  expect_told("MPI_Comm_create", MPI_ERR_GROUP, [](bool wrong, MPI_Comm* made) {
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int code = MPI_Comm_create(MPI_COMM_WORLD, wrong ? no_group : world, made);
    MPI_Group_free(&world);
    return code;
  });
}

TEST(Verdict, OfGrids) {
  expect_told("MPI_Cart_create", MPI_ERR_DIMS, [](bool wrong, MPI_Comm* made) {
    const int dims[] = {2, wrong ? -1 : 2};
    const int periods[] = {0, 0};
    return MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, made);
  });
  expect_told("MPI_Cart_create of fewer dimensions than none", MPI_ERR_COUNT,
              [](bool wrong, MPI_Comm* made) {
                const int dims[] = {4};
                return MPI_Cart_create(MPI_COMM_WORLD, wrong ? -1 : 1, dims, dims, 0, made);
              });
  expect_told("MPI_Cart_sub", MPI_ERR_ARG, [](bool wrong, MPI_Comm* made) {
    const int dims[] = {2, 2};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, dims, 0, &grid);
    const int kept[] = {1, 0};
    const int code = MPI_Cart_sub(grid, wrong ? nullptr : kept, made);
    if (code != MPI_SUCCESS) *made = MPI_COMM_NULL;  // a rank of two was not asked for it
    MPI_Comm_free(&grid);
    return code;
  });
}

TEST(Verdict, OfGraphs) {
  expect_told("MPI_Graph_create", MPI_ERR_ARG, [](bool wrong, MPI_Comm* made) {
    const int index[] = {1, 2, 3, 4};
    const int edges[] = {1, 2, 3, wrong ? 4 : 0};
    return MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, made);
  });
  expect_told("MPI_Dist_graph_create", MPI_ERR_RANK, [](bool wrong, MPI_Comm* made) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int degree = 1;
    const int next = wrong ? 4 : (rank + 1) % 4;
    return MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &next, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, made);
  });
  expect_told("MPI_Dist_graph_create_adjacent", MPI_ERR_RANK, [](bool wrong, MPI_Comm* made) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int next = wrong ? -7 : (rank + 1) % 4;
    const int before = (rank + 3) % 4;
    return MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
                                          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, made);
  });
}

TEST(Verdict, BetweenTwoGroups) {
  const auto between = [](const auto& make) {
    return [make](bool wrong, MPI_Comm* made) {
      int rank = 0;
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      MPI_Comm half, inter;
      MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
      MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &inter);
      const int code = make(inter, half, wrong, made);
      MPI_Comm_free(&inter);
      MPI_Comm_free(&half);
      return code;
    };
  };
  expect_told("MPI_Comm_split", MPI_ERR_ARG,
              between([](MPI_Comm inter, MPI_Comm, bool wrong, MPI_Comm* made) {
                return MPI_Comm_split(inter, wrong ? -5 : 0, 0, made);
              }));
  expect_told("MPI_Comm_create", MPI_ERR_GROUP,
              between([](MPI_Comm inter, MPI_Comm half, bool wrong, MPI_Comm* made) {
                MPI_Group group;
                MPI_Comm_group(half, &group);
                const int code = MPI_Comm_create(inter, wrong ? no_group : group, made);
                MPI_Group_free(&group);
                return code;
              }));
}

// Where errors end the job one does so at once, whether the others come or not.
TEST(Verdict, OfAFatalErrorIsNotWaitedFor) {
  FakeWorld world(2);
  world.run([&](int rank) {
    MPI_Init(nullptr, nullptr);
    MPI_Comm made;
    if (rank == 1) MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &made);
    MPI_Finalize();
  });
  ASSERT_EQ(world.abort_lines().size(), 1U);
  EXPECT_NE(world.abort_lines().front().find("MPI_Comm_split: color is -5"), std::string::npos);
}

}  // namespace
}  // namespace netmod::testing
