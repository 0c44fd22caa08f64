// Topologies with reorder: neighbours come near, every rank is there once, data go where they
// should.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "corespec/job/job.h"
#include "corespec/threads/process.h"
#include "tests/netmod/job_support.h"
#include "ugni_emu/include/rca_lib.h"

namespace castor_test {
namespace {

/// By rank of `comm`: what all ranks give.
std::vector<int> of_all(MPI_Comm comm, int mine) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<int> all(static_cast<std::size_t>(size));
  MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
  return all;
}

int rank_in(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

/// By rank: the node that it is on.
std::vector<int> nids_of(MPI_Comm comm) {
  return of_all(comm, corespec::this_process_or_null()->node().nid());
}

void expect_all_once(MPI_Comm comm, int ranks) {
  std::vector<int> found = of_all(comm, rank_in(MPI_COMM_WORLD));
  std::sort(found.begin(), found.end());
  std::vector<int> expected(static_cast<std::size_t>(ranks));
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(found, expected);
}

struct Neighbourhood3 {
  std::vector<int> from, to;  ///< in the order of MPI_Neighbor_alltoall's parts
};

/// By MPI_Cart_shift; checked against coordinates.
Neighbourhood3 neighbours(MPI_Comm grid) {
  int dimensions = 0;
  MPI_Cartdim_get(grid, &dimensions);
  const auto count = static_cast<std::size_t>(dimensions);
  std::vector<int> dims(count), periods(count), mine(count), again(count);
  MPI_Cart_get(grid, dimensions, dims.data(), periods.data(), mine.data());
  int self = -1;
  MPI_Cart_rank(grid, mine.data(), &self);
  EXPECT_EQ(self, rank_in(grid));
  MPI_Cart_coords(grid, self, dimensions, again.data());
  EXPECT_EQ(again, mine);
  Neighbourhood3 found;
  for (std::size_t d = 0; d < count; ++d) {
    int below = -1, above = -1;
    MPI_Cart_shift(grid, static_cast<int>(d), 1, &below, &above);
    found.from.insert(found.from.end(), {below, above});
    std::vector<int> next = mine;
    ++next[d];
    if (next[d] == dims[d] && periods[d] == 0) {
      EXPECT_EQ(above, MPI_PROC_NULL);
      continue;
    }
    int named = -1;
    MPI_Cart_rank(grid, next.data(), &named);
    EXPECT_EQ(named, above);
  }
  found.to = found.from;
  return found;
}

/// Each rank hears from each neighbour what that one has for it.
void expect_exchange(MPI_Comm grid, const Neighbourhood3& around) {
  const int self = rank_in(grid);
  std::vector<int> out(around.to.size()), in(around.to.size(), -1), expected(around.to.size(), -1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = self * 100 + static_cast<int>(i);
    const int back = static_cast<int>(i ^ 1);  // down from above, up from below
    if (around.from[i] >= 0) expected[i] = around.from[i] * 100 + back;
  }
  MPI_Neighbor_alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, grid);
  EXPECT_EQ(in, expected);
}

/// Neighbours on other nodes, of all ranks together.
int off_node(MPI_Comm grid) {
  const std::vector<int> nids = nids_of(grid);
  const int self = rank_in(grid);
  int mine = 0;
  for (const int other : neighbours(grid).to) {
    if (other < 0) continue;
    mine += nids[static_cast<std::size_t>(other)] != nids[static_cast<std::size_t>(self)];
  }
  int sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, grid);
  return sum;
}

struct Grid {
  std::vector<int> dims;
  int periodic;
};

MPI_Comm make(MPI_Comm of, const Grid& shape, int reorder) {
  const auto count = static_cast<int>(shape.dims.size());
  const std::vector<int> periods(shape.dims.size(), shape.periodic);
  MPI_Comm grid = MPI_COMM_NULL;
  EXPECT_EQ(MPI_Cart_create(of, count, shape.dims.data(), periods.data(), reorder, &grid),
            MPI_SUCCESS);
  int mapped = -1;
  if (reorder != 0) {
    MPI_Cart_map(of, count, shape.dims.data(), periods.data(), &mapped);
    EXPECT_EQ(mapped, grid == MPI_COMM_NULL ? MPI_UNDEFINED : rank_in(grid));
  }
  return grid;
}

