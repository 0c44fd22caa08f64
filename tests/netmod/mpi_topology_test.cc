// Process topologies: grids, graphs, distributed graphs, balanced dimensions.
#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "tests/netmod/mpi_run.h"

namespace netmod::testing {
namespace {

std::vector<int> balanced(int count, std::vector<int> dims) {
  EXPECT_EQ(MPI_Dims_create(count, static_cast<int>(dims.size()), dims.data()), MPI_SUCCESS);
  return dims;
}

/// The least difference between largest and smallest of `parts` factors, by trying all.
int least_difference(int rest, int parts, int low, int high) {
  if (parts == 0) return rest == 1 ? high - low : INT32_MAX;
  int best = INT32_MAX;
  for (int factor = 1; factor <= rest; ++factor) {
    if (rest % factor != 0) continue;
    best = std::min(best, least_difference(rest / factor, parts - 1, std::min(low, factor),
                                           std::max(high, factor)));
  }
  return best;
}

TEST(Dimensions, AreAsCloseAsCanBe) {
  run_mpi(1, [](int) {
    for (const int parts : {1, 2, 3, 4}) {
      for (int count = 1; count <= 130; ++count) {
        const auto dims = balanced(count, std::vector<int>(static_cast<std::size_t>(parts), 0));
        EXPECT_EQ(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()), count);
        EXPECT_TRUE(std::is_sorted(dims.rbegin(), dims.rend()));
        EXPECT_EQ(dims.front() - dims.back(), least_difference(count, parts, INT32_MAX, 0))
            << count << " in " << parts;
      }
    }
  });
}

TEST(Dimensions, FillOnlyZeros) {
  run_mpi(1, [](int) {
    EXPECT_EQ(balanced(24, {0, 4, 0}), (std::vector<int>{3, 4, 2}));
    EXPECT_EQ(balanced(6, {0, 3, 0}), (std::vector<int>{2, 3, 1}));
    EXPECT_EQ(balanced(12, {2, 6}), (std::vector<int>{2, 6}));
    EXPECT_EQ(balanced(32768, {0, 0, 0}), (std::vector<int>{32, 32, 32}));
    EXPECT_EQ(balanced(2147483647, {0, 0}), (std::vector<int>{2147483647, 1}));
    EXPECT_EQ(balanced(1 << 30, std::vector<int>(20, 0)).front(), 4);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::array<int, 3> dims{0, 5, 0};
    EXPECT_EQ(MPI_Dims_create(24, 3, dims.data()), MPI_ERR_DIMS);
    dims = {0, -1, 0};
    EXPECT_EQ(MPI_Dims_create(24, 3, dims.data()), MPI_ERR_DIMS);
    dims = {2, 2, 2};
    EXPECT_EQ(MPI_Dims_create(24, 3, dims.data()), MPI_ERR_DIMS);
    EXPECT_EQ(MPI_Dims_create(0, 3, dims.data()), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Dims_create(3, 0, nullptr), MPI_SUCCESS);
  });
}

TEST(Grid, RanksAndCoordinates) {
  run_mpi(7, [](int rank) {
    const int dims[] = {3, 2}, periods[] = {1, 0};
    MPI_Comm grid;
    int mapped = -1;
    ASSERT_EQ(MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &mapped), MPI_SUCCESS);
    EXPECT_EQ(mapped, rank < 6 ? rank : MPI_UNDEFINED);
    ASSERT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid), MPI_SUCCESS);
    ASSERT_EQ(grid == MPI_COMM_NULL, rank == 6);
    if (rank == 6) return;
    MPI_Comm dup;
    MPI_Comm_dup(grid, &dup);
    MPI_Comm_free(&grid);
    int kind = -1, dimensions = -1;
    MPI_Topo_test(MPI_COMM_WORLD, &kind);
    EXPECT_EQ(kind, MPI_UNDEFINED);
    MPI_Topo_test(dup, &kind);
    EXPECT_EQ(kind, MPI_CART);
    MPI_Cartdim_get(dup, &dimensions);
    EXPECT_EQ(dimensions, 2);
    std::array<int, 3> got{}, cycles{}, mine{};
    MPI_Cart_get(dup, 3, got.data(), cycles.data(), mine.data());
    EXPECT_EQ(got, (std::array<int, 3>{3, 2, 0}));
    EXPECT_EQ(cycles, (std::array<int, 3>{1, 0, 0}));
    EXPECT_EQ(mine, (std::array<int, 3>{rank / 2, rank % 2, 0}));
    for (int other = 0; other < 6; ++other) {
      std::array<int, 2> place{-1, -1};
      MPI_Cart_coords(dup, other, 2, place.data());
      EXPECT_EQ(place, (std::array<int, 2>{other / 2, other % 2}));
      int back = -1;
      place[0] += 3 * (other - 2);  // periodic
      MPI_Cart_rank(dup, place.data(), &back);
      EXPECT_EQ(back, other);
    }
    int before = -5, beyond = -5;
    MPI_Cart_shift(dup, 0, 1, &before, &beyond);
    EXPECT_EQ(before, (rank + 4) % 6);
    EXPECT_EQ(beyond, (rank + 2) % 6);
    MPI_Cart_shift(dup, 0, -5, &before, &beyond);  // like 1
    EXPECT_EQ(before, (rank + 4) % 6);
    EXPECT_EQ(beyond, (rank + 2) % 6);
    MPI_Cart_shift(dup, 1, 1, &before, &beyond);
    EXPECT_EQ(before, rank % 2 == 1 ? rank - 1 : MPI_PROC_NULL);
    EXPECT_EQ(beyond, rank % 2 == 0 ? rank + 1 : MPI_PROC_NULL);
    MPI_Cart_shift(dup, 1, 0, &before, &beyond);
    EXPECT_EQ(before, rank);
    EXPECT_EQ(beyond, rank);
    MPI_Comm_free(&dup);
  });
}

