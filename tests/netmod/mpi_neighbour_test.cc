// Neighbourhood collectives: on grids with ends and short cycles, on graphs with doubled edges.
#include <array>
#include <numeric>

#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

constexpr int untouched = -77;

/// What rank `from` puts into part `part`.
int value(int from, int part, int index) { return from * 1000 + part * 10 + index; }

/// Part `part` of a grid's rank comes from that neighbour's part in the other direction.
std::vector<int> expected_on_grid(MPI_Comm grid, int dimensions, int count, bool same_for_all) {
  std::vector<int> expected;
  for (int d = 0; d < dimensions; ++d) {
    int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
    MPI_Cart_shift(grid, d, 1, &below, &above);
    for (const auto& [from, part] : {std::pair(below, 2 * d + 1), std::pair(above, 2 * d)}) {
      for (int i = 0; i < count; ++i) {
        expected.push_back(from == MPI_PROC_NULL ? untouched
                                                 : value(from, same_for_all ? 0 : part, i));
      }
    }
  }
  return expected;
}

void on_grid(MPI_Comm grid, int dimensions, int count, bool blocking) {
  int rank = -1;
  MPI_Comm_rank(grid, &rank);
  const int parts = 2 * dimensions;
  const auto n = static_cast<std::size_t>(parts * count);
  std::vector<int> out;
  for (int part = 0; part < parts; ++part) {
    for (int i = 0; i < count; ++i) out.push_back(value(rank, part, i));
  }
  MPI_Request request = MPI_REQUEST_NULL;
  const auto finish = [&] { MPI_Wait(&request, MPI_STATUS_IGNORE); };

  std::vector<int> in(n, untouched);
  if (blocking) {
    MPI_Neighbor_alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, grid);
  } else {
    MPI_Ineighbor_alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, grid, &request);
    finish();
  }
  EXPECT_EQ(in, expected_on_grid(grid, dimensions, count, false));

  in.assign(n, untouched);
  if (blocking) {
    MPI_Neighbor_allgather(out.data(), count, MPI_INT, in.data(), count, MPI_INT, grid);
  } else {
    MPI_Ineighbor_allgather(out.data(), count, MPI_INT, in.data(), count, MPI_INT, grid, &request);
    finish();
  }
  EXPECT_EQ(in, expected_on_grid(grid, dimensions, count, true));

  // The same parts through a datatype with gaps, in reverse order.
  MPI_Datatype spread;
  MPI_Type_vector(count, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  const auto parts_n = static_cast<std::size_t>(parts);
  std::vector<int> ones(parts_n, 1), counts(parts_n, count), places(parts_n);
  std::vector<MPI_Aint> from_bytes(parts_n), to_bytes(parts_n);
  std::vector<MPI_Datatype> ints(parts_n, MPI_INT), spreads(parts_n, spread);
  for (int part = 0; part < parts; ++part) {
    const auto at = static_cast<std::size_t>(part);
    from_bytes[at] = part * count * MPI_Aint{sizeof(int)};
    to_bytes[at] = (parts - 1 - part) * count * 2 * MPI_Aint{sizeof(int)};
    places[at] = part * count;
  }
  std::vector<int> wide(2 * n, untouched);
  if (blocking) {
    MPI_Neighbor_alltoallw(out.data(), counts.data(), from_bytes.data(), ints.data(), wide.data(),
                           ones.data(), to_bytes.data(), spreads.data(), grid);
  } else {
    MPI_Ineighbor_alltoallw(out.data(), counts.data(), from_bytes.data(), ints.data(), wide.data(),
                            ones.data(), to_bytes.data(), spreads.data(), grid, &request);
    finish();
  }
  MPI_Type_free(&spread);
  const auto expected = expected_on_grid(grid, dimensions, count, false);
  for (int part = 0; part < parts; ++part) {
    for (int i = 0; i < 2 * count; ++i) {
      const auto at = static_cast<std::size_t>((parts - 1 - part) * count * 2 + i);
      EXPECT_EQ(wide[at],
                i % 2 == 0 ? expected[static_cast<std::size_t>(part * count + i / 2)] : untouched);
    }
  }

  in.assign(n, untouched);
  if (blocking) {
    MPI_Neighbor_alltoallv(out.data(), counts.data(), places.data(), MPI_INT, in.data(),
                           counts.data(), places.data(), MPI_INT, grid);
  } else {
    MPI_Ineighbor_alltoallv(out.data(), counts.data(), places.data(), MPI_INT, in.data(),
                            counts.data(), places.data(), MPI_INT, grid, &request);
    finish();
  }
  EXPECT_EQ(in, expected);
}