/// `before` and `after`: neighbours on other nodes without and with reorder.
void expect_grid(MPI_Comm of, const Grid& shape, int before, int after) {
  MPI_Comm plain = make(of, shape, 0);
  EXPECT_EQ(of_all(plain, rank_in(of)), of_all(of, rank_in(of)));
  EXPECT_EQ(off_node(plain), before);
  MPI_Comm grid = make(of, shape, 1);
  EXPECT_EQ(off_node(grid), after);
  int size = 0;
  MPI_Comm_size(of, &size);
  expect_all_once(grid, size);
  expect_exchange(grid, neighbours(grid));
  MPI_Comm_free(&plain);
  MPI_Comm_free(&grid);
}

TEST(Mapping, NodesGetBlocksOfAGrid) {
  // Nodes of four: of two rows of six ranks either blocks of two by two, or parts of rows.
  run_mpi(small_job(12, 4), [](int) { expect_grid(MPI_COMM_WORLD, {{2, 6}, 0}, 16, 8); });
}

TEST(Mapping, KeepsRanksThatAreWellPlaced) {
  run_mpi(small_job(12, 4), [](int rank) {
    expect_grid(MPI_COMM_WORLD, {{6, 2}, 0}, 8, 8);
    MPI_Comm grid = make(MPI_COMM_WORLD, {{6, 2}, 0}, 1);
    EXPECT_EQ(rank_in(grid), rank);
    MPI_Comm_free(&grid);
  });
}

TEST(Mapping, RanksBeyondTheGridStayOut) {
  run_mpi(small_job(11, 4), [](int rank) {
    MPI_Comm grid = make(MPI_COMM_WORLD, {{2, 4}, 0}, 1);
    ASSERT_EQ(grid == MPI_COMM_NULL, rank >= 8);
    if (grid == MPI_COMM_NULL) return;
    expect_all_once(grid, 8);
    EXPECT_EQ(off_node(grid), 4);  // by rows it is 8
    MPI_Comm_free(&grid);
  });
}

TEST(Mapping, NearNodesGetNeighbours) {
  launch::JobRequest request = small_job(8, 2);
  request.system = "1x1x32";
  request.nids = {0, 20, 4, 24};  // at 0, 10, 2 and 12 along the torus's Z
  run_mpi(request, [](int) {
    MPI_Comm grid = make(MPI_COMM_WORLD, {{8}, 0}, 1);
    EXPECT_EQ(nids_of(grid), (std::vector<int>{0, 0, 4, 4, 20, 20, 24, 24}));
    expect_exchange(grid, neighbours(grid));
    MPI_Comm_free(&grid);
  });
}

/// On a dragonfly near nodes follow each other by nid: slots of a chassis, chassis of a group.
TEST(Mapping, NodesOfAGroupGetNeighbours) {
  launch::JobRequest request = small_job(8, 2);
  request.system = "dragonfly:3x2x4x4";
  request.nids = {0, 64, 31, 95};  // groups 0, 2, 0, 2
  run_mpi(request, [](int) {
    MPI_Comm grid = make(MPI_COMM_WORLD, {{8}, 0}, 1);
    EXPECT_EQ(nids_of(grid), (std::vector<int>{0, 0, 31, 31, 64, 64, 95, 95}));
    expect_exchange(grid, neighbours(grid));
    MPI_Comm_free(&grid);
  });
}

