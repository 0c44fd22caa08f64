// Arguments that a call does not use are not looked at.
#include <numeric>
#include <vector>

#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

/// What a rank gives MPI_Alltoallw that has one int for the next rank and nothing for the others.
struct Ring {
  Ring(int rank, int size) : next((rank + 1) % size), last((rank + size - 1) % size) {
    for (auto* list : {&send_counts, &receive_counts, &places}) list->assign(std::size_t(size), 0);
    for (auto* list : {&send_types, &receive_types}) {
      list->assign(std::size_t(size), MPI_DATATYPE_NULL);
    }
    send_counts[std::size_t(next)] = receive_counts[std::size_t(last)] = 1;
    send_types[std::size_t(next)] = receive_types[std::size_t(last)] = MPI_INT;
  }
  int next, last;
  std::vector<int> send_counts, receive_counts, places;
  std::vector<MPI_Datatype> send_types, receive_types;
};

TEST(UnusedArguments, DatatypesOfEmptyParts) {
  run_returning(4, [](int rank) {
    const Ring ring(rank, 4);
    const int out = 70 + rank;
    int in = 0;
    EXPECT_EQ(MPI_Alltoallw(&out, ring.send_counts.data(), ring.places.data(),
                            ring.send_types.data(), &in, ring.receive_counts.data(),
                            ring.places.data(), ring.receive_types.data(), MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(in, 70 + ring.last);
    in = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(
        MPI_Ialltoallw(&out, ring.send_counts.data(), ring.places.data(), ring.send_types.data(),
                       &in, ring.receive_counts.data(), ring.places.data(),
                       ring.receive_types.data(), MPI_COMM_WORLD, &request),
        MPI_SUCCESS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(in, 70 + ring.last);
    // Of a part that is not empty the datatype counts.
    Ring wrong(rank, 4);
    wrong.receive_types[std::size_t(wrong.last)] = MPI_DATATYPE_NULL;
    EXPECT_EQ(MPI_Alltoallw(&out, wrong.send_counts.data(), wrong.places.data(),
                            wrong.send_types.data(), &in, wrong.receive_counts.data(),
                            wrong.places.data(), wrong.receive_types.data(), MPI_COMM_WORLD),
              MPI_ERR_TYPE);
  });
}

TEST(UnusedArguments, DatatypesAndPlacesOfNeighboursWithoutData) {
  run_returning(4, [](int rank) {
    const int size = 4, periodic = 0;
    MPI_Comm line = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
    // To the right only: no rank gets anything from there. Beyond the ends is MPI_PROC_NULL.
    const int send_counts[2] = {0, 1}, receive_counts[2] = {1, 0};
    const MPI_Datatype send_types[2] = {MPI_DATATYPE_NULL, MPI_INT};
    const MPI_Datatype receive_types[2] = {MPI_INT, MPI_DATATYPE_NULL};
    const MPI_Aint places[2] = {0, 0};
    const int out = 30 + rank;
    int in = -1;
    EXPECT_EQ(MPI_Neighbor_alltoallw(&out, send_counts, places, send_types, &in, receive_counts,
                                     places, receive_types, line),
              MPI_SUCCESS);
    EXPECT_EQ(in, rank == 0 ? -1 : 30 + rank - 1);
    const int none[2] = {0, 0};
    EXPECT_EQ(MPI_Neighbor_alltoallw(nullptr, none, nullptr, nullptr, nullptr, none, nullptr,
                                     nullptr, line),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Neighbor_alltoallv(nullptr, none, nullptr, MPI_INT, nullptr, none, nullptr,
                                     MPI_INT, line),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Neighbor_allgatherv(nullptr, 0, MPI_INT, nullptr, none, nullptr, MPI_INT, line),
              MPI_SUCCESS);
    MPI_Comm_free(&line);
  });
}

TEST(UnusedArguments, PlacesOfEmptyParts) {
  run_returning(3, [](int) {
    const std::vector<int> none(3, 0);
    const MPI_Comm world = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Gatherv(nullptr, 0, MPI_INT, nullptr, none.data(), nullptr, MPI_INT, 0, world),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Scatterv(nullptr, none.data(), nullptr, MPI_INT, nullptr, 0, MPI_INT, 0, world),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Allgatherv(nullptr, 0, MPI_INT, nullptr, none.data(), nullptr, MPI_INT, world),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Alltoallv(nullptr, none.data(), nullptr, MPI_INT, nullptr, none.data(), nullptr,
                            MPI_INT, world),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Alltoallw(nullptr, none.data(), nullptr, nullptr, nullptr, none.data(), nullptr,
                            nullptr, world),
              MPI_SUCCESS);
    const std::vector<int> ones(3, 1);
    int in[3];
    EXPECT_EQ(MPI_Allgatherv(&in[0], 0, MPI_INT, in, ones.data(), nullptr, MPI_INT, world),
              MPI_ERR_ARG);
  });
}

TEST(UnusedArguments, WhatCountsAtTheRootOnly) {
  run_returning(3, [](int rank) {
    const MPI_Comm world = MPI_COMM_WORLD;
    const bool root = rank == 1;
    const int value = 5 + rank;
    std::vector<int> all(3, -1), ones(3, 1), places{0, 1, 2};
    EXPECT_EQ(MPI_Gather(&value, 1, MPI_INT, root ? all.data() : nullptr, root ? 1 : -3,
                         root ? MPI_INT : MPI_DATATYPE_NULL, 1, world),
              MPI_SUCCESS);
    EXPECT_EQ(
        MPI_Gatherv(&value, 1, MPI_INT, root ? all.data() : nullptr, root ? ones.data() : nullptr,
                    root ? places.data() : nullptr, root ? MPI_INT : MPI_DATATYPE_NULL, 1, world),
        MPI_SUCCESS);
    if (root) {
      EXPECT_EQ(all, (std::vector<int>{5, 6, 7}));
    }
    int own = 0;
    EXPECT_EQ(MPI_Scatter(root ? all.data() : nullptr, root ? 1 : -3,
                          root ? MPI_INT : MPI_DATATYPE_NULL, &own, 1, MPI_INT, 1, world),
              MPI_SUCCESS);
    EXPECT_EQ(own, value);
    EXPECT_EQ(MPI_Scatterv(root ? all.data() : nullptr, root ? ones.data() : nullptr,
                           root ? places.data() : nullptr, root ? MPI_INT : MPI_DATATYPE_NULL, &own,
                           1, MPI_INT, 1, world),
              MPI_SUCCESS);
    int sum = 0;
    EXPECT_EQ(MPI_Reduce(&value, root ? &sum : nullptr, 1, MPI_INT, MPI_SUM, 1, world),
              MPI_SUCCESS);
    EXPECT_EQ(sum, root ? 18 : 0);
  });
}

// MPICH 4's answers, too.
TEST(UnusedArguments, DatatypesOfNoElements) {
  run_returning(2, [](int rank) {
    const MPI_Datatype none = MPI_DATATYPE_NULL;
    const MPI_Comm world = MPI_COMM_WORLD;
    MPI_Status status{};
    MPI_Request requests[2];
    EXPECT_EQ(
        MPI_Sendrecv(nullptr, 0, none, 1 - rank, 3, nullptr, 0, none, 1 - rank, 3, world, &status),
        MPI_SUCCESS);
    EXPECT_EQ(status.MPI_SOURCE, 1 - rank);
    EXPECT_EQ(MPI_Irecv(nullptr, 0, none, 1 - rank, 4, world, &requests[0]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Send_init(nullptr, 0, none, 1 - rank, 4, world, &requests[1]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Start(&requests[1]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(MPI_Request_free(&requests[1]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Bcast(nullptr, 0, none, 0, world), MPI_SUCCESS);
    int at = 0;
    EXPECT_EQ(MPI_Pack(nullptr, 0, none, nullptr, 0, &at, world), MPI_SUCCESS);
    // A message that is not empty is still too long.
    const int value = 8;
    MPI_Isend(&value, 1, MPI_INT, rank, 5, world, &requests[0]);
    EXPECT_EQ(MPI_Recv(nullptr, 0, none, rank, 5, world, &status), MPI_ERR_TRUNCATE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    EXPECT_EQ(MPI_Send(&value, 1, none, 1 - rank, 6, world), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Send(nullptr, -1, none, 1 - rank, 6, world), MPI_ERR_COUNT);
  });
}

TEST(UnusedArguments, WeightsOfNoEdges) {
  run_returning(2, [](int rank) {
    const int other = 1 - rank, weight = 7;
    MPI_Comm graph = MPI_COMM_NULL;
    // From rank 0 to rank 1.
    EXPECT_EQ(MPI_Dist_graph_create_adjacent(
                  MPI_COMM_WORLD, rank, &other, rank == 1 ? &weight : MPI_UNWEIGHTED, 1 - rank,
                  &other, rank == 0 ? &weight : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
              MPI_SUCCESS);
    int in = -1, out = -1, weighted = 0;
    EXPECT_EQ(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted), MPI_SUCCESS);
    EXPECT_EQ(in, rank);
    EXPECT_EQ(out, 1 - rank);
    EXPECT_EQ(weighted, 1);
    MPI_Comm_free(&graph);
    EXPECT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other,
                                             &weight, MPI_INFO_NULL, 0, &graph),
              MPI_ERR_ARG);
  });
}

// In place, nothing that is said of what is sent counts.
TEST(UnusedArguments, WhatIsSaidOfDataInPlace) {
  run_returning(3, [](int rank) {
    const MPI_Comm world = MPI_COMM_WORLD;
    std::vector<int> data{10 * rank, 10 * rank + 1, 10 * rank + 2}, ones(3, 1), places{0, 1, 2};
    const std::vector<MPI_Datatype> types(3, MPI_INT);
    EXPECT_EQ(MPI_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, data.data(), 1, MPI_INT, world),
              MPI_SUCCESS);
    EXPECT_EQ(data, (std::vector<int>{rank, 10 + rank, 20 + rank}));
    EXPECT_EQ(MPI_Alltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, data.data(), ones.data(),
                            std::vector<int>{0, 4, 8}.data(), types.data(), world),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, data.data(),
                            ones.data(), places.data(), MPI_INT, world),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, data.data(), 1, MPI_INT, world),
              MPI_SUCCESS);
    EXPECT_EQ(data, (std::vector<int>{0, 11, 22}));
  });
}

}  // namespace
}  // namespace netmod::testing