TEST(Neighbours, OfGrids) {
  for (const int size : world_sizes) {
    for (const int cyclic : {0, 1}) {
      run_mpi(size, [&](int) {
        std::array<int, 2> dims{}, periods{cyclic, 1};
        MPI_Dims_create(size, 2, dims.data());
        MPI_Comm grid;
        MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 0, &grid);
        for (const int count : {1, 5, 700}) {
          on_grid(grid, 2, count, true);
          on_grid(grid, 2, count, false);
        }
        MPI_Comm_free(&grid);
      });
    }
  }
}

/// Rank i sends to i + 1 twice and to itself; part k of the sender is part k of the receiver.
TEST(Neighbours, OfGraphsKeepTheOrderOfDoubledEdges) {
  for (const int size : world_sizes) {
    run_mpi(size, [&](int rank) {
      const int next = (rank + 1) % size, before = (rank + size - 1) % size;
      const std::vector<int> sources{before, before, rank}, destinations{next, next, rank};
      MPI_Comm ring;
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources.data(), MPI_UNWEIGHTED, 3,
                                     destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
      const std::vector<int> out{value(rank, 0, 0), value(rank, 1, 0), value(rank, 2, 0)};
      const std::vector<int> expected{value(before, 0, 0), value(before, 1, 0), value(rank, 2, 0)};
      std::vector<int> in(3, untouched), same(6, untouched);
      MPI_Neighbor_alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, ring);
      EXPECT_EQ(in, expected);
      const std::array<int, 3> counts{1, 1, 1}, places{4, 2, 0};
      MPI_Neighbor_allgatherv(out.data(), 1, MPI_INT, same.data(), counts.data(), places.data(),
                              MPI_INT, ring);
      const int theirs = value(before, 0, 0);
      EXPECT_EQ(same, (std::vector<int>{out[0], untouched, theirs, untouched, theirs, untouched}));
      // Several under way.
      std::array<std::vector<int>, 3> ins;
      std::array<MPI_Request, 3> requests{};
      for (std::size_t i = 0; i < 3; ++i) {
        ins[i].assign(3, untouched);
        MPI_Ineighbor_alltoall(out.data(), 1, MPI_INT, ins[i].data(), 1, MPI_INT, ring,
                               &requests[i]);
      }
      MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
      for (const auto& each : ins) EXPECT_EQ(each, expected);
      MPI_Comm_free(&ring);
    });
  }
}

TEST(Neighbours, NoneAndWrongOnes) {
  run_mpi(2, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int value = rank, in = untouched;
    EXPECT_EQ(MPI_Neighbor_allgather(&value, 1, MPI_INT, &in, 1, MPI_INT, MPI_COMM_WORLD),
              MPI_ERR_TOPOLOGY);
    MPI_Comm alone;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nullptr, MPI_WEIGHTS_EMPTY, 0, nullptr,
                                   MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &alone);
    EXPECT_EQ(MPI_Neighbor_alltoall(nullptr, 1, MPI_INT, nullptr, 1, MPI_INT, alone), MPI_SUCCESS);
    EXPECT_EQ(MPI_Neighbor_alltoallv(nullptr, nullptr, nullptr, MPI_INT, nullptr, nullptr, nullptr,
                                     MPI_INT, alone),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Neighbor_alltoall(MPI_IN_PLACE, 1, MPI_INT, &in, 1, MPI_INT, alone),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Neighbor_alltoall(&value, -1, MPI_INT, &in, 1, MPI_INT, alone), MPI_ERR_COUNT);
    MPI_Comm_free(&alone);
  });
}

}  // namespace
}  // namespace netmod::testing