/// Of all ranks' messages to neighbours on other nodes: a NIC's port and the hops.
int way(MPI_Comm grid) {
  const std::vector<int> nids = nids_of(grid);
  const auto place = [](int nid) {
    rca_mesh_coord_t at{};
    rca_get_meshcoord(static_cast<std::uint16_t>(nid), &at);
    return std::array<int, 3>{at.mesh_x, at.mesh_y, at.mesh_z};
  };
  rca_mesh_coord_t last{};
  rca_get_max_dimension(&last);
  const std::array<int, 3> torus{last.mesh_x + 1, last.mesh_y + 1, last.mesh_z + 1};
  const int self = nids[static_cast<std::size_t>(rank_in(grid))];
  int mine = 0;
  for (const int other : neighbours(grid).to) {
    if (other < 0 || nids[static_cast<std::size_t>(other)] == self) continue;
    const auto from = place(self), to = place(nids[static_cast<std::size_t>(other)]);
    ++mine;
    for (std::size_t d = 0; d < 3; ++d) {
      const int straight = std::abs(from[d] - to[d]);
      mine += std::min(straight, torus[d] - straight);
    }
  }
  int sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, grid);
  return sum;
}

/// Blocks may leave less between nodes and yet take it farther: on a row of nodes rows are better.
TEST(Mapping, WeighsWhatGoesBetweenNodesByItsWay) {
  struct Case {
    const char* system;
    Grid grid;
    int own, mapped;
  };
  for (const Case& each :
       {Case{"1x1x32", {{8, 8}, 1}, 384, 352}, Case{"1x1x32", {{4, 4, 4}, 1}, 704, 704},
        Case{"4x4x4", {{8, 8}, 1}, 320, 224}}) {
    launch::JobRequest request = small_job(64, 4);
    request.system = each.system;
    run_mpi(request, [&](int) {
      MPI_Comm plain = make(MPI_COMM_WORLD, each.grid, 0);
      MPI_Comm grid = make(MPI_COMM_WORLD, each.grid, 1);
      EXPECT_EQ(way(plain), each.own);
      EXPECT_EQ(way(grid), each.mapped);
      MPI_Comm_free(&plain);
      MPI_Comm_free(&grid);
    });
  }
}

/// A rank's part of a distributed graph.
struct Part {
  std::vector<int> sources, source_weights, destinations, destination_weights;
  bool operator==(const Part&) const = default;
};

Part part_of(MPI_Comm graph) {
  int in = 0, out = 0, weighted = 0;
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  const auto ins = static_cast<std::size_t>(in), outs = static_cast<std::size_t>(out);
  Part part{std::vector<int>(ins), std::vector<int>(ins), std::vector<int>(outs),
            std::vector<int>(outs)};
  MPI_Dist_graph_neighbors(graph, in, part.sources.data(), part.source_weights.data(), out,
                           part.destinations.data(), part.destination_weights.data());
  return part;
}

/// Weight of the edges to other nodes, of all ranks together.
int weight_off_node(MPI_Comm graph) {
  const Part part = part_of(graph);
  const std::vector<int> nids = nids_of(graph);
  int mine = 0;
  for (std::size_t i = 0; i < part.destinations.size(); ++i) {
    const auto other = static_cast<std::size_t>(part.destinations[i]);
    if (nids[other] != nids[static_cast<std::size_t>(rank_in(graph))]) {
      mine += part.destination_weights[i];
    }
  }
  int sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, graph);
  return sum;
}

/// Of eight: much with the one half around, little with the next one.
Part wish_of(int rank) {
  const int far = (rank + 4) % 8;
  return {{far, (rank + 7) % 8}, {10, 1}, {far, (rank + 1) % 8}, {10, 1}};
}

TEST(Mapping, RanksThatExchangeMuchShareANode) {
  run_mpi(small_job(8, 2), [](int rank) {
    for (const int reorder : {0, 1}) {
      MPI_Comm graph;
      const Part own = wish_of(rank);
      ASSERT_EQ(MPI_Dist_graph_create_adjacent(
                    MPI_COMM_WORLD, 2, own.sources.data(), own.source_weights.data(), 2,
                    own.destinations.data(), own.destination_weights.data(), MPI_INFO_NULL, reorder,
                    &graph),
                MPI_SUCCESS);
      expect_all_once(graph, 8);
      // The part belongs to the number, not to the process.
      EXPECT_EQ(part_of(graph), wish_of(rank_in(graph)));
      EXPECT_EQ(weight_off_node(graph), reorder == 0 ? 8 * 10 + 4 : 8);
      int out[2] = {rank_in(graph) * 10, rank_in(graph) * 10 + 1}, in[2] = {-1, -1};
      MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, graph);
      EXPECT_EQ(in[0], (rank_in(graph) + 4) % 8 * 10);
      EXPECT_EQ(in[1], (rank_in(graph) + 7) % 8 * 10 + 1);
      MPI_Comm_free(&graph);
    }
  });
}