TEST(Grid, Parts) {
  run_mpi(12, [](int rank) {
    const int dims[] = {2, 3, 2}, periods[] = {0, 1, 0};
    MPI_Comm grid, part, point;
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    const int kept[] = {1, 0, 1};
    MPI_Cart_sub(grid, kept, &part);
    std::array<int, 2> got{}, cycles{}, mine{};
    MPI_Cart_get(part, 2, got.data(), cycles.data(), mine.data());
    EXPECT_EQ(got, (std::array<int, 2>{2, 2}));
    EXPECT_EQ(cycles, (std::array<int, 2>{0, 0}));
    EXPECT_EQ(mine, (std::array<int, 2>{rank / 6, rank % 2}));
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
    const int line = rank / 2 % 3;
    EXPECT_EQ(sum, 4 * 2 * line + 0 + 1 + 6 + 7);
    const int nothing[] = {0, 0, 0};
    MPI_Cart_sub(grid, nothing, &point);  // a grid without dimensions has one member
    EXPECT_EQ(point == MPI_COMM_NULL, rank != 0);
    if (point != MPI_COMM_NULL) {
      int size = -1, dimensions = -1, self = -1;
      MPI_Comm_size(point, &size);
      EXPECT_EQ(size, 1);
      MPI_Cartdim_get(point, &dimensions);
      EXPECT_EQ(dimensions, 0);
      EXPECT_EQ(MPI_Cart_rank(point, nullptr, &self), MPI_SUCCESS);
      EXPECT_EQ(self, 0);
      EXPECT_EQ(MPI_Cart_coords(point, 0, 0, nullptr), MPI_SUCCESS);
      MPI_Comm_free(&point);
    }
    MPI_Comm_free(&grid);
    MPI_Comm_free(&part);
    MPI_Cart_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, &point);
    EXPECT_EQ(point == MPI_COMM_NULL, rank != 0);
    if (point != MPI_COMM_NULL) MPI_Comm_free(&point);
  });
}

TEST(Grid, WrongArguments) {
  run_mpi(2, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int dims[] = {2, 2}, zero[] = {1, 0}, periods[] = {0, 0};
    MPI_Comm grid = MPI_COMM_NULL;
    EXPECT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid), MPI_ERR_DIMS);
    EXPECT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 2, zero, periods, 0, &grid), MPI_ERR_DIMS);
    EXPECT_EQ(MPI_Cart_create(MPI_COMM_WORLD, -1, dims, periods, 0, &grid), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, nullptr), MPI_ERR_ARG);
    int value = 0, other = 0;
    EXPECT_EQ(MPI_Cartdim_get(MPI_COMM_WORLD, &value), MPI_ERR_TOPOLOGY);
    ASSERT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid), MPI_SUCCESS);
    const int outside[] = {2};
    EXPECT_EQ(MPI_Cart_rank(grid, outside, &value), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Cart_coords(grid, 2, 1, &value), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Cart_coords(grid, 1, 0, &value), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Cart_shift(grid, 1, 1, &value, &other), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Graphdims_get(grid, &value, &other), MPI_ERR_TOPOLOGY);
    MPI_Comm_free(&grid);
  });
}

