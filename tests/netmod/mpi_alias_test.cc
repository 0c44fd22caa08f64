// Collectives whose send and receive buffers are the same memory: MPI_ERR_BUFFER, before anything
// is sent. What leaves each other room is no such thing.
#include <numeric>
#include <vector>

#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

constexpr int ranks = 3;
// Where it is not allowed, unless there is nothing.
TEST(InPlace, IsNoBuffer) {
  run_returning(ranks, [](int) {
    std::vector<int> data(ranks, 1), counts(ranks, 1), none(ranks, 0), places{0, 1, 2};
    const std::vector<MPI_Datatype> types(ranks, MPI_INT);
    const MPI_Comm world = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, world), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allgather(data.data(), 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, world),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allgatherv(data.data(), 1, MPI_INT, MPI_IN_PLACE, counts.data(), places.data(),
                             MPI_INT, world),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Alltoallv(data.data(), counts.data(), places.data(), MPI_INT, MPI_IN_PLACE,
                            counts.data(), places.data(), MPI_INT, world),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Alltoallw(data.data(), counts.data(), places.data(), types.data(), MPI_IN_PLACE,
                            counts.data(), places.data(), types.data(), world),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce_local(MPI_IN_PLACE, data.data(), 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Exscan(data.data(), MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Bcast(MPI_IN_PLACE, 0, MPI_INT, 0, world), MPI_SUCCESS);
    EXPECT_EQ(MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, world),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Alltoallv(data.data(), none.data(), places.data(), MPI_INT, MPI_IN_PLACE,
                            none.data(), places.data(), MPI_INT, world),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Allreduce(data.data(), MPI_IN_PLACE, 0, MPI_INT, MPI_SUM, world), MPI_SUCCESS);
  });
}

TEST(Aliases, OfReductions) {
  run_returning(ranks, [](int rank) {
    std::vector<int> data(2 * ranks, rank);
    const std::vector<int> counts(ranks, 2);
    int* const at = data.data();
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 1) {
      EXPECT_EQ(MPI_Reduce(at, at, 2, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    }
    EXPECT_EQ(MPI_Allreduce(at, at, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Iallreduce(at, at, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce_scatter_block(at, at, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce_scatter(at, at, counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Scan(at, at, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Exscan(at, at, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce_local(at, at, 2, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    // Elsewhere than at the root there is one buffer; nothing of nothing is no harm either.
    int sum = 0;
    EXPECT_EQ(MPI_Reduce(at, rank == 1 ? &sum : at, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(sum, rank == 1 ? 3 : 0);
    EXPECT_EQ(MPI_Allreduce(at, at, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(MPI_Allreduce(MPI_IN_PLACE, at, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
  });
}

TEST(Aliases, OfGathersAndScatters) {
  run_returning(ranks, [](int rank) {
    std::vector<int> data(2 * ranks, rank);
    const std::vector<int> counts(ranks, 2), places{4, 2, 0};
    int* const at = data.data();
    int* const own = at + std::ptrdiff_t{2} * rank;
    int* const placed = at + places[std::size_t(rank)];
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 1) {  // the root
      for (const int* from : {at, own}) {
        EXPECT_EQ(MPI_Gather(from, 2, MPI_INT, at, 2, MPI_INT, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
      }
      EXPECT_EQ(MPI_Gatherv(placed, 2, MPI_INT, at, counts.data(), places.data(), MPI_INT, 1,
                            MPI_COMM_WORLD),
                MPI_ERR_BUFFER);
      EXPECT_EQ(MPI_Scatter(at, 2, MPI_INT, own, 2, MPI_INT, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
      EXPECT_EQ(MPI_Scatterv(at, counts.data(), places.data(), MPI_INT, placed, 2, MPI_INT, 1,
                             MPI_COMM_WORLD),
                MPI_ERR_BUFFER);
      EXPECT_EQ(MPI_Iscatter(at, 2, MPI_INT, at, 2, MPI_INT, 1, MPI_COMM_WORLD, &request),
                MPI_ERR_BUFFER);
    }
    EXPECT_EQ(MPI_Allgather(own, 2, MPI_INT, at, 2, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Iallgather(own, 2, MPI_INT, at, 2, MPI_INT, MPI_COMM_WORLD, &request),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allgatherv(placed, 2, MPI_INT, at, counts.data(), places.data(), MPI_INT,
                             MPI_COMM_WORLD),
              MPI_ERR_BUFFER);
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

TEST(Aliases, OfAlltoalls) {
  run_returning(ranks, [](int) {
    std::vector<int> data(2 * ranks, 1);
    const std::vector<int> ones(ranks, 1), places{0, 1, 2}, others{3, 4, 5}, bytes{0, 4, 8};
    const std::vector<MPI_Datatype> types(ranks, MPI_INT);
    int* const at = data.data();
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(MPI_Alltoall(at, 1, MPI_INT, at, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Alltoallv(at, ones.data(), places.data(), MPI_INT, at, ones.data(), places.data(),
                            MPI_INT, MPI_COMM_WORLD),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Ialltoallw(at, ones.data(), bytes.data(), types.data(), at, ones.data(),
                             bytes.data(), types.data(), MPI_COMM_WORLD, &request),
              MPI_ERR_BUFFER);
    // Two halves of one buffer.
    EXPECT_EQ(MPI_Alltoallv(at, ones.data(), places.data(), MPI_INT, at, ones.data(), others.data(),
                            MPI_INT, MPI_COMM_WORLD),
              MPI_SUCCESS);
  });
}

// Every other element is sent, those between are received.
TEST(Aliases, AreNoneWhereDatatypesLeaveEachOtherRoom) {
  run_returning(ranks, [](int rank) {
    MPI_Datatype pair = MPI_DATATYPE_NULL, even = MPI_DATATYPE_NULL, odd = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_INT, 0, 8, &even);
    const int one = 1;
    MPI_Type_create_indexed_block(1, 1, &one, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, 8, &odd);
    MPI_Type_commit(&even);
    MPI_Type_commit(&odd);
    std::vector<int> data(2 * ranks, -1);
    for (int i = 0; i < ranks; ++i) data[std::size_t(2 * i)] = cell(rank, i, 0);
    EXPECT_EQ(MPI_Alltoall(data.data(), 1, even, data.data(), 1, odd, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < ranks; ++i) EXPECT_EQ(data[std::size_t(2 * i + 1)], cell(i, rank, 0));
  });
}

}  // namespace
}  // namespace netmod::testing