/// The same edges, all given by one rank.
TEST(Mapping, AGraphThatOneRankGives) {
  run_mpi(small_job(8, 2), [](int rank) {
    std::vector<int> nodes, degrees, ends, weights;
    for (int node = 0; node < (rank == 5 ? 8 : 0); ++node) {
      const Part part = wish_of(node);
      nodes.push_back(node);
      degrees.push_back(2);
      ends.insert(ends.end(), part.destinations.begin(), part.destinations.end());
      weights.insert(weights.end(), {10, 1});
    }
    MPI_Comm graph;
    ASSERT_EQ(MPI_Dist_graph_create(MPI_COMM_WORLD, static_cast<int>(nodes.size()), nodes.data(),
                                    degrees.data(), ends.data(),
                                    rank == 5 ? weights.data() : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL,
                                    1, &graph),
              MPI_SUCCESS);
    expect_all_once(graph, 8);
    EXPECT_EQ(part_of(graph).destinations, wish_of(rank_in(graph)).destinations);
    EXPECT_EQ(weight_off_node(graph), 8);
    MPI_Comm_free(&graph);
  });
}

TEST(Mapping, AGraphThatAllRanksKnow) {
  run_mpi(small_job(8, 2), [](int rank) {
    std::vector<int> index, edges;
    for (int node = 0; node < 8; ++node) {
      edges.push_back((node + 4) % 8);
      index.push_back(node + 1);
    }
    MPI_Comm graph;
    MPI_Graph_create(MPI_COMM_WORLD, 8, index.data(), edges.data(), 1, &graph);
    int mapped = -1, neighbour = -1;
    MPI_Graph_map(MPI_COMM_WORLD, 8, index.data(), edges.data(), &mapped);
    EXPECT_EQ(mapped, rank_in(graph));
    MPI_Graph_neighbors(graph, rank_in(graph), 1, &neighbour);
    EXPECT_EQ(neighbour, (rank_in(graph) + 4) % 8);
    const std::vector<int> nids = nids_of(graph);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(nids[i], nids[i + 4]) << rank;
    expect_all_once(graph, 8);
    MPI_Comm_free(&graph);
  });
}

// ---- Jobs that are too large for the host's clock

TEST(MappingAtScale, BlocksOfTwoByTwoByTwo) {
  run_mpi(small_job(128, 8), [](int) { expect_grid(MPI_COMM_WORLD, {{4, 4, 8}, 1}, 512, 384); });
}

/// Ranks in any order, and so many on the nodes as there are.
TEST(MappingAtScale, OfAShuffledCommunicator) {
  run_mpi(small_job(128, 8), [](int rank) {
    MPI_Comm shuffled;
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank * 37 % 128, &shuffled);
    MPI_Comm plain = make(shuffled, {{4, 4, 8}, 1}, 0);
    expect_grid(shuffled, {{4, 4, 8}, 1}, off_node(plain), 384);
    MPI_Comm graph;
    const Neighbourhood3 around = neighbours(plain);
    const auto count = static_cast<int>(around.to.size());
    MPI_Dist_graph_create_adjacent(plain, count, around.from.data(), MPI_UNWEIGHTED, count,
                                   around.to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph);
    expect_all_once(graph, 128);
    std::vector<int> to(around.to.size());
    MPI_Dist_graph_neighbors(graph, 0, nullptr, MPI_UNWEIGHTED, count, to.data(), MPI_UNWEIGHTED);
    const std::vector<int> nids = nids_of(graph);
    int mine = 0, sum = 0;
    for (const int other : to) {
      mine +=
          nids[static_cast<std::size_t>(other)] != nids[static_cast<std::size_t>(rank_in(graph))];
    }
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, graph);
    EXPECT_EQ(sum, 384);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&plain);
    MPI_Comm_free(&shuffled);
  });
}

}  // namespace
}  // namespace castor_test