TEST(Graph, AllEdgesAreKept) {
  run_mpi(5, [](int rank) {
    const std::vector<int> index{2, 3, 4, 6}, edges{1, 3, 0, 3, 0, 2};
    int mapped = -1;
    MPI_Graph_map(MPI_COMM_WORLD, 4, index.data(), edges.data(), &mapped);
    EXPECT_EQ(mapped, rank < 4 ? rank : MPI_UNDEFINED);
    MPI_Comm made, dup;
    ASSERT_EQ(MPI_Graph_create(MPI_COMM_WORLD, 4, index.data(), edges.data(), 0, &made),
              MPI_SUCCESS);
    ASSERT_EQ(made == MPI_COMM_NULL, rank == 4);
    if (rank == 4) return;
    MPI_Comm_dup(made, &dup);
    int kind = -1, nodes = -1, count = -1;
    MPI_Topo_test(dup, &kind);
    EXPECT_EQ(kind, MPI_GRAPH);
    MPI_Graphdims_get(dup, &nodes, &count);
    EXPECT_EQ(nodes, 4);
    EXPECT_EQ(count, 6);
    std::vector<int> got_index(4), got_edges(6);
    MPI_Graph_get(dup, 4, 6, got_index.data(), got_edges.data());
    EXPECT_EQ(got_index, index);
    EXPECT_EQ(got_edges, edges);
    MPI_Graph_neighbors_count(dup, 3, &count);
    EXPECT_EQ(count, 2);
    std::array<int, 2> neighbours{};
    MPI_Graph_neighbors(dup, 3, 2, neighbours.data());
    EXPECT_EQ(neighbours, (std::array<int, 2>{0, 2}));
    MPI_Comm_free(&made);
    MPI_Comm_free(&dup);
  });
}

TEST(Graph, WrongArguments) {
  run_mpi(2, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm made = MPI_COMM_WORLD;
    const int index[] = {1, 2, 3}, edges[] = {1, 0, 1}, falling[] = {1, 0}, outside[] = {2, 0};
    EXPECT_EQ(MPI_Graph_create(MPI_COMM_WORLD, 3, index, edges, 0, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Graph_create(MPI_COMM_WORLD, 2, falling, edges, 0, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Graph_create(MPI_COMM_WORLD, 2, index, outside, 0, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Graph_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, &made), MPI_SUCCESS);
    EXPECT_EQ(made, MPI_COMM_NULL);
    const int minus[] = {-1};
    EXPECT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, edges, minus, 0, nullptr,
                                             MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &made),
              MPI_ERR_ARG);
    EXPECT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, outside, MPI_UNWEIGHTED, 0, nullptr,
                                             MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
              MPI_ERR_RANK);
    EXPECT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, edges, MPI_UNWEIGHTED, 0, nullptr,
                                             MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &made),
              MPI_ERR_ARG);
  });
}

/// Edges from every rank to the two above it, given by their ends or by anybody.
TEST(DistributedGraph, EachRankKnowsItsOwnEdges) {
  for (const int size : world_sizes) {
    run_mpi(size, [&](int rank) {
      const auto at = [&](int number) { return (number % size + size) % size; };
      const std::vector<int> sources{at(rank - 2), at(rank - 1)};
      const std::vector<int> destinations{at(rank + 1), at(rank + 2)};
      const std::vector<int> in_weights{2, 1}, out_weights{1, 2};
      MPI_Comm adjacent, made;
      ASSERT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources.data(), in_weights.data(),
                                               2, destinations.data(), out_weights.data(),
                                               MPI_INFO_NULL, 0, &adjacent),
                MPI_SUCCESS);
      // Rank r gives the edges of r + 1; rank 0 gives nothing of its own besides.
      const int source = at(rank + 1), degree = 2;
      const std::vector<int> ends{at(source + 1), at(source + 2)};
      ASSERT_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, ends.data(),
                                      out_weights.data(), MPI_INFO_NULL, 1, &made),
                MPI_SUCCESS);
      for (MPI_Comm* comm : {&adjacent, &made}) {
        int in = -1, out = -1, weighted = -1, kind = -1;
        MPI_Topo_test(*comm, &kind);
        EXPECT_EQ(kind, MPI_DIST_GRAPH);
        MPI_Dist_graph_neighbors_count(*comm, &in, &out, &weighted);
        EXPECT_EQ(in, 2);
        EXPECT_EQ(out, 2);
        EXPECT_EQ(weighted, 1);
        std::vector<int> from(2, -1), from_weights(2, -1), to(2, -1), to_weights(2, -1);
        MPI_Dist_graph_neighbors(*comm, 2, from.data(), from_weights.data(), 2, to.data(),
                                 to_weights.data());
        EXPECT_EQ(to, destinations);
        EXPECT_EQ(to_weights, out_weights);
        std::vector<std::pair<int, int>> expected, got;
        for (std::size_t i = 0; i < 2; ++i) {
          expected.emplace_back(sources[i], in_weights[i]);
          got.emplace_back(from[i], from_weights[i]);
        }
        std::sort(expected.begin(), expected.end());
        std::sort(got.begin(), got.end());
        EXPECT_EQ(got, expected);
        MPI_Comm_free(comm);
      }
    });
  }
}

TEST(DistributedGraph, WithoutWeightsOrEdges) {
  run_mpi(4, [](int rank) {
    MPI_Comm made;
    const int source = 2, degree = rank == 3 ? 3 : 0;
    const int ends[] = {1, 1, 2};
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, ends, MPI_UNWEIGHTED, MPI_INFO_NULL,
                          0, &made);
    int in = -1, out = -1, weighted = -1;
    MPI_Dist_graph_neighbors_count(made, &in, &out, &weighted);
    EXPECT_EQ(in, rank == 1 ? 2 : (rank == 2 ? 1 : 0));
    EXPECT_EQ(out, rank == 2 ? 3 : 0);
    EXPECT_EQ(weighted, 0);
    std::array<int, 3> from{-1, -1, -1}, to{-1, -1, -1};
    MPI_Dist_graph_neighbors(made, 3, from.data(), MPI_UNWEIGHTED, 2, to.data(), MPI_UNWEIGHTED);
    if (rank == 2) {
      EXPECT_EQ(to, (std::array<int, 3>{1, 1, -1}));
    }
    if (rank == 1) {
      EXPECT_EQ(from, (std::array<int, 3>{2, 2, -1}));
    }
    MPI_Comm_free(&made);
  });
}

/// Edges that anybody gives come in the order of their givers, then as given: some ranks have many,
/// some none, some edges are there twice or lead back.
TEST(DistributedGraph, EdgesComeInTheOrderOfTheirGivers) {
  for (const int size : world_sizes) {
    struct Given {
      int source, destination, weight;
    };
    std::mt19937 random(static_cast<std::uint32_t>(size));
    std::vector<std::vector<Given>> given(static_cast<std::size_t>(size));
    for (auto& list : given) {
      const auto any = [&] { return static_cast<int>(random() % static_cast<unsigned>(size)); };
      for (unsigned i = random() % 9; i > 0; --i) {
        list.push_back({any(), i % 3 == 0 ? 0 : any(), static_cast<int>(random() % 100)});
      }
    }
    run_mpi(size, [&](int rank) {
      std::vector<int> sources, degrees, ends, weights;
      for (const Given& edge : given[static_cast<std::size_t>(rank)]) {
        sources.push_back(edge.source);
        degrees.push_back(1);
        ends.push_back(edge.destination);
        weights.push_back(edge.weight);
      }
      std::vector<int> from, from_weights, to, to_weights;
      for (const auto& list : given) {
        for (const Given& edge : list) {
          if (edge.source == rank) to.push_back(edge.destination);
          if (edge.source == rank) to_weights.push_back(edge.weight);
          if (edge.destination == rank) from.push_back(edge.source);
          if (edge.destination == rank) from_weights.push_back(edge.weight);
        }
      }
      MPI_Comm made;
      ASSERT_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, static_cast<int>(sources.size()),
                                      sources.data(), degrees.data(), ends.data(), weights.data(),
                                      MPI_INFO_NULL, 0, &made),
                MPI_SUCCESS);
      int in = -1, out = -1, weighted = -1;
      MPI_Dist_graph_neighbors_count(made, &in, &out, &weighted);
      ASSERT_EQ(in, static_cast<int>(from.size()));
      ASSERT_EQ(out, static_cast<int>(to.size()));
      std::vector<int> got_from(from.size()), got_from_weights(from.size());
      std::vector<int> got_to(to.size()), got_to_weights(to.size());
      MPI_Dist_graph_neighbors(made, in, got_from.data(), got_from_weights.data(), out,
                               got_to.data(), got_to_weights.data());
      EXPECT_EQ(got_from, from);
      EXPECT_EQ(got_from_weights, from_weights);
      EXPECT_EQ(got_to, to);
      EXPECT_EQ(got_to_weights, to_weights);
      MPI_Comm_free(&made);
    });
  }
}

TEST(DistributedGraph, WeightsAreGivenByAllOrByNone) {
  run_mpi(5, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int degree = 1, end = 0, weight = 1;
    MPI_Comm made = MPI_COMM_NULL;
    EXPECT_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &end,
                                    rank == 3 ? MPI_UNWEIGHTED : &weight, MPI_INFO_NULL, 0, &made),
              MPI_ERR_ARG);
  });
}

}  // namespace
}  // namespace netmod::testing
